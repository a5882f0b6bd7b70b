#pragma once

#if defined(__x86_64__)

#include <residua/arith/multidigit/lanes/sum.hpp>

namespace residua::detail::lanes {

/// What is known of results: (-1)^negative 0.d 2^exponent, and if sticky something between 0 and 1 in the last place
/// more. Those that are uncertain may be off by less than 2^9 in the last place besides.
template <int M>
struct unrounded_results {
    lane d[capacity<M> + 1];
    lane exponent;
    lane_mask negative;
    lane_mask sticky = 0;
    lane_mask uncertain = 0;
};

/// Results rounded to nearest even: 0.d 2^exponent with the highest bit of d set, or zero. In the lanes `open` they are
/// worthless: not decided by what was known, beyond the range, or not finite.
template <int M>
struct results {
    lane d[capacity<M>];
    lane exponent;
    lane_mask negative;
    lane_mask zero;
    lane_mask open;
};

/// What rounding to p bits does to the two lowest digits of M: no other one has bits that go.
class rounding {
public:
    RESIDUA_IFMA rounding(int digits, int p)
    {
        const int low = digit_bits * digits - p;  // 42 <= low < 94
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
RESIDUA_IFMA inline lane normalize(lane* d, int digits)
{
    lane q = zeros();
    if (_mm512_testn_epi64_mask(d[digits - 1], d[digits - 1]) != 0) {
        lane moved[Digits == 0 ? most_digits + 1 : Digits];
        each<Digits>(0, digits, [&](int k) RESIDUA_IFMA { moved[k] = d[k]; });
        q = move_up(moved, digits);
        each<Digits>(0, digits, [&](int k) RESIDUA_IFMA { d[k] = moved[k]; });
    }
    const lane up = _mm512_lzcnt_epi64(d[digits - 1]) - all(64 - digit_bits);
    const lane down = all(digit_bits) - up;
    each<Digits>(0, digits, [&](int j) RESIDUA_IFMA {
        const int k = digits - 1 - j;
        d[k] = (_mm512_sllv_epi64(d[k], up) & all(digit_mask)) |
               (k > 0 ? _mm512_srlv_epi64(d[k > 0 ? k - 1 : 0], down) : zeros());
    });
    return up + _mm512_mullo_epi64(q, all(digit_bits));
}

/// x, of m digits and `behind` (0 or 1) more at the end, rounded.
template <int M, int Behind>
RESIDUA_IFMA inline results<M> rounded(size_of_numbers<M> m, unrounded_results<M>& x, const rounding& to)
{
    const lane shift = normalize<M == 0 ? 0 : M + Behind>(x.d, m + Behind);
    if constexpr (Behind > 0) {
        x.sticky |= _mm512_test_epi64_mask(x.d[0], x.d[0]);
    }
    results<M> r;
    each<M>(0, m, [&](int k) RESIDUA_IFMA { r.d[k] = x.d[k + Behind]; });
    r.exponent = x.exponent - shift;
    r.negative = x.negative;
    r.zero = _mm512_testn_epi64_mask(r.d[m - 1], r.d[m - 1]);

    const lane unsure = all(to.tail[0]) & _mm512_sllv_epi64(all(-1), shift + all(uncertain_bits));
    const lane seen = r.d[0] & unsure;
    r.open = _mm512_mask_cmpeq_epi64_mask(x.uncertain, seen, unsure) |
             _mm512_mask_cmpeq_epi64_mask(x.uncertain, seen, zeros());

    const lane half = (r.d[0] & all(to.half[0])) | (r.d[1] & all(to.half[1]));
    const lane below = (r.d[0] & all(to.tail[0])) | (r.d[1] & all(to.tail[1]));
    const lane last = (r.d[0] & all(to.last[0])) | (r.d[1] & all(to.last[1]));
    const lane_mask up = _mm512_test_epi64_mask(half, half) &
                         (_mm512_test_epi64_mask(below, below) | _mm512_test_epi64_mask(last, last) | x.sticky);
    for (int k = 0; k < 2; ++k) {
        r.d[k] = r.d[k] & all(~(to.half[k] | to.tail[k]));
        r.d[k] = _mm512_mask_add_epi64(r.d[k], up, r.d[k], all(to.last[k]));
    }
    r.d[1] = r.d[1] + _mm512_srli_epi64(r.d[0], digit_bits);
    r.d[0] = r.d[0] & all(digit_mask);
    if (_mm512_cmpgt_epi64_mask(r.d[1], all(digit_mask)) != 0) {  // seldom
        carry<M>(r.d, m);
        const lane_mask overflows = _mm512_cmpgt_epi64_mask(r.d[m - 1], all(digit_mask));
        r.d[m - 1] = choose(overflows, all(std::int64_t{1} << (digit_bits - 1)), r.d[m - 1]);
        r.exponent = _mm512_mask_add_epi64(r.exponent, overflows, r.exponent, all(1));
    }
    const lane in_range = _mm512_max_epi64(_mm512_min_epi64(r.exponent, all(multidigit_most_exponent)),
                                           all(multidigit_least_exponent));
    r.open |= static_cast<lane_mask>(~r.zero & _mm512_cmpneq_epi64_mask(r.exponent, in_range));
    return r;
}

/// x y, or what is known of it; factors of m.factors() digits.
template <int M>
RESIDUA_IFMA inline unrounded_results<M> unrounded_product(size_of_numbers<M> m, const numbers<M>& x,
                                                           const numbers<M>& y)
{
    unrounded_results<M> r;
    r.exponent = x.exponent + y.exponent + all(2);
    r.negative = x.negative ^ y.negative;
    r.uncertain = x.regular & y.regular;
    lane t[capacity<M> + 1];
    leading_product(own_digits{x.d}, own_digits{y.d}, m, t);
    each<M>(0, m, [&](int k) RESIDUA_IFMA { r.d[k] = only(r.uncertain, t[k + m.behind()]); });
    return r;
}

/// x as a result.
template <int M>
RESIDUA_IFMA inline unrounded_results<M> unrounded_number(size_of_numbers<M> m, const numbers<M>& x)
{
    unrounded_results<M> r;
    each<M>(0, m, [&](int k) RESIDUA_IFMA { r.d[k] = x.d[k]; });
    r.exponent = x.exponent + all(1);
    r.negative = x.negative;
    return r;
}

/// x + z, each zero if not in these lanes; digits of x are below 2^51.
///
/// Where sticky something is subtracted from x or z, 5 leading bits cancel at most: z has 42 zeros at its end, and a
/// product is uncertain already.
template <int M>
RESIDUA_IFMA inline unrounded_results<M> unrounded_sum(size_of_numbers<M> m, const unrounded_results<M>& x,
                                                       lane_mask has_x, const numbers<M>& z)
{
    const lane exponent_x = choose(has_x, x.exponent, z.exponent + all(1));
    const lane exponent_z = choose(z.regular, z.exponent + all(1), exponent_x);
    const lane_mask swaps = _mm512_cmpgt_epi64_mask(exponent_z, exponent_x);
    const lane_mask subtracts = x.negative ^ z.negative;
    const lane most = all(std::int64_t{digit_bits} * m);
    lane distance = _mm512_min_epi64(_mm512_abs_epi64(exponent_x - exponent_z), most);
    unrounded_results<M> r;
    r.uncertain = x.uncertain & ~(swaps & _mm512_cmpeq_epi64_mask(distance, most));
    r.exponent = _mm512_max_epi64(exponent_x, exponent_z);
    lane smaller[capacity<M>];
    each<M>(0, m, [&](int k) RESIDUA_IFMA {
        r.d[k] = choose(swaps, z.d[k], x.d[k]);
        smaller[k] = choose(swaps, x.d[k], z.d[k]);
    });
    if (_mm512_cmpge_epi64_mask(distance, all(digit_bits)) != 0) {
        lane moved[capacity<M>];
        each<M>(0, m, [&](int k) RESIDUA_IFMA { moved[k] = smaller[k]; });
        const lane q = whole_digits(distance);
        r.sticky = move_down(moved, m, q, zeros());
        each<M>(0, m, [&](int k) RESIDUA_IFMA { smaller[k] = moved[k]; });
        distance = distance - _mm512_mullo_epi64(q, all(digit_bits));
    }
    each<M>(0, m, [&](int k) RESIDUA_IFMA {
        if (k == 0) {
            r.sticky |= _mm512_test_epi64_mask(smaller[k], _mm512_sllv_epi64(all(1), distance) - all(1));
        }
        const lane s =
            k + 1 < m ? shifted_down(smaller[k + 1 < m ? k + 1 : 0], smaller[k], distance)
                      : _mm512_srlv_epi64(smaller[k], distance);
        r.d[k] = _mm512_mask_sub_epi64(r.d[k] + s, subtracts, r.d[k], s);
    });
    r.d[0] = _mm512_mask_sub_epi64(r.d[0], subtracts & r.sticky, r.d[0], all(1));
    carry<M>(r.d, m);
    const lane_mask below_zero = _mm512_movepi64_mask(r.d[m - 1]);
    if (below_zero != 0) {
        each<M>(0, m,
                [&](int k) RESIDUA_IFMA { r.d[k] = _mm512_mask_sub_epi64(r.d[k], below_zero, zeros(), r.d[k]); });
        carry<M>(r.d, m);
    }
    r.negative = static_cast<lane_mask>(((swaps & z.negative) | (~swaps & x.negative)) ^ below_zero);
    return r;
}

/// Sums as results.
template <int M>
RESIDUA_IFMA inline results<M> rounded(sums<M>& sum, const rounding& to)
{
    const size_of_numbers<M> m = sum.size();
    unrounded_results<M> r;
    r.negative = sum.magnitudes(r.d);
    r.exponent = sum.top() + all(2);
    results<M> w;
    if (_mm512_test_epi64_mask(r.d[m], r.d[m]) == 0) {
        w = rounded<M, 0>(m, r, to);
    } else {
        r.exponent = r.exponent + all(digit_bits);
        w = rounded<M, 1>(m, r, to);
    }
    w.open |= sum.not_finite();
    return w;
}

}  // namespace residua::detail::lanes

#endif
