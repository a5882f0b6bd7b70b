#pragma once

#if defined(__x86_64__)

#include <residua/arith/multidigit/lanes/sum.hpp>

namespace RESIDUA_LANES_NAMESPACE {

/// A result is uncertain by less than 2^unsure_bits in its last place: the digits of a product behind it are cut off,
/// and one unit is subtracted where a sticky bit is set.
inline constexpr int unsure_bits = 2;

/// Results before rounding: (-1)^negative 0.d 2^exponent, plus something between 0 and 1 in the last place if sticky is
/// set.
template <int M>
struct unrounded_results {
    lane d[capacity<M> + 1];
    lane exponent;
    lane_mask negative;
    lane_mask sticky{};
    lane_mask uncertain{};
};

/// Results rounded to nearest even: 0.d 2^exponent with the highest bit of d set, or zero. In the lanes `open` they are
/// not usable: undecided by the known digits, beyond the range, or not finite.
template <int M>
struct results {
    lane d[capacity<M>];
    lane exponent;
    lane_mask negative;
    lane_mask zero;
    lane_mask open;
};

/// Rounding to p bits of the two lowest digits of M: no other digit has bits that are dropped.
class rounding {
public:
    RESIDUA_LANES rounding(int digits, int p)
    {
        const int low = digit_bits * digits - p;  // 20 <= low < 94
        for (int k = 0; k < 2; ++k) {
            const int here = low - digit_bits * k;
            const bool some = here > 0 && here <= digit_bits;
            half[k] = some ? std::int64_t{1} << (here - 1) : 0;
            tail[k] = here > digit_bits ? digit_mask : some ? half[k] - 1 : 0;
            last[k] = here >= 0 && here < digit_bits ? std::int64_t{1} << here : 0;
        }
    }

