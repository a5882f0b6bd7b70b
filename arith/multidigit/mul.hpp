#pragma once

#include <residua/arith/multidigit/add.hpp>
#include <residua/arith/multidigit/convert.hpp>
#include <residua/arith/multidigit/device_product.hpp>

namespace residua {
namespace detail {

/// The number of digits behind the first N of a product that are computed at first: for a product alone, and for one to
/// which a number is added, where a few bits may cancel.
template <int N>
inline constexpr int product_extra = 1 < N ? 1 : N;
template <class Digit, int N>
inline constexpr int summand_extra = bits_of<Digit> < 64 ? (2 < N ? 2 : N) : product_extra<N>;

/// The number of uncertain bits in the last place of a cut product, also after a shift by one bit and a subtraction
/// with a sticky bit; N <= 128.
inline constexpr int uncertain_bits = 9;

/// The most bits that may cancel in a sum with a cut product.
inline constexpr int most_cancelled = 20;

/// From this many digits on the host multiplies row by row, with GMP.
inline constexpr int least_in_rows = 10;
void leading_product_in_rows(const std::uint64_t* a, const std::uint64_t* b, int n, int extra, std::uint64_t* d);

/// Up to this many digits a device multiplies row by row: more would take too many registers.
inline constexpr int most_by_rows = 8;

/// From this many digits on a device multiplies with its binary64 units.
inline constexpr int least_by_binary64 = 16;

/// d <- the first N + Extra of the 2 N digits of a b. If some are left out, d lacks less than N in its last place.
///
/// cost  about (N + Extra)^2 / 2 products of digits, N^2 for all digits
template <int Extra, class Digit, int N>
RESIDUA_HD void leading_product(const Digit (&a)[N], const Digit (&b)[N], Digit (&d)[N + Extra])
{
    constexpr int first = N - Extra;  // the first digit that is kept
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(Digit) == 4 && N >= least_by_binary64) {
        leading_product_by_binary64<Extra>(a, b, d);
        return;
    } else if constexpr (sizeof(Digit) == 4 && N <= most_by_rows) {
        leading_product_by_rows<Extra>(a, b, d);
        return;
    }
#else
    if constexpr (sizeof(Digit) == 8 && N >= least_in_rows) {
        leading_product_in_rows(a, b, N, Extra, d);
        return;
    }
#endif
    column_sum<Digit> sum;
    RESIDUA_UNROLL(N)
    for (int c = first > 0 ? first - 1 : 0; c < 2 * N - 1; ++c) {
        RESIDUA_UNROLL(N)
        for (int i = c < N ? 0 : c - N + 1; i <= (c < N ? c : N - 1); ++i) {
            sum.add_product(a[i], b[c - i]);
        }
        const Digit digit = sum.take_digit();
        if (c >= first) {
            d[c - first] = digit;
        }
    }
    d[N + Extra - 1] = sum.low;
}

/// The highest bit set, for a product of two numbers that have it set.
template <class Digit, int M>
RESIDUA_HD void normalize_product(unrounded<Digit, M>& x)
{
    const int up = x.d[M - 1] >> (bits_of<Digit> - 1) == 0 ? 1 : 0;
    RESIDUA_UNROLL(M)
    for (int k = M - 1; k >= 0; --k) {
        x.d[k] = digit_shifted_up(x.d[k], k > 0 ? x.d[k > 0 ? k - 1 : 0] : Digit{0}, up);
    }
    x.exponent -= up;
}

/// x y with `Extra` digits behind the first N, followed by `Zeros` digits that are zero.
template <int Extra, int Zeros = 0, class Digit, int N>
RESIDUA_HD unrounded<Digit, N + Extra + Zeros> product_of(const multidigit_float<Digit, N>& x,
                                                          const multidigit_float<Digit, N>& y)
{
    unrounded<Digit, N + Extra + Zeros> r{{}, std::int64_t{x.exponent} + y.exponent, x.negative != y.negative};
    Digit d[N + Extra];
    leading_product<Extra>(x.d, y.d, d);
    RESIDUA_UNROLL(N)
    for (int k = 0; k < N + Extra; ++k) {
        r.d[Zeros + k] = d[k];
    }
    normalize_product(r);
    return r;
}

/// x y where one of them is zero or not finite.
template <class Digit, int N>
RESIDUA_HD_RARE multidigit_float<Digit, N> special_product(multidigit_float<Digit, N> x, multidigit_float<Digit, N> y)
{
    if (is_nan(x) || is_nan(y) || (is_zero(x) && !is_finite(y)) || (is_zero(y) && !is_finite(x))) {
        return multidigit_special<Digit, N>(multidigit_nan_code);
    }
    if (is_zero(x) || is_zero(y)) {
        return multidigit_special<Digit, N>(multidigit_zero_code);
    }
    return multidigit_special<Digit, N>(multidigit_infinity_code, x.negative != y.negative);
}

/// x y from all of its digits.
template <class Digit, int N>
RESIDUA_HD_RARE multidigit_float<Digit, N> mul_in_full(multidigit_float<Digit, N> x, multidigit_float<Digit, N> y,
                                                       int p)
{
    return round_to_nearest<N>(product_of<N>(x, y), p);
}

template <class Digit, int N>
RESIDUA_HD bool is_addable(const multidigit_float<Digit, N>& z)
{
    return is_regular(z.exponent) || is_zero(z);
}

/// z as a summand for a nonzero product; a zero gets the exponent of the product, as exact_sum needs one.
template <int M, class Digit, int N>
RESIDUA_HD unrounded<Digit, M> summand(const multidigit_float<Digit, N>& z, const unrounded<Digit, M>& product)
{
    unrounded<Digit, M> r = widened<M>(z);
    r.exponent = is_zero(z) ? product.exponent : r.exponent;
    return r;
}

/// x y + z from all of the digits of x y.
template <class Digit, int N>
RESIDUA_HD_RARE multidigit_float<Digit, N> fma_in_full(multidigit_float<Digit, N> x, multidigit_float<Digit, N> y,
                                                       multidigit_float<Digit, N> z, int p)
{
    const auto product = product_of<N, 1>(x, y);
    return rounded_sum<N>(product, summand<2 * N + 1>(z, product), p);
}

/// x y + z where x or y is zero, or one of the three is not finite.
template <class Digit, int N>
RESIDUA_HD_RARE multidigit_float<Digit, N> special_fma(multidigit_float<Digit, N> x, multidigit_float<Digit, N> y,
                                                       multidigit_float<Digit, N> z)
{
    return is_regular(x.exponent) && is_regular(y.exponent) ? z : special_sum(special_product(x, y), z);
}

/// The digits of a number made from a binary64 number: as few as hold 64 bits.
template <class Digit>
inline constexpr int double_digits = 64 / bits_of<Digit>;

/// d <- a b for a factor b of one digit.
template <class Digit, int N>
RESIDUA_HD void multiply(const Digit (&a)[N], Digit b, Digit (&d)[N + 1])
{
    Digit carried = 0;
    RESIDUA_UNROLL(N)
    for (int k = 0; k < N; ++k) {
        const auto sum = static_cast<two_digits_t<Digit>>(a[k]) * b + carried;
        d[k] = static_cast<Digit>(sum);
        carried = static_cast<Digit>(sum >> bits_of<Digit>);
    }
    d[N] = carried;
}

/// d <- a b for a factor b of one or two digits.
template <class Digit, int N, int Count>
RESIDUA_HD void multiply(const Digit (&a)[N], const Digit (&b)[Count], Digit (&d)[N + Count])
{
    column_sum<Digit> sum;
    RESIDUA_UNROLL(N)
    for (int c = 0; c < N + Count - 1; ++c) {
        RESIDUA_UNROLL(N)
        for (int j = 0; j < Count; ++j) {
            if (c - j >= 0 && c - j < N) {
                sum.add_product(a[c - j >= 0 && c - j < N ? c - j : 0], b[j]);
            }
        }
        d[c] = sum.take_digit();
    }
    d[N + Count - 1] = sum.low;
}

/// x d, exactly, followed by `Zeros` digits that are zero; neither factor is zero.
template <int Zeros, class Digit, int N>
RESIDUA_HD unrounded<Digit, N + double_digits<Digit> + Zeros> product_with(
    const multidigit_float<Digit, N>& x, const multidigit_float<Digit, double_digits<Digit>>& d)
{
    constexpr int count = double_digits<Digit>;
    unrounded<Digit, N + count + Zeros> r{{}, std::int64_t{x.exponent} + d.exponent, x.negative != d.negative};
    Digit product[N + count];
    multiply(x.d, d.d, product);
    RESIDUA_UNROLL(N)
    for (int k = 0; k < N + count; ++k) {
        r.d[Zeros + k] = product[k];
    }
    normalize_product(r);
    return r;
}

}  // namespace detail

