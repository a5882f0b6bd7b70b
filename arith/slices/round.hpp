#pragma once

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/slices/slices.hpp>

/// Long whole numbers rounded to numbers of several digits or terms.
namespace residua {

namespace detail {

/// Bits place, ..., place + 31 of x; zeros beyond both of its ends.
RESIDUA_HD std::uint32_t bits_at(const long_magnitude& x, std::int64_t place)
{
    const std::int64_t k = place >> 6;
    const auto rest = static_cast<int>(place & 63);
    const auto word = [&](std::int64_t w) {
        return w < x.first || w > x.last ? std::uint64_t{0} : x[static_cast<int>(w)];
    };
    const std::uint64_t low = word(k) >> rest;
    return static_cast<std::uint32_t>(rest <= 32 ? low : low | word(k + 1) << (64 - rest));
}

}  // namespace detail

/// x, not zero, rounded to nearest even with p bits: put(k, d) takes digit k of 0.d_{n-1} ... d_0 2^e, digits of 32 bits, n as
/// few as hold p bits, the highest bit of d_{n-1} set. Returns e.
template <class Put>
RESIDUA_HD std::int64_t round_to_digits(const long_magnitude& x, int p, const Put& put)
{
    const int digits = (p + 31) / 32;
    const int unused = 32 * digits - p;     // bits of digit 0
    const std::int64_t end = x.bits() - p;  // of the bits that stay
    const std::int64_t lowest = 64 * std::int64_t{x.first} + detail::trailing_zeros(x[x.first]);
    const bool half = end > 0 && (detail::bits_at(x, end - 1) & 1) != 0;
    const bool up = half && (lowest < end - 1 || (detail::bits_at(x, end) & 1) != 0);
    std::uint64_t carry = up ? std::uint64_t{1} << unused : 0;
    for (int k = 0; k < digits; ++k) {
        const std::uint32_t d = detail::bits_at(x, end - unused + 32 * k);
        carry += k == 0 ? d >> unused << unused : d;
        put(k, static_cast<std::uint32_t>(carry));
        carry >>= 32;
    }
    if (carry != 0) {  // all others are zero
        put(digits - 1, std::uint32_t{1} << 31);
    }
    return x.bits() + static_cast<std::int64_t>(carry);
}

/// The expansion nearest to x 2^scale term by term, as from_real() has it; x is lost.
template <int N>
RESIDUA_HD expansion<double, N> rounded_to_expansion(long_integer x, std::int64_t scale)
{
    expansion<double, N> r;
    for (int k = 0; k < N; ++k) {
        while (x.words > 1 && x.word[(x.words - 1) * x.stride] ==
                                  ~((x.word[(x.words - 2) * x.stride] >> 63) - 1)) {  // the sign, once more
            --x.words;
        }
        r.t[k] = x.rounded(scale);
        if (!(r.t[k] - r.t[k] == 0.0)) {
            for (int rest = k + 1; rest < N; ++rest) {
                r.t[rest] = 0.0;
            }
            break;
        }
        x.add_cut(-r.t[k], -scale);  // a multiple of 2^scale: nothing is cut
    }
    if constexpr (N == 2) {
        const rounded sum = fast_two_sum(r.t[0], r.t[1]);
        r.t[0] = sum.value;
        r.t[1] = r.t[0] - r.t[0] == 0.0 ? sum.error : 0.0;
    }
    return r;
}

}  // namespace residua
