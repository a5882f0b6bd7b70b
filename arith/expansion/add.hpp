#pragma once

#include <residua/arith/expansion/accumulator.hpp>

namespace residua {

template <int N>
RESIDUA_HD expansion<double, N> operator-(const expansion<double, N>& x)
{
    expansion<double, N> r;
    for (int k = 0; k < N; ++k) {
        r.t[k] = -x.t[k];
    }
    return r;
}

template <int N>
RESIDUA_HD expansion<double, N> operator+(const expansion<double, N>& x,
                                          const expansion<double, N>& y)
{
    accumulator<N> a{x};
    a.add(y);
    return a.result();
}

template <int N>
RESIDUA_HD expansion<double, N> operator-(const expansion<double, N>& x,
                                          const expansion<double, N>& y)
{
    return x + -y;
}

template <int N>
RESIDUA_HD expansion<double, N> operator+(const expansion<double, N>& x, double y)
{
    return x + expansion<double, N>{y};
}

template <int N>
RESIDUA_HD expansion<double, N> operator+(double x, const expansion<double, N>& y)
{
    return y + x;
}

template <int N>
RESIDUA_HD expansion<double, N> operator-(const expansion<double, N>& x, double y)
{
    return x + -y;
}

template <int N>
RESIDUA_HD expansion<double, N> operator-(double x, const expansion<double, N>& y)
{
    return -y + x;
}

}  // namespace residua