/// x y
///
/// errors  correctly rounded to nearest even with p bits
/// cost    about (N + 1)^2 / 2 products of digits; N^2 once in 2^20, where the digits left out might decide
template <class Digit, int N>
RESIDUA_HD_LONG inline multidigit_float<Digit, N> mul(const multidigit_float<Digit, N>& x,
                                                      const multidigit_float<Digit, N>& y, int p)
{
    if (!detail::is_regular(x.exponent) || !detail::is_regular(y.exponent)) {
        return detail::special_product(x, y);
    }
    constexpr int extra = detail::product_extra<N>;
    bool undecided = false;
    const multidigit_float<Digit, N> r = detail::round_to_nearest<N>(detail::product_of<extra>(x, y), p,
                                                                     extra < N ? detail::uncertain_bits : 0, undecided);
    return undecided ? detail::mul_in_full(x, y, p) : r;
}

namespace detail {

/// x y + z from leading digits. Not `decided`: all digits are needed, x or y is zero, or a number is not finite.
template <class Digit, int N>
RESIDUA_HD multidigit_float<Digit, N> usual_fma(const multidigit_float<Digit, N>& x,
                                                const multidigit_float<Digit, N>& y,
                                                const multidigit_float<Digit, N>& z, int p, bool& decided)
{
    constexpr int extra = summand_extra<Digit, N>;
    decided = is_regular(x.exponent) && is_regular(y.exponent) && is_addable(z) && extra < N;
    if constexpr (extra < N) {
        if (decided) {
            int cancelled = 0;
            const auto product = product_of<extra>(x, y);
            const auto sum = exact_sum(product, summand<N + extra>(z, product), cancelled);
            bool undecided = cancelled > most_cancelled;
            if (!undecided) {
                const auto r = round_to_nearest<N>(sum, p, uncertain_bits + cancelled, undecided);
                decided = !undecided;
                return r;
            }
            decided = false;
        }
    }
    return multidigit_special<Digit, N>(multidigit_nan_code);
}

/// x y + z for any numbers, from all digits.
template <class Digit, int N>
RESIDUA_HD_RARE multidigit_float<Digit, N> unusual_fma(multidigit_float<Digit, N> x, multidigit_float<Digit, N> y,
                                                       multidigit_float<Digit, N> z, int p)
{
    return is_regular(x.exponent) && is_regular(y.exponent) && is_addable(z) ? fma_in_full(x, y, z, p)
                                                                             : special_fma(x, y, z);
}

}  // namespace detail

