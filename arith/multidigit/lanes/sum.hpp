#pragma once

#if defined(__x86_64__)

#include <bit>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/multidigit/accumulator.hpp>
#include <residua/arith/multidigit/lanes/product.hpp>

namespace RESIDUA_LANES_NAMESPACE {

/// Doubles, exactly, from their bits.
RESIDUA_LANES inline numbers<2> to_numbers(lane bits)
{
    constexpr auto hidden = static_cast<std::int64_t>(fraction_mask) + 1;
    const lane field = shifted_right(bits, fraction_bits) & all(0x7ff);
    const lane fraction = bits & all(hidden - 1);
    const lane_mask normal = has_any(field, field);
    const lane whole = or_where(normal, fraction, all(hidden));
    const lane up = leading_zeros(whole);
    const lane top = shifted_left(whole, up);
    numbers<2> x;
    x.not_finite = equal(field, all(0x7ff));
    x.nan = x.not_finite & has_any(fraction, fraction);
    x.regular = static_cast<lane_mask>(~x.not_finite & has_any(whole, whole));
    x.negative = is_negative(bits);
    x.exponent = larger(field, all(1)) - all(1075 - 64) - up;
    x.d[1] = shifted_right(top, 13);
    x.d[0] = shifted_left(top, 39) & all(digit_mask);
    return x;
}

/// One sum in each lane, with the bits of a multidigit_sum.
///
/// A sum is s 2^(top + 2 - 52 M), s of M digits and one that takes carries: the lowest 52 M - p - 42 bits are below the
/// units of multidigit_sum, and zero. Between calls digits are signed, and below 2^62.
template <int M>
class sums {
public:
    RESIDUA_LANES sums(size_of_numbers<M> m, int p) : m_(m), fraction_bits_(digit_bits * m - p - 42) { clear(); }

    RESIDUA_LANES void clear()
    {
        each_digit([&](int k) RESIDUA_LANES { s_[k] = zeros(); });
        top_ = all(nothing);
        special_[0] = special_[1] = no_lanes();
        terms_ = 0;
    }

    /// sum <- sum + x y in these lanes; factors of size().factors() digits
    template <class A, class B>
    RESIDUA_LANES void add_product(const heads& x, const A& digits_of_x, const heads& y, const B& digits_of_y,
                                   lane_mask in)
    {
        lane t[capacity<M> + 2];
        leading_product(digits_of_x, digits_of_y, m_, t);
        if (any((x.not_finite | y.not_finite) & in)) {
            add_special_products(x, y, in);
        }
        lane_mask adds = x.regular & y.regular & in;
        const lane exponent = x.exponent + y.exponent;
        const lane_mask negative = x.negative ^ y.negative;
        make_room(adds, exponent);
        // the lowest digit lies below the units: what is left out carries into them only if its upper bits are ones
        const lane_mask undecided = adds & equal(t[0] | all((1 << carried_bits) - 1), all(digit_mask));
        if (any(undecided)) {
            add_in_full(digits_of_x, digits_of_y, exponent, undecided, negative);
            adds &= ~undecided;
        }
        add_units<M + 1>(t, m_.behind(), top_ - exponent, adds, negative);
    }

    /// sum <- sum + x d in these lanes; x of size() digits
    RESIDUA_LANES void add_product(const numbers<M>& x, const numbers<2>& d, lane_mask in)
    {
        lane t[capacity<M> + 3];
        product_with<M>(x.d, d.d, m_, t);
        if (any((x.not_finite | d.not_finite) & in)) {
            add_special_products(x, d, in);
        }
        const lane_mask adds = x.regular & d.regular & in;
        const lane exponent = x.exponent + d.exponent;
        make_room(adds, exponent);
        add_units<M + 2>(t, 2, top_ - exponent, adds, x.negative ^ d.negative);
    }

    /// sum <- sum + |x| in these lanes
    RESIDUA_LANES void add_magnitude(const numbers<M>& x, lane_mask in)
    {
        special_[0] |= x.not_finite & in;
        special_[1] |= x.nan & in;
        make_room(x.regular & in, x.exponent);
        lane t[capacity<M> + 1];
        each<M>(0, m_, [&](int k) RESIDUA_LANES { t[k] = x.d[k]; });
        add_units<M>(t, 0, top_ - x.exponent + all(1), x.regular & in, no_lanes());
    }

