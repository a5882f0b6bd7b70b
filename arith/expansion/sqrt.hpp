#pragma once

#include <residua/arith/expansion/div.hpp>

namespace residua {

template <int N>
RESIDUA_HD expansion<double, N> sqrt(const expansion<double, N>& x)
{
    const bool zero = x.t[0] == 0.0;
    expansion<double, N> s{std::sqrt(x.t[0])};
    const double twice = zero ? 1.0 : 2.0 * s.t[0];
    for (int k = 1; k < N + 1; ++k) {
        s = s + (x - s * s).t[0] / twice;
    }
    return s;
}

}  // namespace residua
