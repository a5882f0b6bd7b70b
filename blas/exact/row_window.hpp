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

/// A whole number of 2^unit, to which products of a number of N digits and one of Factor digits are added.
///
/// The first product fixes the unit, others may begin 64 bits below or above it.
template <class Digit, int N, int Factor>
class exact_window {
public:
    /// sum <- sum +- x f
    ///
    /// Without a branch before the digits of x are used: loads of them would wait for that of its exponent.
    RESIDUA_HD void add_product(const multidigit_float<Digit, N>& x, const binary64_part& f, bool negative)
    {
        const position to = place_of(x, f.significand != 0, x.exponent + f.exponent - digit_bits * N - 64);
        const std::uint64_t significand = to.counts ? f.significand : 0;
        set_sign(negative);
        RESIDUA_UNROLL(N)
        for (int k = 0; k < factor_places; ++k) {
            const int here = to.at - digit_bits * k;  // of the last bit of f, from that of digit k on
            const std::uint64_t part = here >= digit_bits || here <= -64 ? 0
                                       : here >= 0                       ? significand << here
                                                                         : significand >> -here;
            if (const auto digit = static_cast<Digit>(part); digit != 0) {
                add_row(k, x.d, digit);
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
        if constexpr (Factor == 64 / digit_bits) {
            add_product(x, binary64_part(1.0), x.negative);
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

    /// The sum is not to be had here.
    RESIDUA_HD void lose() { lost_ = true; }

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
    static constexpr int digit_bits = residua::detail::bits_of<Digit>;
    static constexpr int places = 128 / digit_bits;
    static constexpr int factor_places = places + 64 / digit_bits;  // of digits of f
    static constexpr int digits = N + Factor + places + 1;          // products reach no further than the last but one
    static constexpr std::int64_t nothing = vector_extent::none;

    struct position {
        int at;
        bool counts;
    };

    /// Where a product of x begins whose bit 0 is worth 2^end, if it counts: if neither x nor the other factor is zero.
    RESIDUA_HD position place_of(const multidigit_float<Digit, N>& x, bool other_counts, std::int64_t end)
    {
        const bool counts = other_counts && !is_zero(x);
        unit_ = counts && unit_ == nothing ? end - 64 : unit_;
        const std::int64_t at = end - unit_;
        const bool fits = at >= 0 && at < places * digit_bits;
        lost_ = lost_ || !is_finite(x) || (counts && !fits);
        return {counts && fits ? static_cast<int>(at) : 0, counts && fits};
    }

    /// Makes the next product one to be added: the sum, or its complement, -sum - 1, changes places with the other.
    RESIDUA_HD void set_sign(bool negative)
    {
        const Digit mask = negative != is_complement_ ? ~Digit{0} : 0;
        RESIDUA_UNROLL(digits)
        for (int k = 0; k < digits; ++k) {
            sum_[k] ^= mask;
        }
        is_complement_ = negative;
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
                sum_[j] += carry;
                carry = sum_[j] < carry ? 1 : 0;
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
    std::int64_t unit_ = nothing;
    bool is_complement_ = false;
    bool lost_ = false;
};

/// y_i <- the sum of row i, rounded once; numbers of p bits throughout, all of their bits counted.
template <class Of>
struct row_in_window {
    static constexpr bool binary64 = !std::is_same_v<Of, exact_digits>;

    exact_product<Of, exact_digits> product;
    exact_digits_result y;
    index_t y_stride = 1;

    /// False, and nothing is stored, if the window of numbers of N digits does not hold the sum.
    template <class Digit, int N>
    RESIDUA_HD bool store(index_t i) const
    {
        const exact_rows& rows = product.rows;
        exact_window<Digit, N, binary64 ? 64 / residua::detail::bits_of<Digit> : N> sum;
        if (product.subtracts) {
            sum.add(number<Digit, N>(product.b, i));
        }
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
        if (sum.is_lost()) {
            return false;
        }
        residua::detail::store(y.start, i * y_stride, sum.result(y.p));
        return true;
    }

private:
    template <class Digit, int N>
    RESIDUA_HD static multidigit_float<Digit, N> number(const exact_digits& x, index_t l)
    {
        return residua::detail::load<Digit, N>(x.start, l * x.along);
    }

    template <class Digit, int N, class Window>
    RESIDUA_HD void add_term(Window& sum, index_t at, const multidigit_float<Digit, N>& x) const
    {
        if constexpr (binary64) {
            const double value = *product.a.at(at, 0);
            const binary64_part a(value);
            if (!(value - value == 0.0)) {
                sum.lose();
            }
            sum.add_product(x, a, (a.negative != x.negative) != product.subtracts);
        } else {
            const auto a = number<Digit, N>(product.a, at);
            sum.add_product(x, a, (a.negative != x.negative) != product.subtracts);
        }
    }
};

}  // namespace residua::blas::detail
