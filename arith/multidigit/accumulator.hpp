#pragma once

#include <residua/arith/multidigit/mul.hpp>

namespace residua {

/// A sum of numbers and products of N digits and p bits, as an integer in units of its own; it rounds once, at the end.
///
/// After the first term t the sum has units of 2^(top - p - 40), with top = e + 16 for |t| < 2^e, e the sum of the
/// exponents of its factors. Every term is cut to whole units, towards zero. Before a term with e > top, top
/// becomes e + 16, and the sum is cut to whole units, downwards. Sums are merged with the largest top of all of them,
/// each cut downwards, in any order. So the result depends on the order of terms, and on p, but not on the digits.
///
/// errors  |result - sum| <= u |sum| + 2 n 2^-22 u max |t|, u = 2^-p, for n <= 2^50 terms and sums merged
/// specials  NaN if a term is or infinities of both signs are; else infinite if a term is
/// from  docs/error_bounds.md, theorem 17
template <machine_digit Digit, int N>
class multidigit_sum {
public:
    static constexpr int digit_bits = detail::bits_of<Digit>;
    static constexpr int digits = N + (digit_bits < 64 ? 3 : 2);  // guard_bits, 2^50 terms, a sign

    static constexpr int guard_bits = 40;
    static constexpr int slack_bits = 16;
    static constexpr std::int64_t nothing = -(std::int64_t{1} << 62);  ///< the top of an empty sum

    /// The state of a sum, for code that moves it.
    struct state {
        Digit digit[digits] = {};  ///< in two's complement
        std::int64_t top = nothing;
        int special = 0;  ///< 1, 2: infinite of one sign or the other; 3: NaN
    };

    multidigit_sum() = default;
    RESIDUA_HD explicit multidigit_sum(const state& s) : s_(s) {}
    RESIDUA_HD const state& get() const { return s_; }

    /// sum <- sum + x y
    RESIDUA_HD void add_product(const multidigit_float<Digit, N>& x, const multidigit_float<Digit, N>& y, int p)
    {
        if (!detail::is_regular(x.exponent) || !detail::is_regular(y.exponent) ||
            !add_usual_product(x.d, y.d, std::int64_t{x.exponent} + y.exponent, x.negative != y.negative, p)) {
            add_unusual_product(x, y, p);
        }
    }

    /// Adds x y for finite numbers other than zero, from their digits, the sum of their exponents and the sign of the
    /// product. If the product takes all digits, nothing is added and false is returned: then, and for all other
    /// numbers, the caller has to call add_unusual_product.
    RESIDUA_HD bool add_usual_product(const Digit (&x)[N], const Digit (&y)[N], std::int64_t exponent, bool negative,
                                      int p)
    {
        constexpr int extra = detail::summand_extra<Digit, N>;
        const int room = make_room(exponent);
        Digit t[term_digits];
        detail::leading_product<extra>(x, y, t);
        if (extra < N && cut_may_change(t)) {
            return false;
        }
        add_term(t, units_below(room, p), negative);
        return true;
    }
    RESIDUA_HD void add_unusual_product(const multidigit_float<Digit, N>& x, const multidigit_float<Digit, N>& y, int p)
    {
        if (!detail::is_regular(x.exponent) || !detail::is_regular(y.exponent)) {
            add_special(detail::special_product(x, y));
        } else {
            const int room = make_room(std::int64_t{x.exponent} + y.exponent);
            add_units(product_in_full(x, y, units_below(room, p)).digit, x.negative != y.negative);
        }
    }

    /// sum <- sum + x d
    RESIDUA_HD void add_product(const multidigit_float<Digit, N>& x, double d, int p)
    {
        const auto factor = to_multidigit<Digit, detail::double_digits<Digit>>(d);
        if (!detail::is_regular(x.exponent) || !detail::is_regular(factor.exponent)) {
            add_special(detail::special_product(x, to_multidigit<Digit, N>(d)));
            return;
        }
        const int below = units_below(make_room(std::int64_t{x.exponent} + factor.exponent), p);
        const bool negative = x.negative != factor.negative;
        if (!add_short_product(x.d, factor.d, negative, below)) {
            Digit t[term_digits];
            detail::multiply(x.d, factor.d, t);
            add_term(t, below, negative);
        }
    }

