#pragma once

#include <residua/arith/base/bits.hpp>
#include <residua/arith/expansion/add.hpp>

namespace residua {

/// Neither infinite nor NaN.
template <int N>
RESIDUA_HD bool is_finite(const expansion<double, N>& x)
{
    return (to_bits(x.t[0]) & exponent_mask) != exponent_mask;
}

/// |x|, exactly.
template <int N>
RESIDUA_HD expansion<double, N> abs(const expansion<double, N>& x)
{
    const expansion<double, N> minus = -x;
    const bool negative = x.t[0] < 0.0;
    expansion<double, N> r;
    for (int k = 0; k < N; ++k) {
        r.t[k] = negative ? minus.t[k] : x.t[k];
    }
    return r;
}

/// x 2^k, exact but for overflow and terms that fall below 2^-1022.
template <int N>
RESIDUA_HD expansion<double, N> ldexp(const expansion<double, N>& x, int k)
{
    expansion<double, N> r;
    for (int i = 0; i < N; ++i) {
        r.t[i] = scale_pow2(x.t[i], k);
    }
    return r;
}

/// RN(x), ties to even.
template <int N>
RESIDUA_HD double to_double(const expansion<double, N>& x)
{
    const rounded s = fast_two_sum(x.t[0], x.t[1]);
    if constexpr (N == 2) {
        return is_finite(x) ? s.value : x.t[0];
    } else {
        // x_0 + x_1 lies between two numbers, at the middle; the sign of the rest decides.
        const double next = s.value + 2.0 * s.error;
        const bool middle = s.error != 0.0 && next - s.value == 2.0 * s.error;
        const bool beyond = (s.error > 0.0) == (x.t[2] > 0.0) && x.t[2] != 0.0;
        const double nearest = middle && beyond ? next : s.value;
        return is_finite(x) ? nearest : x.t[0];
    }
}

}  // namespace residua
