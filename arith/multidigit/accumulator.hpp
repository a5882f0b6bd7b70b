#pragma once

#include <residua/arith/multidigit/mul.hpp>

namespace residua {

/// A sum of numbers and products of N digits and p bits, as a whole number of units that rounds once, at the end.
///
/// After the first term t the sum has units of 2^(top - p - 40), with top = e + 16 for |t| < 2^e, e the sum of the
/// exponents of its factors. Every term is cut to whole units, towards zero. Before a term with e > top, top
/// becomes e + 16, and the sum is cut to whole units, downwards. Two sums merge with the larger top, the other cut
/// downwards. So the result depends on the order of terms, and on p, but not on the digits.
///
/// errors  |result - sum| <= u |sum| + 2 n 2^-22 u max |t|, u = 2^-p, for n <= 2^50 terms and merges
/// specials  NaN if a term is or infinities of both signs are; else infinite if a term is
/// from  docs/error_bounds.md, theorem 17
template <machine_digit Digit, int N>
class multidigit_sum {
public:
    static constexpr int digit_bits = detail::bits_of<Digit>;

    RESIDUA_HD multidigit_sum() = default;

    /// sum <- sum + x y
    RESIDUA_HD void add_product(const multidigit_float<Digit, N>& x, const multidigit_float<Digit, N>& y, int p)
    {
        if (!detail::is_regular(x.exponent) || !detail::is_regular(y.exponent)) {
            add_special(detail::special_product(x, y));
            return;
        }
        constexpr int extra = detail::summand_extra<Digit, N>;
        const std::int64_t exponent = std::int64_t{x.exponent} + y.exponent;
        Digit t[digits] = {};
        {
            Digit d[N + extra];
            detail::leading_product<extra>(x.d, y.d, d);
            RESIDUA_UNROLL(N)
            for (int k = 0; k < N + extra; ++k) {
                t[digits - N - extra + k] = d[k];
            }
        }
        make_room(exponent);
        if constexpr (extra < N) {
            if (cut_may_change(t, units_below(exponent, p))) {
                add_product_in_full(x, y, p);
                return;
            }
        }
        add_units(t, units_below(exponent, p), x.negative != y.negative);
    }

    /// sum <- sum + x d
    RESIDUA_HD void add_product(const multidigit_float<Digit, N>& x, double d, int p)
    {
        const auto factor = to_multidigit<Digit, detail::double_digits<Digit>>(d);
        if (!detail::is_regular(x.exponent) || !detail::is_regular(factor.exponent)) {
            add_special(detail::special_product(x, to_multidigit<Digit, N>(d)));
            return;
        }
        detail::unrounded<Digit, digits> product =
            detail::product_with<digits - N - detail::double_digits<Digit>>(x, factor);
        make_room(std::int64_t{x.exponent} + factor.exponent);
        add_units(product.d, units_below(product.exponent, p), product.negative);
    }

    /// sum <- sum + x
    RESIDUA_HD void add(const multidigit_float<Digit, N>& x, int p)
    {
        if (!detail::is_regular(x.exponent)) {
            add_special(x);
            return;
        }
        auto term = detail::widened<digits>(x);
        make_room(term.exponent);
        add_units(term.d, units_below(term.exponent, p), term.negative);
    }

    /// sum <- sum + other
    RESIDUA_HD void merge(multidigit_sum other)
    {
        special_ |= other.special_;
        if (other.top_ == nothing) {
            return;
        }
        if (top_ < other.top_) {
            raise(other.top_);
        } else {
            other.raise(top_);
        }
        detail::add_digits(s_, other.s_, Digit{0});
    }

    /// The sum, rounded to nearest even with p bits.
    RESIDUA_HD multidigit_float<Digit, N> result(int p) const
    {
        if (special_ != 0) {
            return detail::multidigit_special<Digit, N>(
                special_ == 3 ? detail::multidigit_nan_code : detail::multidigit_infinity_code, special_ == 2);
        }
        detail::unrounded<Digit, digits> r{{}, top_ - p - guard_bits + digit_bits * digits, is_negative()};
        const Digit mask = r.negative ? ~Digit{0} : 0;
        Digit carry = r.negative ? 1 : 0;
        RESIDUA_UNROLL(N)
        for (int k = 0; k < digits; ++k) {
            r.d[k] = detail::add_with_carry(static_cast<Digit>(s_[k] ^ mask), Digit{0}, carry);
        }
        const int zeros = detail::normalize(r.d);
        if (zeros >= digit_bits * digits) {
            return detail::multidigit_special<Digit, N>(detail::multidigit_zero_code);
        }
        r.exponent -= zeros;
        return detail::rounded<N>(r, p);
    }

private:
    static constexpr int guard_bits = 40;
    static constexpr int slack_bits = 16;
    static constexpr int digits = N + (digit_bits < 64 ? 3 : 2);  // guard_bits, 2^50 terms, a sign
    static constexpr std::int64_t nothing = -(std::int64_t{1} << 62);

