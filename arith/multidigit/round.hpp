#pragma once

#include <residua/arith/multidigit/digits.hpp>

namespace residua::detail {

/// The result of an operation before rounding: (-1)^negative 0.d_{M-1} ... d_0 2^exponent, the highest bit set, plus
/// something between 0 and 1 in the last place if sticky is set.
template <class Digit, int M>
struct unrounded {
    Digit d[M];
    std::int64_t exponent;
    bool negative;
    bool sticky = false;
};

/// x with digits behind its own.
template <int M, class Digit, int N>
RESIDUA_HD unrounded<Digit, M> widened_inline(const multidigit_float<Digit, N>& x)
{
    unrounded<Digit, M> r{{}, x.exponent, x.negative};
    RESIDUA_UNROLL(M)
    for (int k = 0; k < N; ++k) {
        r.d[M - N + k] = x.d[k];
    }
    return r;
}

/// Calls widened_inline() without inlining it: nvcc 13.0 lets two inlined numbers in memory share their place.
template <int M, class Digit, int N>
RESIDUA_HD_RARE unrounded<Digit, M> widened_in_memory(const multidigit_float<Digit, N>& x)
{
    return widened_inline<M>(x);
}

template <int M, class Digit, int N>
RESIDUA_HD unrounded<Digit, M> widened(const multidigit_float<Digit, N>& x)
{
    if constexpr (M > most_in_registers) {
        return widened_in_memory<M>(x);
    } else {
        return widened_inline<M>(x);
    }
}

/// The result for an exponent beyond the range; `x` is the rounded number. As in MPFR, half of the least number or less
/// becomes zero. Numbers are passed by value, as in all seldom called functions: by reference they would have to lie in
/// a thread's memory, whether the function is called or not.
template <int N, class Digit, int M>
RESIDUA_HD_RARE multidigit_float<Digit, N> out_of_range(unrounded<Digit, M> x)
{
    if (x.exponent >= multidigit_most_exponent) {
        return multidigit_special<Digit, N>(multidigit_infinity_code, x.negative);
    }
    Digit rest = static_cast<Digit>(x.d[M - 1] << 1) | static_cast<Digit>(x.sticky);
    for (int k = 0; k < M - 1; ++k) {
        rest |= x.d[k];
    }
    if (x.exponent < multidigit_least_exponent - 1 || rest == 0) {
        return multidigit_special<Digit, N>(multidigit_zero_code);
    }
    multidigit_float<Digit, N> least = multidigit_special<Digit, N>(multidigit_least_exponent, x.negative);
    least.d[N - 1] = Digit{1} << (bits_of<Digit> - 1);
    return least;
}

/// The bits of digit k of M that rounding to N digits looks at if it drops `low` bits: half a unit, and all below.
template <class Digit>
struct digit_off {
    Digit half, tail;
};

template <int N, int M, class Digit>
RESIDUA_HD digit_off<Digit> rounded_off(int k, int low)
{
    constexpr int bits = bits_of<Digit>;
    if constexpr (spare_digits<N> == 0) {  // digit M - N has the last place
        const int s = low - bits * (M - N);
        const Digit below = (Digit{1} << s) - 1;
        const Digit first = Digit{s == 0} << (bits - 1);
        return k == M - N ? digit_off<Digit>{static_cast<Digit>(below - (below >> 1)), static_cast<Digit>(below >> 1)}
               : k + 1 == M - N ? digit_off<Digit>{first, static_cast<Digit>(~first)}
                                : digit_off<Digit>{0, static_cast<Digit>(~Digit{0})};
    } else {
        const int here = low - bits * k;  // dropped bits from digit k on
        const bool some = here > 0 && here <= bits;
        const Digit half = some ? Digit{1} << (here - 1) : 0;
        return {half, here > bits ? ~Digit{0} : some ? half - 1 : 0};
    }
}

/// The last place that rounding keeps, as a bit of digit k; zero if another digit has it.
template <int N, int M, class Digit>
RESIDUA_HD Digit last_place(int k, int low)
{
    constexpr int bits = bits_of<Digit>;
    const int here = low - bits * k;
    const bool is_here = spare_digits<N> == 0 ? k == M - N : here >= 0 && here < bits;
    return is_here ? Digit{1} << here : 0;
}

/// x rounded to nearest even with p bits.
///
/// uncertain  0 if x is exact; else x is off by less than 2^uncertain in its last place to either side, and
/// undecided  is true if the rounding may depend on that: the result is not usable then
template <int N, class Digit, int M>
RESIDUA_HD multidigit_float<Digit, N> round_to_nearest(const unrounded<Digit, M>& x, int p, int uncertain,
                                                       bool& undecided)
{
    constexpr int bits = bits_of<Digit>;
    constexpr int behind = M - N;
    constexpr int touched = behind + 1 + spare_digits<N>;  // digits that have dropped bits, or the last place
    const int low = bits * M - p;                          // bits that are dropped
    Digit half = 0;
    Digit below = x.sticky;
    Digit last = 0;
    Digit ones = 0;
    Digit zeros = 0;
    Digit w[touched];
    RESIDUA_UNROLL(M)
    for (int k = 0; k < touched; ++k) {
        const auto [unit, tail] = rounded_off<N, M, Digit>(k, low);
        const Digit certain = k == 0 ? tail & (~Digit{0} << uncertain) : tail;
        half |= x.d[k] & unit;
        below |= x.d[k] & tail;
        ones |= x.d[k] & certain;
        zeros |= ~x.d[k] & certain;
        last |= x.d[k] & last_place<N, M, Digit>(k, low);
        w[k] = x.d[k] & ~(tail | unit);
    }
    undecided = uncertain > 0 && (ones == 0 || zeros == 0);
    const bool up = half != 0 && (below | last) != 0;
    multidigit_float<Digit, N> r;
    Digit carry = 0;
    RESIDUA_UNROLL(M)
    for (int k = behind; k < M; ++k) {
        if (k < touched) {
            r.d[k - behind] = add_with_carry(w[k < touched ? k : 0], up ? last_place<N, M, Digit>(k, low) : 0, carry);
        } else {
            r.d[k - behind] = x.d[k];
        }
    }
    if (carry != 0) {  // seldom
        RESIDUA_UNROLL(M)
        for (int k = touched; k < M; ++k) {
            r.d[k - behind] = add_with_carry(r.d[k - behind], Digit{0}, carry);
        }
    }
    const bool overflows = carry != 0;
    r.d[N - 1] = overflows ? Digit{1} << (bits - 1) : r.d[N - 1];
    const std::int64_t exponent = x.exponent + (overflows ? 1 : 0);
    r.exponent = static_cast<std::int32_t>(exponent);
    r.negative = x.negative;
    if (exponent < multidigit_least_exponent || exponent > multidigit_most_exponent) {
        return out_of_range<N>(x);
    }
    return r;
}

/// x, exact, rounded to nearest even with p bits.
template <int N, class Digit, int M>
RESIDUA_HD multidigit_float<Digit, N> round_to_nearest(const unrounded<Digit, M>& x, int p)
{
    bool undecided = false;
    return round_to_nearest<N>(x, p, 0, undecided);
}

/// k, or, if k is larger in size, a shift in its direction that leads out of range from any exponent.
RESIDUA_HD std::int64_t limited(std::int64_t k)
{
    constexpr std::int64_t most = std::int64_t{1} << 33;
    return k < -most ? -most : k > most ? most : k;
}

}  // namespace residua::detail

namespace residua {

template <class Digit, int N>
RESIDUA_HD multidigit_float<Digit, N> ldexp(const multidigit_float<Digit, N>& x, std::int64_t k)
{
    if (!detail::is_regular(x.exponent)) {
        return x;
    }
    auto r = detail::widened<N>(x);
    r.exponent += detail::limited(k);
    if (r.exponent < multidigit_least_exponent || r.exponent > multidigit_most_exponent) {
        return detail::out_of_range<N>(r);
    }
    multidigit_float<Digit, N> scaled = x;
    scaled.exponent = static_cast<std::int32_t>(r.exponent);
    return scaled;
}

}  // namespace residua
