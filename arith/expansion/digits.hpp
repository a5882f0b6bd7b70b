#pragma once

#include <residua/arith/base/bits.hpp>
#include <residua/arith/expansion/digit_layout.hpp>
#include <residua/arith/expansion/renormalize.hpp>

/// The product of long expansions through fixed-point digits.
///
/// Both factors are cut at common bit positions, so that the partial products of one order add up
/// without rounding errors: five flops for each. (Floating-point terms lie anywhere; they need a
/// two_sum each, another one for its error, and so on.)
///
/// With X = ufp(x_0), digit k of x is a multiple of the unit X 2^(2 - w (k+1)) and at most 2^w
/// units; order k of the product x y has the unit X Y 2^(4 - w (k+1)). Proofs are in
/// docs/error_bounds.md, section 5.
namespace residua::detail {

template <int N>
inline constexpr int digit_width = digits_for(N).width;

template <int N>
inline constexpr int digit_count = digits_for(N).count;

/// Added and taken away again it rounds to a multiple of the unit; for up to 2^51 units.
RESIDUA_HD double rounding_constant(double unit) { return unit * 0x1.8p52; }

RESIDUA_HD double round_with(double constant, double r) { return (constant + r) - constant; }

/// r_1, r_2, ... <- r_2, r_3, ... if `shift`.
template <int N, int... J>
RESIDUA_HD void shift_if(bool shift, double (&r)[N], indices<J...>)
{
    ((r[1 + J] = shift ? r[2 + J] : r[1 + J]), ...);
}

/// Digits K, K+1, ... of r_0 + r_1 + ..., where r_0 is the rest of the term that is being cut. Of the later
/// terms only r_1 reaches into this digit, and only if r_0 ends in it.
template <int K, int N, int L>
RESIDUA_HD void cut_unrolled(double (&r)[N], double constant, double (&d)[L])
{
    if constexpr (K < L - 1) {
        const double q0 = round_with(constant, r[0]);
        const double q1 = round_with(constant, r[1]);
        d[K] = q0 + q1;
        const double rest = r[0] - q0;
        const bool ended = rest == 0.0;
        r[1] -= q1;
        r[0] = ended ? r[1] : rest;
        // Each later digit passes over one term at most: r_1, ..., r_{L-1-K} are still of use.
        constexpr int moved = L - 1 - K < N - 2 ? L - 1 - K : N - 2;
        shift_if(ended, r, first_indices<moved>{});
        r[N - 1] = ended ? 0.0 : r[N - 1];
        cut_unrolled<K + 1>(r, constant * pow2(-digit_width<N>), d);
    } else {
        d[K] = r[0] + r[1];
    }
}

template <int N, int L>
RESIDUA_HD void cut_loop(const double (&x)[N], double constant, double (&d)[L])
{
    double rest = x[0];
    double next = x[1];
    int term = 2;
    for (int k = 0; k < L - 1; ++k) {
        const double q0 = round_with(constant, rest);
        const double q1 = round_with(constant, next);
        d[k] = q0 + q1;
        rest -= q0;
        next -= q1;
        if (rest == 0.0) {
            rest = next;
            next = term < N ? x[term] : 0.0;
            ++term;
        }
        constant *= pow2(-digit_width<N>);
    }
    d[L - 1] = rest + next;
}

/// d <- the digits of x, the last one rounded, the others exact; returns the rounding constant of
/// digit 0.
///
/// from  docs/error_bounds.md, lemma 5
template <int N, int L>
RESIDUA_HD double cut(const double (&x)[N], double (&d)[L])
{
    // A unit of digit 0 may be below 2^-1074, as all of x then is a digit, but its constant is not.
    const double constant = ufp(x[0]) * rounding_constant(pow2(2 - digit_width<N>));
    if constexpr (unrolled<N>) {
        double r[N];
        copy_terms(x, r);
        cut_unrolled<0>(r, constant, d);
    } else {
        cut_loop(x, constant, d);
    }
    return constant;
}

/// c <- c + x y, x and y digits I and J: the high part at order I + J, the low part at the next.
template <int I, int J, int L>
RESIDUA_HD void add_digit_product(double x, double y, const double (&constant)[L], double (&c)[L])
{
    constexpr int k = I + J;
    if constexpr (k == L - 1) {
        c[k] = std::fma(x, y, c[k]);
    } else {
        const double high = std::fma(x, y, constant[k]) - constant[k];
        const double low = std::fma(x, y, -high);
        c[k] = k == 0 ? high : c[k] + high;
        c[k + 1] = I == 0 ? low : c[k + 1] + low;
    }
}

template <int I, int L, int... J>
RESIDUA_HD void add_digit_row(const double (&x)[L], const double (&y)[L], const double (&constant)[L], double (&c)[L],
                              indices<J...>)
{
    (add_digit_product<I, J>(x[I], y[J], constant, c), ...);
}

template <int L, int... I>
RESIDUA_HD void multiply_digits_unrolled(const double (&x)[L], const double (&y)[L], const double (&constant)[L],
                                         double (&c)[L], indices<I...>)
{
    (add_digit_row<I>(x, y, constant, c, first_indices<L - I>{}), ...);
}

template <int L>
RESIDUA_HD void multiply_digits_loops(const double (&x)[L], const double (&y)[L], const double (&constant)[L],
                                      double (&c)[L])
{
    double low[L + 1];
    for (int k = 0; k < L; ++k) {
        c[k] = 0.0;
        low[k + 1] = 0.0;
    }
    for (int i = 0; i < L; ++i) {
        for (int j = 0; j < L - 1 - i; ++j) {
            const double high = std::fma(x[i], y[j], constant[i + j]) - constant[i + j];
            c[i + j] += high;
            low[i + j + 1] += std::fma(x[i], y[j], -high);
        }
        c[L - 1] = std::fma(x[i], y[L - 1 - i], c[L - 1]);
    }
    for (int k = 1; k < L; ++k) {
        c[k] += low[k];
    }
}

/// Takes what exceeds half a unit of the order above over to it.
RESIDUA_HD void carry_digit(double constant, double& above, double& c)
{
    const double q = round_with(constant, c);
    above += q;
    c -= q;
}

template <int L, int... I>
RESIDUA_HD void carry_unrolled(const double (&constant)[L], double (&c)[L], indices<I...>)
{
    (carry_digit(constant[L - 2 - I], c[L - 2 - I], c[L - 1 - I]), ...);
}

template <int N, int L>
RESIDUA_HD void join_step(double (&p)[N], const double (&c)[L], int k)
{
    const rounded r = fast_two_sum(p[k], c[k + 1]);
    p[k] = r.value;
    p[k + 1] = r.error;
}

/// The orders c as levels: p_k takes 53 bits each time and leaves the rest to the next.
template <int N, int... K>
RESIDUA_HD void join_unrolled(const double (&c)[N + 1], double (&p)[N], indices<K...>)
{
    p[0] = c[0];
    (join_step(p, c, K), ...);
    p[N - 1] += c[N];
}

template <int L, int... K>
RESIDUA_HD void rounding_constants(double first, double ratio, double (&constant)[L], indices<K...>)
{
    ((constant[K] = first, first *= ratio), ...);
}

/// p <- the levels of x y.
///
/// errors  product_error_bound<N>() u^N |x y|
/// range   NaN if |x|, |y| or |x y| is above 2^1012
/// cost    N = 8: 379 flops, 99 selects and comparisons
/// from    docs/error_bounds.md, theorem 4
template <int N>
RESIDUA_HD void product_by_digits(const double (&x)[N], const double (&y)[N], double (&p)[N])
{
    constexpr int count = digit_count<N>;
    constexpr double ratio = pow2(-digit_width<N>);
    double dx[count];
    double dy[count];
    double c[count];
    double constant[count];
    const double first = cut(x, dx) * (ufp(y[0]) * 4.0);
    cut(y, dy);
    if constexpr (unrolled<N>) {
        static_assert(count == N + 1, "join_unrolled takes one order more than levels");
        rounding_constants(first, ratio, constant, first_indices<count>{});
        multiply_digits_unrolled(dx, dy, constant, c, first_indices<count>{});
        carry_unrolled(constant, c, first_indices<count - 1>{});
        join_unrolled(c, p, first_indices<N - 1>{});
    } else {
        constant[0] = first;
        for (int k = 1; k < count; ++k) {
            constant[k] = constant[k - 1] * ratio;
        }
        multiply_digits_loops(dx, dy, constant, c);
        for (int k = count - 2; k >= 0; --k) {
            carry_digit(constant[k], c[k], c[k + 1]);
        }
        compress(c, p);
    }
}

}  // namespace residua::detail
