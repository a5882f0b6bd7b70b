#pragma once

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/multidigit/round.hpp>
#include <residua/arith/slices/slices.hpp>

/// Long whole numbers rounded to numbers of several digits or terms.
namespace residua {

namespace detail {

/// x 2^scale, not zero, with its first M digits.
template <class Digit, int M>
RESIDUA_HD unrounded<Digit, M> leading_digits(const long_magnitude& x, std::int64_t scale)
{
    constexpr int each = 8 / static_cast<int>(sizeof(Digit));  // digits of a word
    constexpr int words = (M + each - 1) / each;
    const int up = leading_zeros(x[x.last]);
    unrounded<Digit, M> r{{}, scale + 64 * (x.last + std::int64_t{1}) - up, x.negative};
    std::uint64_t high = x[x.last];
    for (int j = 0; j < words; ++j) {
        const int next = x.last - j - 1;
        const std::uint64_t low = next >= x.first ? x[next] : 0;
        const std::uint64_t w = up == 0 ? high : high << up | low >> (64 - up);
        high = low;
        const int k = M - 1 - each * j;
        if constexpr (each == 1) {
            r.d[k] = w;
        } else {
            r.d[k] = static_cast<Digit>(w >> 32);
            if (k > 0) {
                r.d[k > 0 ? k - 1 : 0] = static_cast<Digit>(w);
            } else {
                r.sticky = static_cast<Digit>(w) != 0;
            }
        }
    }
    r.sticky |= x.first < x.last - words || high << up != 0;
    return r;
}

}  // namespace detail

/// x 2^scale rounded to nearest even with p bits.
template <machine_digit Digit, int N>
RESIDUA_HD multidigit_float<Digit, N> rounded_to_multidigit(const long_integer& x, std::int64_t scale, int p)
{
    const long_magnitude magnitude = x.absolute();
    if (magnitude.is_zero()) {
        return detail::multidigit_special<Digit, N>(detail::multidigit_zero_code);
    }
    return detail::round_to_nearest<N>(detail::leading_digits<Digit, N + 1>(magnitude, scale), p);
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