    /// sum <- sum + x
    RESIDUA_HD void add(const multidigit_float<Digit, N>& x, int p)
    {
        if (!detail::is_regular(x.exponent)) {
            add_special(x);
            return;
        }
        const int room = make_room(x.exponent);
        add_term(detail::widened<term_digits>(x).d, units_below(room, p), x.negative);
    }

    /// Coarser units, for terms below 2^top; the sum is cut downwards. top() <= top
    RESIDUA_HD void raise(std::int64_t top)
    {
        if (s_.top != nothing && s_.top != top) {
            const Digit mask = is_negative() ? ~Digit{0} : 0;
            RESIDUA_UNROLL(N)
            for (int k = 0; k < digits; ++k) {
                s_.digit[k] ^= mask;
            }
            detail::shift_down(s_.digit, top - s_.top);
            RESIDUA_UNROLL(N)
            for (int k = 0; k < digits; ++k) {
                s_.digit[k] ^= mask;
            }
        }
        s_.top = top;
    }

    /// sum <- sum + other, of the same units
    RESIDUA_HD void add_same_units(const multidigit_sum& other)
    {
        s_.special |= other.s_.special;
        detail::add_digits(s_.digit, other.s_.digit, Digit{0});
    }

    /// The sum, rounded to nearest even with p bits.
    RESIDUA_HD multidigit_float<Digit, N> result(int p) const
    {
        if (s_.special != 0) {
            return detail::multidigit_special<Digit, N>(
                s_.special == 3 ? detail::multidigit_nan_code : detail::multidigit_infinity_code, s_.special == 2);
        }
        detail::unrounded<Digit, digits> r{{}, s_.top - p - guard_bits + digit_bits * digits, is_negative()};
        const Digit mask = r.negative ? ~Digit{0} : 0;
        Digit carry = r.negative ? 1 : 0;
        RESIDUA_UNROLL(N)
        for (int k = 0; k < digits; ++k) {
            r.d[k] = detail::add_with_carry(static_cast<Digit>(s_.digit[k] ^ mask), Digit{0}, carry);
        }
        const int zeros = detail::normalize(r.d);
        if (zeros >= digit_bits * digits) {
            return detail::multidigit_special<Digit, N>(detail::multidigit_zero_code);
        }
        r.exponent -= zeros;
        return detail::round_to_nearest<N>(r, p);
    }

private:
    static constexpr int term_digits = digits - 1;  // digits of a product cut short, or of one with a binary64
    static constexpr int least_below = digit_bits * (term_digits - N) - guard_bits;

    /// The number of bits of a term below the units if the top is `room` above its exponent; least_below at least.
    RESIDUA_HD static int units_below(int room, int p) { return digit_bits * term_digits - p - guard_bits + room; }

    RESIDUA_HD bool is_negative() const { return s_.digit[digits - 1] >> (digit_bits - 1) != 0; }

    RESIDUA_HD void add_special(const multidigit_float<Digit, N>& x)
    {
        s_.special |= is_zero(x) ? 0 : is_nan(x) ? 3 : x.negative ? 2 : 1;
    }

    /// Makes room for a term with this exponent. Returns how far the top then lies above the exponent: at most
    /// digit_bits * digits, with which the term has no whole units.
    RESIDUA_HD int make_room(std::int64_t exponent)
    {
        constexpr int most = digit_bits * digits;
        const std::int64_t room = s_.top - exponent;
        if (static_cast<std::uint64_t>(room) < most) {
            return static_cast<int>(room);
        }
        if (room >= 0) {
            return most;
        }
        raise(exponent + slack_bits);
        return slack_bits;
    }