/// x y + z
///
/// errors  correctly rounded to nearest even with p bits, once
/// cost    about (N + 2)^2 / 2 products of digits; N^2 where more than 20 bits cancel, and once in 2^30 otherwise
template <class Digit, int N>
RESIDUA_HD_LONG inline multidigit_float<Digit, N> fma(const multidigit_float<Digit, N>& x,
                                                      const multidigit_float<Digit, N>& y,
                                                      const multidigit_float<Digit, N>& z, int p)
{
    bool decided = false;
    const multidigit_float<Digit, N> r = detail::usual_fma(x, y, z, p, decided);
    return decided ? r : detail::unusual_fma(x, y, z, p);
}

/// x d
///
/// errors  correctly rounded to nearest even with p bits
template <class Digit, int N>
RESIDUA_HD_LONG inline multidigit_float<Digit, N> mul(const multidigit_float<Digit, N>& x, double d, int p)
{
    const auto factor = to_multidigit<Digit, detail::double_digits<Digit>>(d);
    if (!detail::is_regular(x.exponent) || !detail::is_regular(factor.exponent)) {
        return detail::special_product(x, to_multidigit<Digit, N>(d));
    }
    return detail::round_to_nearest<N>(detail::product_with<0>(x, factor), p);
}

/// x d + z
///
/// errors  correctly rounded to nearest even with p bits, once
template <class Digit, int N>
RESIDUA_HD_LONG inline multidigit_float<Digit, N> fma(const multidigit_float<Digit, N>& x, double d,
                                                      const multidigit_float<Digit, N>& z, int p)
{
    const auto factor = to_multidigit<Digit, detail::double_digits<Digit>>(d);
    if (!detail::is_regular(x.exponent) || !detail::is_regular(factor.exponent) || !detail::is_addable(z)) {
        return detail::special_fma(x, to_multidigit<Digit, N>(d), z);
    }
    const auto product = detail::product_with<1>(x, factor);
    return detail::rounded_sum<N>(product, detail::summand<N + detail::double_digits<Digit> + 1>(z, product), p);
}

}  // namespace residua
