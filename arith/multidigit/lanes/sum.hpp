#pragma once

#if defined(__x86_64__)

#include <bit>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/multidigit/accumulator.hpp>
#include <residua/arith/multidigit/lanes/product.hpp>

namespace residua::detail::lanes {

/// Eight doubles, exactly, from their bits.
RESIDUA_IFMA inline numbers<2> to_numbers(lane bits)
{
    constexpr auto hidden = static_cast<std::int64_t>(fraction_mask) + 1;
    const lane field = _mm512_srli_epi64(bits, fraction_bits) & all(0x7ff);
    const lane fraction = bits & all(hidden - 1);
    const lane_mask normal = _mm512_test_epi64_mask(field, field);
    const lane whole = _mm512_mask_or_epi64(fraction, normal, fraction, all(hidden));
    const lane up = _mm512_lzcnt_epi64(whole);
    const lane top = _mm512_sllv_epi64(whole, up);
    numbers<2> x;
    x.not_finite = _mm512_cmpeq_epi64_mask(field, all(0x7ff));
    x.nan = x.not_finite & _mm512_test_epi64_mask(fraction, fraction);
    x.regular = static_cast<lane_mask>(~x.not_finite & _mm512_test_epi64_mask(whole, whole));
    x.negative = _mm512_movepi64_mask(bits);
    x.exponent = _mm512_max_epi64(field, all(1)) - all(1075 - 64) - up;
    x.d[1] = _mm512_srli_epi64(top, 13);
    x.d[0] = _mm512_slli_epi64(top, 39) & all(digit_mask);
    return x;
}

/// Eight sums, each a multidigit_sum with its bits.
///
/// A sum is s 2^(top + 2 - 52 M), s of M digits and one that takes carries: the lowest 52 M - p - 42 bits are below the
/// units of multidigit_sum, and zero. Between calls digits are signed, and below 2^62.
template <int M>
class sums {
public:
    RESIDUA_IFMA sums(size_of_numbers<M> m, int p) : m_(m), fraction_bits_(digit_bits * m - p - 42) { clear(); }

    RESIDUA_IFMA void clear()
    {
        each_digit([&](int k) RESIDUA_IFMA { s_[k] = zeros(); });
        top_ = all(nothing);
        special_[0] = special_[1] = 0;
        terms_ = 0;
    }

    /// sum <- sum + x y in these lanes; factors of size().factors() digits
    template <class A, class B>
    RESIDUA_IFMA void add_product(const heads& x, const A& digits_of_x, const heads& y, const B& digits_of_y,
                                  lane_mask in)
    {
        lane t[capacity<M> + 2];
        leading_product(digits_of_x, digits_of_y, m_, t);
        if (((x.not_finite | y.not_finite) & in) != 0) {
            add_special_products(x, y, in);
        }
        lane_mask adds = x.regular & y.regular & in;
        const lane exponent = x.exponent + y.exponent;
        const lane_mask negative = x.negative ^ y.negative;
        make_room(adds, exponent);
        // the lowest digit lies below the units: what is left out carries into them only if its upper bits are ones
        const lane_mask undecided =
            _mm512_mask_cmpeq_epi64_mask(adds, t[0] | all((1 << carried_bits) - 1), all(digit_mask));
        if (undecided != 0) {
            add_in_full(digits_of_x, digits_of_y, exponent, undecided, negative);
            adds &= ~undecided;
        }
        add_units<M + 1>(t, m_.behind(), top_ - exponent, adds, negative);
    }

    /// sum <- sum + x d in these lanes; x of size() digits
    RESIDUA_IFMA void add_product(const numbers<M>& x, const numbers<2>& d, lane_mask in)
    {
        lane t[capacity<M> + 3];
        product_with<M>(x.d, d.d, m_, t);
        if (((x.not_finite | d.not_finite) & in) != 0) {
            add_special_products(x, d, in);
        }
        const lane_mask adds = x.regular & d.regular & in;
        const lane exponent = x.exponent + d.exponent;
        make_room(adds, exponent);
        add_units<M + 2>(t, 2, top_ - exponent, adds, x.negative ^ d.negative);
    }

    /// sum <- sum + |x| in these lanes
    RESIDUA_IFMA void add_magnitude(const numbers<M>& x, lane_mask in)
    {
        special_[0] |= x.not_finite & in;
        special_[1] |= x.nan & in;
        make_room(x.regular & in, x.exponent);
        lane t[capacity<M> + 1];
        each<M>(0, m_, [&](int k) RESIDUA_IFMA { t[k] = x.d[k]; });
        add_units<M>(t, 0, top_ - x.exponent + all(1), x.regular & in, 0);
    }