    /// Whether the digits left out of a product might change its whole units. They add less than 2^uncertain_bits to
    /// the last known digit, so they might if all bits from there on that surely lie below the units are ones. This
    /// happens for one of 2^15 products of random operands.
    RESIDUA_HD static bool cut_may_change(const Digit (&t)[term_digits])
    {
        constexpr Digit window = (Digit{1} << least_below) - (Digit{1} << detail::uncertain_bits);
        return (t[0] & window) == window;
    }

    /// s <- s +- the whole units of x f for a factor f of few bits, if one digit still holds f when it is moved down
    /// with `below` to whole digits: then the product is cut between two digits without a shift. Otherwise false.
    RESIDUA_HD bool add_short_product(const Digit (&x)[N], const Digit (&f)[detail::double_digits<Digit>],
                                      bool negative, int below)
    {
        constexpr int last = detail::double_digits<Digit> - 1;
        const int rest = below % digit_bits;
        const int cut = below / digit_bits - last;  // digits
        const Digit lost = (f[last] & ((Digit{1} << rest) - 1)) | (last > 0 ? f[0] : Digit{0});
        if (lost != 0 || cut < 0 || cut > 1) {
            return false;
        }
        Digit product[N + 1];
        detail::multiply(x, static_cast<Digit>(f[last] >> rest), product);
        Digit term[digits] = {};
        RESIDUA_UNROLL(N)
        for (int k = 0; k <= N; ++k) {
            term[k] = cut == 0 ? product[k] : k < N ? product[k < N ? k + 1 : 0] : Digit{0};
        }
        add_units(term, negative);
        return true;
    }

    /// s <- s +- a term, cut to units of the sum: its lowest `below` bits are dropped
    RESIDUA_HD void add_term(const Digit (&t)[term_digits], int below, bool negative)
    {
        Digit term[digits];
        RESIDUA_UNROLL(N)
        for (int k = 0; k < digits; ++k) {
            term[k] = k < term_digits ? t[k < term_digits ? k : 0] : 0;
        }
        detail::shift_down(term, below);
        add_units(term, negative);
    }

    /// s <- s +- t
    RESIDUA_HD void add_units(const Digit (&t)[digits], bool negative)
    {
        const Digit mask = Digit{0} - static_cast<Digit>(negative);
        Digit term[digits];
        RESIDUA_UNROLL(N)
        for (int k = 0; k < digits; ++k) {
            term[k] = t[k] ^ mask;
        }
        detail::add_digits(s_.digit, term, Digit{negative});
    }

    struct units {
        Digit digit[digits];
    };

    /// The whole units of |x y|, where `below` bits of a term lie below them. The sum itself is not passed: it would
    /// have to lie in memory.
    RESIDUA_HD_RARE static units product_in_full(multidigit_float<Digit, N> x, multidigit_float<Digit, N> y, int below)
    {
        constexpr int all = 2 * N > digits ? 2 * N : digits;
        Digit whole[all] = {};
        {
            Digit d[2 * N];
            detail::leading_product<N>(x.d, y.d, d);
            for (int k = 0; k < 2 * N; ++k) {
                whole[all - 2 * N + k] = d[k];
            }
        }
        detail::shift_down(whole, digit_bits * (all - term_digits) + below);
        units t;
        for (int k = 0; k < digits; ++k) {
            t.digit[k] = whole[k];
        }
        return t;
    }

    state s_;
};

/// The sum of `count` sums, merged.
template <class Digit, int N>
multidigit_sum<Digit, N> merged(const multidigit_sum<Digit, N>* sums, std::int64_t count)
{
    multidigit_sum<Digit, N> total;
    std::int64_t top = total.get().top;
    for (std::int64_t k = 0; k < count; ++k) {
        top = sums[k].get().top > top ? sums[k].get().top : top;
    }
    total.raise(top);
    for (std::int64_t k = 0; k < count; ++k) {
        multidigit_sum<Digit, N> next = sums[k];
        next.raise(top);
        total.add_same_units(next);
    }
    return total;
}

}  // namespace residua
