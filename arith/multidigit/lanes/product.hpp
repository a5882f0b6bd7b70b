#pragma once

#if defined(__x86_64__)

#include <residua/arith/multidigit/lanes/base.hpp>

namespace residua::detail::lanes {

/// Digits that each lane has for itself.
struct own_digits {
    const lane* d;
    RESIDUA_IFMA lane operator()(int k) const { return d[k]; }
    RESIDUA_IFMA own_digits from(int k) const { return {d + k}; }
};

/// Digits of the number of one lane, for all lanes.
struct shared_digits {
    const std::int64_t* d;  ///< digit k is count k further
    RESIDUA_IFMA lane operator()(int k) const { return all(d[count * k]); }
    RESIDUA_IFMA shared_digits from(int k) const { return {d + count * k}; }
};

/// The columns of a product: column c has the lower halves of the products a_i b_j, i + j = c, and the upper ones of
/// those with i + j = c - 1, at most 2 m <= 168 numbers below 2^52. Columns left out below carry less than 2^8.
inline constexpr int carried_bits = 8;
static_assert(2 * most_digits < 1 << carried_bits);

/// What is carried from column to column.
struct column_carry {
    lane sum;

    RESIDUA_IFMA column_carry() : sum(zeros()) {}

    RESIDUA_IFMA lane digit(lane column)
    {
        sum = sum + column;
        const lane d = sum & all(digit_mask);
        sum = _mm512_srli_epi64(sum, digit_bits);
        return d;
    }
};

/// Sums of products of four digits and four: of their lower halves, and of the upper ones, which belong to column
/// c + 1.
struct block_columns {
    lane low[2 * block - 1];
    lane up[2 * block - 1];

    RESIDUA_IFMA block_columns()
    {
        each<2 * block - 1>(0, 2 * block - 1, [&](int c) RESIDUA_IFMA { low[c] = up[c] = zeros(); });
    }

    /// Adds the products of blocks I of a and J of b, I + J = s, of n blocks each; those of columns below `Least` not.
    template <int Least, class A, class B>
    RESIDUA_IFMA void add(const A& a, const B& b, int n, int s)
    {
        // the fullest column twice: its sum, four products of four cycles a block, would hold up all others
        constexpr int fullest = block - 1;
        lane low_2 = zeros(), up_2 = zeros();
        for (int i = s < n ? 0 : s - n + 1; i <= s && i < n; ++i) {
            const A a_i = a.from(block * i);
            const B b_j = b.from(block * (s - i));
            lane y[block];
            each<block>(0, block, [&](int l) RESIDUA_IFMA { y[l] = b_j(l); });
            each<block>(0, block, [&](int k) RESIDUA_IFMA {
                const lane x = a_i(k);
                each<block>(0, block, [&](int l) RESIDUA_IFMA {
                    const int c = k + l;
                    lane& lower = c == fullest && k % 2 == 1 ? low_2 : low[c];
                    lower = c > Least ? _mm512_madd52lo_epu64(lower, x, y[l]) : lower;
                });
                each<block>(0, block, [&](int l) RESIDUA_IFMA {
                    const int c = k + l;
                    lane& upper = c == fullest && k % 2 == 1 ? up_2 : up[c];
                    upper = c >= Least ? _mm512_madd52hi_epu64(upper, x, y[l]) : upper;
                });
            });
        }
        low[fullest] = low[fullest] + low_2;
        up[fullest] = up[fullest] + up_2;
    }

    /// What columns 4, ..., 7 have.
    RESIDUA_IFMA lane next(int c) const
    {
        return c + 1 < block ? up[block - 1 + c] + low[c + 1 < block ? block + c : 0] : up[block - 1 + c];
    }
};

/// The highest digits of a b, of m.factors() digits each: m + m.behind() of them.
template <int M, class A, class B>
RESIDUA_IFMA inline void leading_product(const A& a, const B& b, size_of_numbers<M> m, lane* d)
{
    column_carry carried;
    if constexpr (M > 0) {
        lane upper = zeros();
        each<M + 2>(0, M + 2, [&](int k) RESIDUA_IFMA {
            const int c = M - 2 + k;
            lane low = upper, up = zeros();
            each<M>(c < M ? 0 : c - M + 1, c < M ? c + 1 : M, [&](int i) RESIDUA_IFMA {
                low = k > 0 ? _mm512_madd52lo_epu64(low, a(i), b(c - i)) : low;
                up = k < M + 1 ? _mm512_madd52hi_epu64(up, a(i), b(c - i)) : up;
            });
            upper = up;
            if (k > 0) {
                d[k - 1] = carried.digit(low);
            }
        });
    } else {
        // columns from 4 n on, which take the upper halves of those of column 4 n - 1
        const int n = m.factors() / block;
        lane known[block];
        const auto pass_on = [&](const block_columns& sum) RESIDUA_IFMA {
            each<block>(0, block, [&](int c) RESIDUA_IFMA { known[c] = sum.next(c); });
        };
        {
            block_columns sum;
            sum.add<block - 1>(a, b, n, n - 1);
            pass_on(sum);
        }
        for (int s = n; s < 2 * n - 1; ++s, d += block) {
            block_columns sum;
            sum.add<-1>(a, b, n, s);
            each<block>(0, block, [&](int c) RESIDUA_IFMA {
                const lane column = known[c] + sum.low[c];
                d[c] = carried.digit(c > 0 ? column + sum.up[c > 0 ? c - 1 : 0] : column);
            });
            pass_on(sum);
        }
        each<block>(0, block, [&](int c) RESIDUA_IFMA { d[c] = carried.digit(known[c]); });
    }
}

/// All 2 m digits of a b.
template <class A, class B>
RESIDUA_IFMA inline void whole_product(const A& a, const B& b, int m, lane* d)
{
    column_carry carried;
    lane upper = zeros();
    for (int c = 0; c < 2 * m; ++c) {
        lane low = upper;
        upper = zeros();
        for (int i = c < m ? 0 : c - m + 1; i < (c < m ? c + 1 : m); ++i) {
            low = _mm512_madd52lo_epu64(low, a(i), b(c - i));
            upper = _mm512_madd52hi_epu64(upper, a(i), b(c - i));
        }
        d[c] = carried.digit(low);
    }
}

/// All m + 2 digits of a b, b of two.
template <int M>
RESIDUA_IFMA inline void product_with(const lane* a, const lane* b, int m, lane* d)
{
    column_carry carried;
    each<M == 0 ? 0 : M + 2>(0, m + 2, [&](int k) RESIDUA_IFMA {
        lane column = zeros();
        column = k < m ? _mm512_madd52lo_epu64(column, a[k], b[0]) : column;
        column = k > 0 && k <= m ? _mm512_madd52hi_epu64(column, a[k - 1], b[0]) : column;
        column = k > 0 && k <= m ? _mm512_madd52lo_epu64(column, a[k - 1], b[1]) : column;
        column = k > 1 ? _mm512_madd52hi_epu64(column, a[k - 2], b[1]) : column;
        d[k] = carried.digit(column);
    });
}

}  // namespace residua::detail::lanes

#endif