    /// How many bits of a term of `digits` digits with this exponent lie below the units.
    RESIDUA_HD std::int64_t units_below(std::int64_t exponent, int p) const
    {
        return digit_bits * digits - p - guard_bits + (top_ - exponent);
    }

    RESIDUA_HD bool is_negative() const { return s_[digits - 1] >> (digit_bits - 1) != 0; }

    RESIDUA_HD void add_special(const multidigit_float<Digit, N>& x)
    {
        special_ |= is_zero(x) ? 0 : is_nan(x) ? 3 : x.negative ? 2 : 1;
    }

    /// Coarser units, for terms below 2^top.
    RESIDUA_HD void raise(std::int64_t top)
    {
        if (top_ == nothing) {
            top_ = top;
            return;
        }
        const Digit mask = is_negative() ? ~Digit{0} : 0;
        RESIDUA_UNROLL(N)
        for (int k = 0; k < digits; ++k) {
            s_[k] ^= mask;
        }
        detail::shift_down(s_, top - top_);
        RESIDUA_UNROLL(N)
        for (int k = 0; k < digits; ++k) {
            s_[k] ^= mask;
        }
        top_ = top;
    }

    RESIDUA_HD void make_room(std::int64_t exponent)
    {
        if (exponent > top_) {
            raise(exponent + slack_bits);
        }
    }

    /// Whether the whole units of a product might change with the digits left out, which add less than
    /// 2^uncertain_bits to the last of those that are known.
    RESIDUA_HD static bool cut_may_change(const Digit (&t)[digits], std::int64_t below)
    {
        constexpr int unknown = digits - N - detail::summand_extra<Digit, N>;  // digits behind the known ones
        const std::int64_t known = below - digit_bits * unknown;               // bits of these below the units
        if (known <= detail::uncertain_bits) {
            return true;
        }
        using two = detail::two_digits_t<Digit>;
        const two low = static_cast<two>(t[unknown + 1]) << digit_bits | t[unknown];
        const two below_units = known < 2 * digit_bits ? (two{1} << known) - 1 : ~two{0};
        const two window = below_units & ~((two{1} << detail::uncertain_bits) - 1);
        return (low & window) == window;
    }

    /// s <- s +- floor(t / 2^below)
    RESIDUA_HD void add_units(Digit (&t)[digits], std::int64_t below, bool negative)
    {
        detail::shift_down(t, below);
        const Digit mask = negative ? ~Digit{0} : 0;
        RESIDUA_UNROLL(N)
        for (int k = 0; k < digits; ++k) {
            t[k] ^= mask;
        }
        detail::add_digits(s_, t, Digit{negative});
    }

    RESIDUA_HD_RARE void add_product_in_full(multidigit_float<Digit, N> x, multidigit_float<Digit, N> y, int p)
    {
        constexpr int all = 2 * N > digits ? 2 * N : digits;
        const std::int64_t exponent = std::int64_t{x.exponent} + y.exponent;
        Digit whole[all] = {};
        {
            Digit d[2 * N];
            detail::leading_product<N>(x.d, y.d, d);
            for (int k = 0; k < 2 * N; ++k) {
                whole[all - 2 * N + k] = d[k];
            }
        }
        detail::shift_down(whole, digit_bits * (all - digits) + units_below(exponent, p));
        Digit t[digits];
        for (int k = 0; k < digits; ++k) {
            t[k] = whole[k];
        }
        add_units(t, 0, x.negative != y.negative);
    }

    Digit s_[digits] = {};  // two's complement
    std::int64_t top_ = nothing;
    int special_ = 0;  // 1, 2: infinite of one sign or the other; 3: NaN
};

}  // namespace residua
