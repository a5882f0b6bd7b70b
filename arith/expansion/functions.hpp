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
    const bool negative = (to_bits(x.t[0]) & sign_mask) != 0;
    expansion<double, N> r;
    for (int k = 0; k < N; ++k) {
        r.t[k] = negative ? minus.t[k] : x.t[k];
    }
    return r;
}

/// x 2^k, exact but for overflow and terms that fall below 2^-1022.
///
/// The last product is rounded: a kernel must not fuse one that underflows into a later sum. The first factor
/// loses nothing, or else the second one takes the term to zero in any case.
template <int N>
RESIDUA_HD expansion<double, N> ldexp(const expansion<double, N>& x, int k)
{
    const int last = k < -100 ? -100 : k > 100 ? 100 : k;
    expansion<double, N> r;
    for (int i = 0; i < N; ++i) {
        r.t[i] = mul_rn(scale_pow2(x.t[i], k - last), pow2(last));
    }
    return r;
}

/// RN(x), ties to even.
template <int N>
RESIDUA_HD double to_double(const expansion<double, N>& x)
{
    double nearest = x.t[0] + x.t[1];
    if constexpr (N > 2) {
        // DBL_MAX is replaced by another odd multiple of its ulp, so that no sum overflows before the last one.
        const double sign = x.t[0] < 0.0 ? -1.0 : 1.0;
        const bool at_limit = sign * x.t[0] == 0x1.fffffffffffffp1023;
        const double shift = sign * (0x1p1023 - 0x1p973);
        double h[N];
        detail::copy_terms(x.t, h);
        h[0] = at_limit ? h[0] - shift : h[0];
        detail::collect<0>(h);
        detail::collect<1>(h);
        detail::collect<2>(h);
        // h_2 has the sign of the rest, which is too small to take h_1 onto or across the middle
        // of two doubles: it decides where h_0 + h_1 is that middle.
        const rounded s = fast_two_sum(h[0], h[1]);
        const double next = s.value + 2.0 * s.error;
        const bool middle = s.error != 0.0 && next - s.value == 2.0 * s.error;
        const bool beyond = h[2] != 0.0 && (s.error > 0.0) == (h[2] > 0.0);
        const double r = middle && beyond ? next : s.value;
        nearest = at_limit ? r + shift : r;
    }
    return is_finite(x) ? nearest : x.t[0];
}

}  // namespace residua
