#pragma once

#include <cstdint>
#include <type_traits>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/multidigit/mul.hpp>
#include <residua/arith/multidigit/round.hpp>
#include <residua/arith/slices/round.hpp>

/// Exact sums of products of multi-digit floats, for products of about the same size, on host and device. All digits of
/// a sum fit into registers beside the digits of a number. The first product decides where the sum begins. The sum
/// loses a product that has no place in it, and reports that.
namespace residua::blas::detail {

/// The integer s of M digits, in two's complement, times 2^unit, rounded to nearest even with p bits.
template <int N, class Digit, int M>
RESIDUA_HD multidigit_float<Digit, N> rounded_twos_complement(const Digit (&s)[M], std::int64_t unit, int p)
{
    constexpr int digit_bits = residua::detail::bits_of<Digit>;
    residua::detail::unrounded<Digit, M> r{{}, unit + digit_bits * M, s[M - 1] >> (digit_bits - 1) != 0};
    const Digit mask = r.negative ? ~Digit{0} : 0;
    Digit carry = r.negative ? 1 : 0;
    RESIDUA_UNROLL(M)
    for (int k = 0; k < M; ++k) {
        r.d[k] = residua::detail::add_with_carry(static_cast<Digit>(s[k] ^ mask), Digit{0}, carry);
    }
    const int zeros = residua::detail::normalize(r.d);
    if (zeros >= digit_bits * M) {
        return residua::detail::multidigit_special<Digit, N>(residua::detail::multidigit_zero_code);
    }
    r.exponent -= zeros;
    return residua::detail::round_to_nearest<N>(r, p);
}

/// An integer in units of 2^unit and in two's complement, to which numbers of either sign are added.
template <class Digit, int M>
class signed_digits {
public:
    /// Lets the digits hold the sum or, for a negative number, the complement -sum - 1. So the number is always added.
    RESIDUA_HD void set_sign(bool negative)
    {
        const Digit sign = negative ? ~Digit{0} : 0;
        RESIDUA_UNROLL(M)
        for (int k = 0; k < M; ++k) {
            digit[k] ^= sign ^ complement_;
        }
        complement_ = sign;
    }

    /// sum <- sum + x f base^k, for a constant k
    template <int N>
    RESIDUA_HD void add_row(int k, const Digit (&x)[N], Digit f)
    {
        Digit carry = 0;
        RESIDUA_UNROLL(M)
        for (int j = 0; j < M; ++j) {
            if (j >= k && j < k + N) {
                const auto t = static_cast<residua::detail::two_digits_t<Digit>>(x[j - k]) * f + digit[j] + carry;
                digit[j] = static_cast<Digit>(t);
                carry = static_cast<Digit>(t >> residua::detail::bits_of<Digit>);
            } else if (j >= k + N) {
                digit[j] = residua::detail::add_with_carry(digit[j], Digit{0}, carry);
            }
        }
    }

    Digit digit[M] = {};

private:
    Digit complement_ = 0;  ///< all ones if the digits hold -sum - 1
};

/// A sum of products of numbers of N digits and binary64 factors of one digit each, at a place that all products share.
///
/// Beside the bits of the first factor, the unit leaves as many bits for factors of larger products as for the last
/// bits of factors of lesser ones.
template <class Digit, int N>
class digit_window {
public:
    /// sum <- sum +- x f, with the sign of the product
    RESIDUA_HD void add_product(const multidigit_float<Digit, N>& x, double f, bool negative)
    {
        constexpr int widest = 1 << 29;  // exponents, so that their sums and differences are numbers of 32 bits
        const std::uint64_t bits = to_bits(f);
        const auto biased = static_cast<int>(bits >> fraction_bits) & 0x7ff;
        const std::uint64_t significand = bits << (63 - fraction_bits) | std::uint64_t{1} << 63;
        const auto top = static_cast<Digit>(significand >> (64 - digit_bits));
        const bool is_digit = static_cast<unsigned>(biased - 1) < 2 * exponent_bias &&
                              (digit_bits == 64 || static_cast<std::uint32_t>(significand) == 0);
        const bool is_usual = is_digit && static_cast<std::uint32_t>(x.exponent) + widest < 2U * widest;
        const int exponent = static_cast<int>(static_cast<unsigned>(x.exponent) + static_cast<unsigned>(biased));
        if (is_empty_ && is_usual) {
            is_empty_ = false;
            top_ = exponent + residua::detail::trailing_zeros(top) / 2;
        }
        const unsigned down = static_cast<unsigned>(top_) - static_cast<unsigned>(exponent);
        const auto digit = static_cast<Digit>(top >> (down % digit_bits));
        const bool fits = is_usual && down < digit_bits && static_cast<Digit>(digit << (down % digit_bits)) == top;
        lost_ = lost_ || !(fits || (is_digit && is_zero(x)));
        sum_.set_sign(negative);
        sum_.add_row(0, x.d, fits ? digit : Digit{0});
    }

