#pragma once

#include <residua/arith/expansion/accumulator.hpp>

namespace residua {

template <int N>
RESIDUA_HD expansion<double, N> operator*(const expansion<double, N>& x,
                                          const expansion<double, N>& y)
{
    accumulator<N> a;
    a.add_product(x, y);
    return a.result();
}

template <int N>
RESIDUA_HD expansion<double, N> operator*(const expansion<double, N>& x, double y)
{
    accumulator<N> a;
    a.add_product(x, y);
    return a.result();
}

template <int N>
RESIDUA_HD expansion<double, N> operator*(double x, const expansion<double, N>& y)
{
    return y * x;
}

}  // namespace residua
