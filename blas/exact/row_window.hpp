#pragma once

#include <cstdint>
#include <type_traits>

#include <residua/arith/multidigit/mul.hpp>
#include <residua/arith/multidigit/round.hpp>
#include <residua/blas/exact/row_sum.hpp>
#include <residua/blas/multidigit/array.hpp>

/// Elements of A x or b - A x of multi-digit floats as exact sums whose terms are of about the same size, on host and
/// device: all digits of a sum fit beside those of a number.
namespace residua::blas::detail {

/// A binary64 number: +-odd 2^exponent, odd < 2^bits; zero has odd = 0.
struct odd_binary64 {
    std::uint64_t odd;
    int exponent;
    int bits;
    bool is_finite;

    RESIDUA_HD explicit odd_binary64(double x)
    {
        const auto [whole, last] = residua::detail::whole_of(x);
        const int zeros = residua::detail::trailing_zeros(whole | std::uint64_t{1} << residua::fraction_bits);
        odd = whole >> zeros;
        exponent = last + zeros;
        bits = residua::fraction_bits + 1 - zeros;
        is_finite = last <= residua::max_exponent - residua::fraction_bits;
    }
};

/// A whole number of 2^unit, to which products of a number of N digits and one of Factor digits, or of binary64 if Factor is
/// 0, are added.
///
/// The first product fixes the unit: 64 bits below its last one, or, with a factor of binary64, 32 bits below, and lower if
/// factors with more bits than the first are to be expected.
template <class Digit, int N, int Factor>
class exact_window {
    static constexpr int digit_bits = residua::detail::bits_of<Digit>;

public:
    RESIDUA_HD explicit exact_window(bool expects_more_bits) : expects_more_bits_(expects_more_bits) {}

    /// sum <- sum +- x f
    ///
    /// Without a branch before the digits of x are used: loads of them would wait for that of its exponent.
    RESIDUA_HD void add_product(const multidigit_float<Digit, N>& x, const odd_binary64& f, bool negative)
        requires(Factor == 0)
    {
        constexpr int widest = 1 << 29;  // exponents, so that their sums and differences are numbers of 32 bits
        const bool counts = f.odd != 0 && !is_zero(x);
        const bool is_small = x.exponent > -widest && x.exponent < widest;
        const int end = (is_small ? x.exponent : 0) + f.exponent - digit_bits * N;
        const int missing = expects_more_bits_ ? fraction_bits + 1 - f.bits : 0;
        unit_ = counts && !has_unit_ ? end - 32 - missing : unit_;
        has_unit_ = has_unit_ || counts;
        const int at = end - static_cast<int>(unit_);
        const bool fits = at >= 0 && at <= places * digit_bits - f.bits;
        lost_ = lost_ || !f.is_finite || (!is_zero(x) && !is_small) || (counts && !fits);
        const int up = counts && fits ? at : 0;
        const std::uint64_t odd = counts && fits ? f.odd : 0;
        set_sign(negative);
        const bool is_digit = up + f.bits <= digit_bits;
        add_row(0, x.d, is_digit ? static_cast<Digit>(odd << (is_digit ? up : 0)) : Digit{0});
        if (!is_digit) {
            RESIDUA_UNROLL(N)
            for (int k = 0; k < places; ++k) {
                const int here = up - digit_bits * k;  // of the last bit of f, from that of digit k on
                const std::uint64_t part = here >= digit_bits || here <= -64 ? 0
                                           : here >= 0                       ? odd << here
                                                                             : odd >> -here;
                if (const auto digit = static_cast<Digit>(part); digit != 0) {
                    add_row(k, x.d, digit);
                }
            }
        }
    }

    RESIDUA_HD void add_product(const multidigit_float<Digit, N>& x, const multidigit_float<Digit, N>& y, bool negative)
        requires(Factor == N)
    {
        lost_ = lost_ || !is_finite(y);
        const position to =
            place_of(x, !is_zero(y), std::int64_t{x.exponent} + y.exponent - digit_bits * std::int64_t{2 * N});
        set_sign(negative);
        Digit product[2 * N];
        residua::detail::leading_product<N>(x.d, y.d, product);
        add_shifted(product, to);
    }