    /// sum <- sum + x
    RESIDUA_HD void add(const multidigit_float<Digit, N>& x) { add_product(x, 1.0, x.negative); }

    /// Whether a product had no place, or a factor was more than one digit, zero, or not finite.
    RESIDUA_HD bool is_lost() const { return lost_; }

    /// The sum, rounded to nearest even with p bits.
    RESIDUA_HD multidigit_float<Digit, N> result(int p)
    {
        sum_.set_sign(false);
        return rounded_twos_complement<N>(sum_.digit, top_ + 1 - exponent_bias - digit_bits * std::int64_t{N + 1}, p);
    }

private:
    static constexpr int digit_bits = residua::detail::bits_of<Digit>;

    signed_digits<Digit, N + 2> sum_;  ///< a product has N + 1 digits; the last holds a sign and 2^31 products
    int top_ = 0;  ///< the biased exponent of a product whose factor has its highest bit at the top of a digit
    bool is_empty_ = true;
    bool lost_ = false;
};

/// A finite binary64 number: +-odd 2^exponent, odd < 2^bits; zero has odd = 0.
struct odd_binary64 {
    std::uint64_t odd;
    int exponent;
    int bits;
    bool is_finite;

    RESIDUA_HD explicit odd_binary64(double x)
    {
        const auto [whole, last] = residua::detail::integer_of(x);
        const int zeros = residua::detail::trailing_zeros(whole | std::uint64_t{1} << residua::fraction_bits);
        odd = whole >> zeros;
        exponent = last + zeros;
        bits = residua::fraction_bits + 1 - zeros;
        is_finite = last <= residua::max_exponent - residua::fraction_bits;
    }
};

/// A sum of products of numbers of N digits and factors of Factor digits, or any binary64 factors if Factor is 0.
///
/// The unit is 64 bits below the last bit of the first product. With a binary64 factor it is 32 bits below the last bit
/// of the product if the factor had 53 bits.
template <class Digit, int N, int Factor>
class exact_window {
public:
    /// sum <- sum +- x f, with the sign of the product
    ///
    /// There is no branch before the digits of x are used: their loads would wait for the load of its exponent.
    RESIDUA_HD void add_product(const multidigit_float<Digit, N>& x, double factor, bool negative)
        requires(Factor == 0)
    {
        constexpr int widest = 1 << 29;  // exponents, so that their sums and differences are numbers of 32 bits
        const odd_binary64 f(factor);
        const bool counts = f.odd != 0 && !is_zero(x);
        const bool is_small = x.exponent > -widest && x.exponent < widest;
        const int end = (is_small ? x.exponent : 0) + f.exponent - digit_bits * N;
        unit_ = counts && !has_unit_ ? end - 32 - (fraction_bits + 1 - f.bits) : unit_;
        has_unit_ = has_unit_ || counts;
        const int at = end - static_cast<int>(unit_);
        const bool fits = at >= 0 && at <= places * digit_bits - f.bits;
        lost_ = lost_ || !f.is_finite || (!is_zero(x) && !is_small) || (counts && !fits);
        const int up = counts && fits ? at : 0;
        const std::uint64_t odd = counts && fits ? f.odd : 0;
        sum_.set_sign(negative);
        RESIDUA_UNROLL(digits)
        for (int k = 0; k < places; ++k) {
            const int here = up - digit_bits * k;  // the place of the last bit of f above that of digit k
            const std::uint64_t part = here >= digit_bits || here <= -64 ? 0 : here >= 0 ? odd << here : odd >> -here;
            if (const auto digit = static_cast<Digit>(part); digit != 0) {
                sum_.add_row(k, x.d, digit);
            }
        }
    }