    /// Coarser units in these lanes, where top() <= top.
    RESIDUA_IFMA_CALL void raise(lane_mask in, lane top)
    {
        const lane_mask filled = in & _mm512_cmpneq_epi64_mask(top_, all(nothing));
        if (filled != 0) {
            settle();
            const int size = m_ + 1;
            const lane fill = _mm512_srai_epi64(s_[m_], 63) & all(digit_mask);
            s_[m_] = s_[m_] & all(digit_mask);
            lane distance = _mm512_min_epi64(only(filled, top - top_), all(std::int64_t{digit_bits} * size));
            if (_mm512_cmpge_epi64_mask(distance, all(digit_bits)) != 0) {
                const lane q = whole_digits(distance);
                move_down(s_, size, q, fill);
                distance = distance - _mm512_mullo_epi64(q, all(digit_bits));
            }
            each_digit([&](int k) RESIDUA_IFMA {
                s_[k] = shifted_down(k + 1 < size ? s_[k + 1 < size ? k + 1 : 0] : fill, s_[k], distance);
            });
            s_[0] = cut(s_[0]);
            s_[m_] = _mm512_srai_epi64(_mm512_slli_epi64(s_[m_], 64 - digit_bits), 64 - digit_bits);
        }
        top_ = choose(in, top, top_);
    }

    /// sum <- sum + other, of the same units
    RESIDUA_IFMA void add_same_units(sums& other)
    {
        settle();
        other.settle();
        each_digit([&](int k) RESIDUA_IFMA { s_[k] = s_[k] + other.s_[k]; });
        special_[0] |= other.special_[0];
        special_[1] |= other.special_[1];
        terms_ = 2;
    }

    RESIDUA_IFMA size_of_numbers<M> size() const { return m_; }
    RESIDUA_IFMA lane top() const { return top_; }
    RESIDUA_IFMA lane_mask not_finite() const { return special_[0] | special_[1]; }

    /// |s|, of M + 1 digits; returns where it is negative.
    RESIDUA_IFMA lane_mask magnitudes(lane* d)
    {
        settle();
        const lane_mask negative = _mm512_movepi64_mask(s_[m_]);
        each_digit([&](int k) RESIDUA_IFMA { d[k] = _mm512_mask_sub_epi64(s_[k], negative, zeros(), s_[k]); });
        carry<digits>(d, m_ + 1);
        return negative;
    }

    /// The sum of all lanes, of the same units, as a multidigit_sum of 64-bit digits.
    RESIDUA_IFMA_CALL void add_lanes(std::uint64_t* units, int size, std::int64_t& top, int& special)
    {
        settle();
        std::int64_t over = 0;
        each_digit([&](int k) RESIDUA_IFMA {
            const std::int64_t digit = _mm512_reduce_add_epi64(s_[k]) + over;
            over = digit >> digit_bits;
            s_[k] = all(k < m_ ? digit & digit_mask : digit);
        });
        for (int k = 0; k < size; ++k) {
            units[k] = 0;
        }
        units[0] = static_cast<std::uint64_t>(s_[0][0] >> fraction_bits_);
        for (int k = 1; k <= m_; ++k) {
            const int at = digit_bits * k - fraction_bits_;
            __extension__ const auto digit = static_cast<unsigned __int128>(static_cast<__int128>(s_[k][0]))
                                             << at % 64;
            units[at / 64] |= static_cast<std::uint64_t>(digit);
            units[at / 64 + 1] |= static_cast<std::uint64_t>(digit >> 64);
        }
        for (int k = (digit_bits * m_ - fraction_bits_) / 64 + 2; k < size; ++k) {
            units[k] = static_cast<std::uint64_t>(s_[m_][0] >> 63);
        }
        top = top_[0];
        special = (special_[0] != 0 ? 1 : 0) | (special_[1] != 0 ? 2 : 0);
    }

private:
    static constexpr int digits = M == 0 ? 0 : M + 1;
    static constexpr std::int64_t nothing = multidigit_sum<std::uint64_t, 1>::nothing;
    static constexpr int most_terms = 1000;  // below 2^52 each

    template <class F>
    RESIDUA_IFMA void each_digit(const F& f)
    {
        each<digits>(0, m_ + 1, f);
    }

