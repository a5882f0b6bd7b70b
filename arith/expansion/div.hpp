#pragma once

#include <residua/arith/expansion/add.hpp>
#include <residua/arith/expansion/mul.hpp>

namespace residua {

template <int N>
RESIDUA_HD expansion<double, N> operator/(const expansion<double, N>& x,
                                          const expansion<double, N>& y)
{
    accumulator<N> r{x};
    expansion<double, N> q;
    for (int k = 0; k < N; ++k) {
        q.t[k] = r.w[0] / y.t[0];
        r.add_product(y, -q.t[k]);
    }
    accumulator<N> a{q};
    detail::vec_sum(a.w);
    return a.result();
}

template <int N>
RESIDUA_HD expansion<double, N> operator/(const expansion<double, N>& x, double y)
{
    return x / expansion<double, N>{y};
}

template <int N>
RESIDUA_HD expansion<double, N> operator/(double x, const expansion<double, N>& y)
{
    return expansion<double, N>{x} / y;
}

}  // namespace residua