    std::int64_t half[2], tail[2], last[2];
};

/// d <- d 2^shift with the highest bit of the highest digit set; zero stays. Returns the shift.
template <int Digits>
RESIDUA_LANES inline lane normalize(lane* d, int digits)
{
    lane q = zeros();
    if (any(is_zero(d[digits - 1]))) {
        lane moved[Digits == 0 ? most_digits + 1 : Digits];
        each<Digits>(0, digits, [&](int k) RESIDUA_LANES { moved[k] = d[k]; });
        q = move_up(moved, digits);
        each<Digits>(0, digits, [&](int k) RESIDUA_LANES { d[k] = moved[k]; });
    }
    const lane up = leading_zeros(d[digits - 1]) - all(64 - digit_bits);
    const lane down = all(digit_bits) - up;
    each<Digits>(0, digits, [&](int j) RESIDUA_LANES {
        const int k = digits - 1 - j;
        d[k] =
            (shifted_left(d[k], up) & all(digit_mask)) | (k > 0 ? shifted_right(d[k > 0 ? k - 1 : 0], down) : zeros());
    });
    return up + short_product(q, all(digit_bits));
}

/// r <- x, of m digits and `Behind` (0 or 1) more at the end, rounded; x is used up.
template <int M, int Behind>
RESIDUA_LANES inline void round(size_of_numbers<M> m, unrounded_results<M>& x, const rounding& to, results<M>& r)
{
    const lane shift = normalize < M == 0 ? 0 : M + Behind > (x.d, m + Behind);
    if constexpr (Behind > 0) {
        x.sticky |= has_any(x.d[0], x.d[0]);
    }
    each<M>(0, m, [&](int k) RESIDUA_LANES { r.d[k] = x.d[k + Behind]; });
    r.exponent = x.exponent - shift;
    r.negative = x.negative;
    r.zero = is_zero(r.d[m - 1]);

    const lane known = all(to.tail[0]) & shifted_left(all(-1), shift + all(unsure_bits));
    const lane seen = r.d[0] & known;
    r.open = (x.uncertain & equal(seen, known)) | (x.uncertain & equal(seen, zeros()));

    const lane half = (r.d[0] & all(to.half[0])) | (r.d[1] & all(to.half[1]));
    const lane below = (r.d[0] & all(to.tail[0])) | (r.d[1] & all(to.tail[1]));
    const lane last = (r.d[0] & all(to.last[0])) | (r.d[1] & all(to.last[1]));
    const lane_mask up = has_any(half, half) & (has_any(below, below) | has_any(last, last) | x.sticky);
    for (int k = 0; k < 2; ++k) {
        r.d[k] = r.d[k] & all(~(to.half[k] | to.tail[k]));
        r.d[k] = add_where(up, r.d[k], all(to.last[k]));
    }
    r.d[1] = r.d[1] + shifted_right(r.d[0], digit_bits);
    r.d[0] = r.d[0] & all(digit_mask);
    if (any(greater(r.d[1], all(digit_mask)))) {  // seldom
        carry<M>(r.d, m);
        const lane_mask overflows = greater(r.d[m - 1], all(digit_mask));
        r.d[m - 1] = choose(overflows, all(std::int64_t{1} << (digit_bits - 1)), r.d[m - 1]);
        r.exponent = add_where(overflows, r.exponent, all(1));
    }
    const lane in_range = larger(lesser(r.exponent, all(multidigit_most_exponent)), all(multidigit_least_exponent));
    r.open |= static_cast<lane_mask>(~r.zero & ~equal(r.exponent, in_range));
}

/// r <- x y without its lower digits, and so uncertain; x and y have m.factors() digits.
template <int M>
RESIDUA_LANES inline void multiply(size_of_numbers<M> m, const numbers<M>& x, const numbers<M>& y,
                                   unrounded_results<M>& r)
{
    r.exponent = x.exponent + y.exponent + all(2);
    r.negative = x.negative ^ y.negative;
    r.uncertain = x.regular & y.regular;
    lane t[capacity<M> + 1];
    leading_product(own_digits{x.d}, own_digits{y.d}, m, t);
    each<M>(0, m, [&](int k) RESIDUA_LANES { r.d[k] = only(r.uncertain, t[k + m.behind()]); });
}

/// r <- x
template <int M>
RESIDUA_LANES inline void set(size_of_numbers<M> m, const numbers<M>& x, unrounded_results<M>& r)
{
    each<M>(0, m, [&](int k) RESIDUA_LANES { r.d[k] = x.d[k]; });
    r.exponent = x.exponent + all(1);
    r.negative = x.negative;
}

/// r <- r + z, where r is zero outside of the lanes has_r, and z where it is not regular. Highest digits are below
/// 2^51, and r has no sticky bit yet.
/// Where something sticky is subtracted from r or z, 5 leading bits cancel at most: z has 19 zeros at its end, and a
/// product is uncertain already.
template <int M>
RESIDUA_LANES inline void add(size_of_numbers<M> m, unrounded_results<M>& r, lane_mask has_r, const numbers<M>& z)
{
    const lane exponent_r = choose(has_r, r.exponent, z.exponent + all(1));
    const lane exponent_z = choose(z.regular, z.exponent + all(1), exponent_r);
    const lane_mask swaps = greater(exponent_z, exponent_r);
    const lane_mask subtracts = r.negative ^ z.negative;
    const lane most = all(std::int64_t{digit_bits} * m);
    lane distance = lesser(magnitude(exponent_r - exponent_z), most);
    r.uncertain &= static_cast<lane_mask>(~(swaps & equal(distance, most)));
    r.exponent = larger(exponent_r, exponent_z);
    const auto swap = [&](lane& larger_one, lane& smaller_one) RESIDUA_LANES {
        const lane both = only(swaps, larger_one ^ smaller_one);
        larger_one = larger_one ^ both;
        smaller_one = smaller_one ^ both;
    };
    const auto add_shifted = [&](int k, lane larger_one, lane above, lane smaller_one) RESIDUA_LANES {
        if (k == 0) {
            r.sticky |= has_any(smaller_one, shifted_left(all(1), distance) - all(1));
        }
        r.d[k] = larger_one + negated_where(subtracts, shifted_down(above, smaller_one, distance));
    };
    if (any(greater(distance, all(digit_bits - 1)))) {
        lane smaller[capacity<M> + 1];
        each<M>(0, m, [&](int k) RESIDUA_LANES { swap(r.d[k], smaller[k] = z.d[k]); });
        smaller[m] = zeros();
        const lane q = integer_digits(distance);
        r.sticky = move_down(smaller, m, q, zeros());
        distance = distance - short_product(q, all(digit_bits));
        each<M>(0, m, [&](int k) RESIDUA_LANES { add_shifted(k, r.d[k], smaller[k + 1], smaller[k]); });
    } else {
        lane larger_one = r.d[0], smaller_one = z.d[0];
        swap(larger_one, smaller_one);
        each<M>(0, m, [&](int k) RESIDUA_LANES {
            lane larger_above = zeros(), smaller_above = zeros();
            if (k + 1 < m) {
                larger_above = r.d[k + 1 < m ? k + 1 : 0];
                smaller_above = z.d[k + 1 < m ? k + 1 : 0];
                swap(larger_above, smaller_above);
            }
            add_shifted(k, larger_one, smaller_above, smaller_one);
            larger_one = larger_above;
            smaller_one = smaller_above;
        });
    }
    r.d[0] = subtract_where(subtracts & r.sticky, r.d[0], all(1));
    carry<M>(r.d, m);
    const lane_mask below_zero = is_negative(r.d[m - 1]);
    if (any(below_zero)) {
        each<M>(0, m, [&](int k) RESIDUA_LANES { r.d[k] = negated_where(below_zero, r.d[k]); });
        carry<M>(r.d, m);
    }
    r.negative = static_cast<lane_mask>(((swaps & z.negative) | (~swaps & r.negative)) ^ below_zero);
}

/// r <- the sums, rounded.
template <int M>
RESIDUA_LANES inline void round(sums<M>& sum, const rounding& to, results<M>& r)
{
    const size_of_numbers<M> m = sum.size();
    unrounded_results<M> x;
    x.negative = sum.magnitudes(x.d);
    x.exponent = sum.top() + all(2);
    if (!any(has_any(x.d[m], x.d[m]))) {
        round<M, 0>(m, x, to, r);
    } else {
        x.exponent = x.exponent + all(digit_bits);
        round<M, 1>(m, x, to, r);
    }
    r.open |= sum.not_finite();
}

}  // namespace RESIDUA_LANES_NAMESPACE

#endif