    /// sum <- sum + x
    RESIDUA_HD void add(const multidigit_float<Digit, N>& x)
    {
        if constexpr (Factor == 0) {
            add_product(x, odd_binary64(1.0), x.negative);
        } else {
            const position to = place_of(x, true, x.exponent - digit_bits * std::int64_t{2 * N});
            set_sign(x.negative);
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
        set_sign(false);
        residua::detail::unrounded<Digit, digits> r{{}, unit_ + digit_bits * digits, false};
        r.negative = sum_[digits - 1] >> (digit_bits - 1) != 0;
        const Digit mask = r.negative ? ~Digit{0} : 0;
        Digit carry = r.negative ? 1 : 0;
        RESIDUA_UNROLL(digits)
        for (int k = 0; k < digits; ++k) {
            r.d[k] = residua::detail::add_with_carry(static_cast<Digit>(sum_[k] ^ mask), Digit{0}, carry);
        }
        const int zeros = residua::detail::normalize(r.d);
        if (zeros >= digit_bits * digits) {
            return residua::detail::multidigit_special<Digit, N>(residua::detail::multidigit_zero_code);
        }
        r.exponent -= zeros;
        return residua::detail::round_to_nearest<N>(r, p);
    }

private:
    static constexpr int places = 128 / digit_bits;  // where a factor of binary64 lies, or a product of two begins
    static constexpr int digits = N + Factor + places + 1;  // the last for the sign

    struct position {
        int at;
        bool counts;
    };

    /// Where a product of x begins whose bit 0 is worth 2^end, if it counts: if neither x nor the other factor is zero.
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

    /// Makes the next product one to be added: the sum, or its complement, -sum - 1, changes places with the other.
    RESIDUA_HD void set_sign(bool negative)
    {
        const Digit sign = negative ? ~Digit{0} : 0;
        RESIDUA_UNROLL(digits)
        for (int k = 0; k < digits; ++k) {
            sum_[k] ^= sign ^ complement_;
        }
        complement_ = sign;
    }

    /// sum <- sum + x f base^k, for constant k
    RESIDUA_HD void add_row(int k, const Digit (&x)[N], Digit f)
    {
        Digit carry = 0;
        RESIDUA_UNROLL(digits)
        for (int j = 0; j < digits; ++j) {
            if (j >= k && j < k + N) {
                const auto t = static_cast<residua::detail::two_digits_t<Digit>>(x[j - k]) * f + sum_[j] + carry;
                sum_[j] = static_cast<Digit>(t);
                carry = static_cast<Digit>(t >> digit_bits);
            } else if (j >= k + N) {
                sum_[j] = residua::detail::add_with_carry(sum_[j], Digit{0}, carry);
            }
        }
    }

    /// sum <- sum + t 2^at, if it counts
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

    /// sum <- sum + t base^k, for constant k
    RESIDUA_HD void add_term(int k, const Digit (&t)[2 * N + 1])
    {
        Digit carry = 0;
        RESIDUA_UNROLL(digits)
        for (int j = 0; j < digits; ++j) {
            if (j >= k) {
                const Digit digit = j - k <= 2 * N ? t[j - k] : Digit{0};
                sum_[j] = residua::detail::add_with_carry(sum_[j], digit, carry);
            }
        }
    }

    Digit sum_[digits] = {};  ///< in two's complement
    std::int64_t unit_ = 0;
    bool has_unit_ = false;
    Digit complement_ = 0;  ///< all ones if the digits are those of -sum - 1
    bool expects_more_bits_ = false;
    bool lost_ = false;
};

/// y_i <- the sum of row i, rounded once; numbers of p bits throughout, side by side, all of their bits counted.
template <class Of>
struct row_in_window {
    static constexpr bool binary64 = !std::is_same_v<Of, exact_digits>;

    exact_product<Of, exact_digits> product;
    exact_digits_result y;

    /// False, and nothing is stored, if the window of numbers of N digits does not hold the sum.
    template <class Digit, int N>
    RESIDUA_HD bool store(index_t i) const
    {
        bool expects_more_bits = false;
        RESIDUA_KEEP_LOOP
        while (true) {
            exact_window<Digit, N, binary64 ? 0 : N> sum(expects_more_bits);
            if (product.subtracts) {
                sum.add(number<Digit, N>(product.b, i));
            }
            add_entries<Digit, N>(sum, i);
            if (!sum.is_lost()) {
                residua::detail::store(y.start, i, sum.result(y.p));
                return true;
            }
            if (!binary64 || expects_more_bits) {
                return false;
            }
            expects_more_bits = true;
        }
    }

private:
    template <class Digit, int N>
    RESIDUA_HD static multidigit_float<Digit, N> number(const exact_digits& x, index_t l)
    {
        return residua::detail::load<Digit, N>(x.start, l);
    }

    template <class Digit, int N, class Window>
    RESIDUA_HD void add_entries(Window& sum, index_t i) const
    {
        const exact_rows& rows = product.rows;
        const index_t step = rows.step();
        index_t at = rows.first(i);
        const auto left_of_row = static_cast<std::int32_t>(rows.count(i));
        column_t next = left_of_row > 0 ? rows.col[at] : 0;
        RESIDUA_KEEP_LOOP
        for (std::int32_t left = left_of_row; left > 0; --left, at += step) {
            const column_t now = next;  // the next one is on its way while this one is added
            if (left > 1) {
                next = rows.col[at + step];
            }
            add_term(sum, at, number<Digit, N>(product.x, now));
        }
    }

    template <class Digit, int N, class Window>
    RESIDUA_HD void add_term(Window& sum, index_t at, const multidigit_float<Digit, N>& x) const
    {
        if constexpr (binary64) {
            const double value = product.a.data[at];
            sum.add_product(x, odd_binary64(value), ((value < 0.0) != x.negative) != product.subtracts);
        } else {
            const auto a = number<Digit, N>(product.a, at);
            sum.add_product(x, a, (a.negative != x.negative) != product.subtracts);
        }
    }
};

}  // namespace residua::blas::detail