    /// Coarser units in these lanes, where top() <= top.
    RESIDUA_LANES_CALL void raise(lane_mask in, lane top)
    {
        const lane_mask filled = in & ~equal(top_, all(nothing));
        if (any(filled)) {
            settle();
            const int size = m_ + 1;
            const lane fill = floor_shifted(s_[m_], 63) & all(digit_mask);
            s_[m_] = s_[m_] & all(digit_mask);
            lane distance = lesser(only(filled, top - top_), all(std::int64_t{digit_bits} * size));
            if (any(greater(distance, all(digit_bits - 1)))) {
                const lane q = integer_digits(distance);
                move_down(s_, size, q, fill);
                distance = distance - short_product(q, all(digit_bits));
            }
            each_digit([&](int k) RESIDUA_LANES {
                s_[k] = shifted_down(k + 1 < size ? s_[k + 1 < size ? k + 1 : 0] : fill, s_[k], distance);
            });
            s_[0] = cut(s_[0]);
            s_[m_] = floor_shifted(shifted_left(s_[m_], 64 - digit_bits), 64 - digit_bits);
        }
        top_ = choose(in, top, top_);
    }

    /// sum <- sum + other, of the same units
    RESIDUA_LANES void add_same_units(sums& other)
    {
        settle();
        other.settle();
        each_digit([&](int k) RESIDUA_LANES { s_[k] = s_[k] + other.s_[k]; });
        special_[0] |= other.special_[0];
        special_[1] |= other.special_[1];
        terms_ = 2;
    }

    RESIDUA_LANES size_of_numbers<M> size() const { return m_; }
    RESIDUA_LANES lane top() const { return top_; }
    RESIDUA_LANES lane_mask not_finite() const { return special_[0] | special_[1]; }

    /// |s|, of M + 1 digits; returns where it is negative.
    RESIDUA_LANES lane_mask magnitudes(lane* d)
    {
        settle();
        const lane_mask negative = is_negative(s_[m_]);
        each_digit([&](int k) RESIDUA_LANES { d[k] = negated_where(negative, s_[k]); });
        carry<digits>(d, m_ + 1);
        return negative;
    }

    /// The sum of all lanes, of the same units, as a multidigit_sum of 64-bit digits.
    RESIDUA_LANES_CALL void add_lanes(std::uint64_t* units, int size, std::int64_t& top, int& special)
    {
        settle();
        std::int64_t over = 0;
        each_digit([&](int k) RESIDUA_LANES {
            const std::int64_t digit = sum_of_lanes(s_[k]) + over;
            over = digit >> digit_bits;
            s_[k] = all(k < m_ ? digit & digit_mask : digit);
        });
        for (int k = 0; k < size; ++k) {
            units[k] = 0;
        }
        units[0] = static_cast<std::uint64_t>(s_[0][0] >> fraction_bits_);
        for (int k = 1; k <= m_; ++k) {
            const int at = digit_bits * k - fraction_bits_;
            __extension__ const auto digit = static_cast<unsigned __int128>(static_cast<__int128>(s_[k][0])) << at % 64;
            units[at / 64] |= static_cast<std::uint64_t>(digit);
            units[at / 64 + 1] |= static_cast<std::uint64_t>(digit >> 64);
        }
        for (int k = (digit_bits * m_ - fraction_bits_) / 64 + 2; k < size; ++k) {
            units[k] = static_cast<std::uint64_t>(s_[m_][0] >> 63);
        }
        top = top_[0];
        special = (any(special_[0]) ? 1 : 0) | (any(special_[1]) ? 2 : 0);
    }

private:
    static constexpr int digits = M == 0 ? 0 : M + 1;
    static constexpr std::int64_t nothing = multidigit_sum<std::uint64_t, 1>::nothing;
    static constexpr int most_terms = 1000;  // below 2^52 each

    template <class F>
    RESIDUA_LANES void each_digit(const F& f)
    {
        each<digits>(0, m_ + 1, f);
    }