    RESIDUA_HD void add_product(const multidigit_float<Digit, N>& x, const multidigit_float<Digit, N>& y, bool negative)
        requires(Factor == N)
    {
        lost_ = lost_ || !is_finite(y);
        const position to =
            place_of(x, !is_zero(y), std::int64_t{x.exponent} + y.exponent - digit_bits * std::int64_t{2 * N});
        sum_.set_sign(negative);
        Digit product[2 * N];
        residua::detail::leading_product<N>(x.d, y.d, product);
        add_shifted(product, to);
    }

    /// sum <- sum + x
    RESIDUA_HD void add(const multidigit_float<Digit, N>& x)
    {
        if constexpr (Factor == 0) {
            add_product(x, 1.0, x.negative);
        } else {
            const position to = place_of(x, true, x.exponent - digit_bits * std::int64_t{2 * N});
            sum_.set_sign(x.negative);
            Digit product[2 * N] = {};  // of x and 1
            RESIDUA_UNROLL(N)
            for (int k = 0; k < N; ++k) {
                product[N + k] = x.d[k];
            }
            add_shifted(product, to);
        }
    }

    /// Whether a product had no place, or a factor was not finite.
    RESIDUA_HD bool is_lost() const { return lost_; }

    /// The sum, rounded to nearest even with p bits.
    RESIDUA_HD multidigit_float<Digit, N> result(int p)
    {
        sum_.set_sign(false);
        return rounded_twos_complement<N>(sum_.digit, unit_, p);
    }

private:
    static constexpr int digit_bits = residua::detail::bits_of<Digit>;
    static constexpr int places = 128 / digit_bits;  // where a binary64 factor lies, or a product of two numbers begins
    static constexpr int digits = N + Factor + places + 1;  // the last digit is for the sign

    struct position {
        int at;
        bool counts;
    };

    /// Where a product of x begins, if its bit 0 is worth 2^end. It counts if neither x nor the other factor is zero.
    RESIDUA_HD position place_of(const multidigit_float<Digit, N>& x, bool other_counts, std::int64_t end)
    {
        const bool counts = other_counts && !is_zero(x);
        unit_ = counts && !has_unit_ ? end - 64 : unit_;
        has_unit_ = has_unit_ || counts;
        const std::int64_t at = end - unit_;
        const bool fits = at >= 0 && at < places * digit_bits;
        lost_ = lost_ || !is_finite(x) || (counts && !fits);
        return {counts && fits ? static_cast<int>(at) : 0, counts && fits};
    }

    /// sum <- sum + t 2^at, if the product counts
    RESIDUA_HD void add_shifted(const Digit (&t)[2 * N], const position& to)
    {
        const int up = to.at % digit_bits;
        const int place = to.counts ? to.at / digit_bits : places;
        Digit term[2 * N + 1];
        RESIDUA_UNROLL(2 * N)
        for (int k = 0; k <= 2 * N; ++k) {
            term[k] = residua::detail::digit_shifted_up(k < 2 * N ? t[k < 2 * N ? k : 0] : Digit{0},
                                                        k > 0 ? t[k > 0 ? k - 1 : 0] : Digit{0}, up);
        }
        RESIDUA_UNROLL(places)
        for (int here = 0; here < places; ++here) {
            if (here == place) {
                add_term(here, term);
            }
        }
    }

    /// sum <- sum + t base^k, for a constant k
    RESIDUA_HD void add_term(int k, const Digit (&t)[2 * N + 1])
    {
        Digit carry = 0;
        RESIDUA_UNROLL(digits)
        for (int j = 0; j < digits; ++j) {
            if (j >= k) {
                const Digit digit = j - k <= 2 * N ? t[j - k] : Digit{0};
                sum_.digit[j] = residua::detail::add_with_carry(sum_.digit[j], digit, carry);
            }
        }
    }

    signed_digits<Digit, digits> sum_;
    std::int64_t unit_ = 0;
    bool has_unit_ = false;
    bool lost_ = false;
};

}  // namespace residua::blas::detail