    RESIDUA_IFMA lane cut(lane lowest) const
    {
        return _mm512_andnot_si512(all((std::int64_t{1} << fraction_bits_) - 1), lowest);
    }

    RESIDUA_IFMA void settle()
    {
        carry<digits>(s_, m_ + 1);
        terms_ = 1;
    }

    RESIDUA_IFMA_CALL void add_special_products(const heads& x, const heads& y, lane_mask in)
    {
        const lane_mask zero_x = ~(x.regular | x.not_finite);
        const lane_mask zero_y = ~(y.regular | y.not_finite);
        const lane_mask is_special = (x.not_finite | y.not_finite) & in;
        const lane_mask is_nan = is_special & (x.nan | y.nan | zero_x | zero_y);
        special_[0] |= is_nan | (is_special & ~(x.negative ^ y.negative));
        special_[1] |= is_nan | (is_special & (x.negative ^ y.negative));
    }

    RESIDUA_IFMA void make_room(lane_mask in, lane exponent)
    {
        const lane_mask higher = _mm512_mask_cmpgt_epi64_mask(in, exponent, top_);
        if (higher != 0) {
            raise(higher, exponent + all(multidigit_sum<std::uint64_t, 1>::slack_bits));
        }
    }

    /// s <- s +- the whole units of t / 2^below in these lanes, t = 0.t 2^(exponent + 2); its highest M digits follow
    /// `behind` others, and t has room for one more.
    template <int Digits>
    RESIDUA_IFMA void add_units(lane* t, int behind, lane below, lane_mask adds, lane_mask negative)
    {
        constexpr int most = M == 0 ? 0 : Digits;
        const int size = m_ + behind;
        adds = _mm512_mask_cmplt_epi64_mask(adds, below, all(std::int64_t{digit_bits} * m_));
        lane r = only(adds, below);
        if (_mm512_cmpge_epi64_mask(r, all(digit_bits)) != 0) {
            lane moved[M == 0 ? 2 * most_digits : Digits];
            each<most>(0, size, [&](int k) RESIDUA_IFMA { moved[k] = t[k]; });
            const lane q = whole_digits(r);
            move_down(moved, size, q, zeros());
            each<most>(0, size, [&](int k) RESIDUA_IFMA { t[k] = moved[k]; });
            r = r - _mm512_mullo_epi64(q, all(digit_bits));
        }
        t[size] = zeros();
        const lane_mask plus = adds & ~negative;
        const lane_mask minus = adds & negative;
        const auto add_digit = [&](int k, lane units) RESIDUA_IFMA {
            const lane sum = _mm512_mask_add_epi64(s_[k], plus, s_[k], units);
            s_[k] = _mm512_mask_sub_epi64(sum, minus, sum, units);
        };
        add_digit(0, cut(shifted_down(t[behind + 1], t[behind], r)));
        each<M>(1, m_, [&](int k) RESIDUA_IFMA {
            add_digit(k, shifted_down(t[k + behind + 1], t[k + behind], r));
        });
        if (++terms_ > most_terms) {
            settle();
        }
    }

    /// As add_product in these lanes, from all digits of x y.
    template <class A, class B>
    RESIDUA_IFMA_CALL void add_in_full(const A& x, const B& y, lane exponent, lane_mask in, lane_mask negative)
    {
        lane t[2 * capacity<M> + 1];
        whole_product(x, y, m_.factors(), t);
        add_units<2 * M>(t, 2 * m_.factors() - m_, top_ - exponent, in, negative);
    }

    lane s_[capacity<M> + 1];
    lane top_;
    lane_mask special_[2];  // infinite of one sign, the other; both for NaN
    [[no_unique_address]] size_of_numbers<M> m_;
    int terms_;
    int fraction_bits_;
};

/// The sum of n times eight sums, merged.
template <int M>
RESIDUA_IFMA inline void merged(sums<M>* sum, int n, std::uint64_t* units, int size, std::int64_t& top, int& special)
{
    lane most = sum[0].top();
    for (int k = 1; k < n; ++k) {
        most = _mm512_max_epi64(most, sum[k].top());
    }
    most = all(_mm512_reduce_max_epi64(most));
    for (int k = 0; k < n; ++k) {
        sum[k].raise(_mm512_cmplt_epi64_mask(sum[k].top(), most), most);
        if (k > 0) {
            sum[0].add_same_units(sum[k]);
        }
    }
    sum[0].add_lanes(units, size, top, special);
}

}  // namespace residua::detail::lanes

#endif