    RESIDUA_LANES lane cut(lane lowest) const { return without(lowest, all((std::int64_t{1} << fraction_bits_) - 1)); }

    RESIDUA_LANES void settle()
    {
        carry<digits>(s_, m_ + 1);
        terms_ = 1;
    }

    RESIDUA_LANES_CALL void add_special_products(const heads& x, const heads& y, lane_mask in)
    {
        const lane_mask zero_x = ~(x.regular | x.not_finite);
        const lane_mask zero_y = ~(y.regular | y.not_finite);
        const lane_mask is_special = (x.not_finite | y.not_finite) & in;
        const lane_mask is_nan = is_special & (x.nan | y.nan | zero_x | zero_y);
        special_[0] |= is_nan | (is_special & ~(x.negative ^ y.negative));
        special_[1] |= is_nan | (is_special & (x.negative ^ y.negative));
    }

    RESIDUA_LANES void make_room(lane_mask in, lane exponent)
    {
        const lane_mask higher = in & greater(exponent, top_);
        if (any(higher)) {
            raise(higher, exponent + all(multidigit_sum<std::uint64_t, 1>::slack_bits));
        }
    }

    /// s <- s +- the whole units of t / 2^below in these lanes, t = 0.t 2^(exponent + 2); its highest M digits follow
    /// `behind` others, and t has room for one more.
    template <int Digits>
    RESIDUA_LANES void add_units(lane* t, int behind, lane below, lane_mask adds, lane_mask negative)
    {
        constexpr int most = M == 0 ? 0 : Digits;
        const int size = m_ + behind;
        adds = adds & greater(all(std::int64_t{digit_bits} * m_), below);
        lane r = only(adds, below);
        if (any(greater(r, all(digit_bits - 1)))) {
            lane moved[M == 0 ? 2 * most_digits : Digits];
            each<most>(0, size, [&](int k) RESIDUA_LANES { moved[k] = t[k]; });
            const lane q = integer_digits(r);
            move_down(moved, size, q, zeros());
            each<most>(0, size, [&](int k) RESIDUA_LANES { t[k] = moved[k]; });
            r = r - short_product(q, all(digit_bits));
        }
        t[size] = zeros();
        const lane_mask plus = adds & ~negative;
        const lane_mask minus = adds & negative;
        const auto add_digit = [&](int k, lane units) RESIDUA_LANES {
            const lane sum = add_where(plus, s_[k], units);
            s_[k] = subtract_where(minus, sum, units);
        };
        add_digit(0, cut(shifted_down(t[behind + 1], t[behind], r)));
        each<M>(1, m_, [&](int k) RESIDUA_LANES { add_digit(k, shifted_down(t[k + behind + 1], t[k + behind], r)); });
        if (++terms_ > most_terms) {
            settle();
        }
    }

    /// Adds x y in these lanes as add_product does, but from all of its digits.
    template <class A, class B>
    RESIDUA_LANES_CALL void add_in_full(const A& x, const B& y, lane exponent, lane_mask in, lane_mask negative)
    {
        lane t[2 * capacity<M> + 1];
        product_in_full(x, y, m_.factors(), t);
        add_units<2 * M>(t, 2 * m_.factors() - m_, top_ - exponent, in, negative);
    }

    lane s_[capacity<M> + 1];
    lane top_;
    lane_mask special_[2];  // infinite with one sign, and with the other; both for NaN
    size_of_numbers<M> m_;
    int terms_;
    int fraction_bits_;
};

/// The sum of n times `count` sums, merged.
template <int M>
RESIDUA_LANES inline void merged(sums<M>* sum, int n, std::uint64_t* units, int size, std::int64_t& top, int& special)
{
    lane most = sum[0].top();
    for (int k = 1; k < n; ++k) {
        most = larger(most, sum[k].top());
    }
    most = all(largest_of_lanes(most));
    for (int k = 0; k < n; ++k) {
        sum[k].raise(greater(most, sum[k].top()), most);
        if (k > 0) {
            sum[0].add_same_units(sum[k]);
        }
    }
    sum[0].add_lanes(units, size, top, special);
}

}  // namespace RESIDUA_LANES_NAMESPACE

#endif
