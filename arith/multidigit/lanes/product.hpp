#pragma once

#if defined(__x86_64__)

#include <residua/arith/multidigit/lanes/base.hpp>

namespace RESIDUA_LANES_NAMESPACE {

/// Digits that each lane has for itself.
struct own_digits {
    const lane* d;
    RESIDUA_LANES lane operator()(int k) const { return d[k]; }
    RESIDUA_LANES own_digits from(int k) const { return {d + k}; }
};

/// Digits of one number, which all lanes share.
struct shared_digits {
    const std::int64_t* d;  ///< digit k is d[count * k]
    RESIDUA_LANES lane operator()(int k) const { return all(d[count * k]); }
    RESIDUA_LANES shared_digits from(int k) const { return {d + count * k}; }
};

/// Digits of factors are what to_factor() makes of them.
///
/// The columns of a product: column c has the lower halves of the products a_i b_j, i + j = c, and the upper ones of
/// those with i + j = c - 1, at most 2 m <= 168 numbers below 2^52. Columns left out below carry less than 2^8.
inline constexpr int carried_bits = 8;
static_assert(2 * most_digits < 1 << carried_bits);

/// The start value of a column that makes it the sum, modulo 2^64, of `lower` lower and `upper` upper halves.
RESIDUA_LANES inline lane before_halves(int lower, int upper)
{
    const std::uint64_t offsets =
        static_cast<std::uint64_t>(lower) * low_offset + static_cast<std::uint64_t>(upper) * high_offset;
    return all(static_cast<std::int64_t>(-offsets));
}

/// The carry from column to column.
struct column_carry {
    lane sum;

    RESIDUA_LANES column_carry() : sum(zeros()) {}

    RESIDUA_LANES lane digit(lane column)
    {
        sum = sum + column;
        const lane d = sum & all(digit_mask);
        sum = shifted_right(sum, digit_bits);
        return d;
    }
};

/// Sums of products of four digits by four: low[c] has the lower halves of column c, up[c] the upper ones, which belong
/// to column c + 1.
struct block_columns {
    lane low[2 * block - 1];
    lane up[2 * block - 1];

    static_assert(!has_many_registers || (low_offset == 0 && high_offset == 0), "columns start from zero");

    RESIDUA_LANES block_columns()
    {
        each<2 * block - 1>(0, 2 * block - 1, [&](int c) RESIDUA_LANES { low[c] = up[c] = zeros(); });
    }

    /// Adds the products of blocks I of a and J of b, I + J = s, of n blocks each, except for columns below `Least`.
    template <int Least, class A, class B>
    RESIDUA_LANES void add(const A& a, const B& b, int n, int s)
    {
        // the fullest column has two sums: a single one, four products of four cycles a block, would hold up the others
        constexpr int fullest = block - 1;
        lane low_2 = zeros(), up_2 = zeros();
        for (int i = s < n ? 0 : s - n + 1; i <= s && i < n; ++i) {
            const A a_i = a.from(block * i);
            const B b_j = b.from(block * (s - i));
            lane y[block];
            each<block>(0, block, [&](int l) RESIDUA_LANES { y[l] = b_j(l); });
            each<block>(0, block, [&](int k) RESIDUA_LANES {
                const lane x = a_i(k);
                each<block>(0, block, [&](int l) RESIDUA_LANES {
                    const int c = k + l;
                    lane& lower = c == fullest && k % 2 == 1 ? low_2 : low[c];
                    lower = c > Least ? add_low(lower, x, y[l]) : lower;
                });
                each<block>(0, block, [&](int l) RESIDUA_LANES {
                    const int c = k + l;
                    lane& upper = c == fullest && k % 2 == 1 ? up_2 : up[c];
                    upper = c >= Least ? add_high(upper, x, y[l]) : upper;
                });
            });
        }
        low[fullest] = low[fullest] + low_2;
        up[fullest] = up[fullest] + up_2;
    }

    /// The sum for column 4 + c, 0 <= c < 4: the next block continues it.
    RESIDUA_LANES lane next(int c) const
    {
        return c + 1 < block ? up[block - 1 + c] + low[c + 1 < block ? block + c : 0] : up[block - 1 + c];
    }
};

/// All 2 m digits of a b.
template <class A, class B>
RESIDUA_LANES inline void product_in_full(const A& a, const B& b, int m, lane* d)
{
    column_carry carried;
    lane upper = zeros();
    for (int c = 0; c < 2 * m; ++c) {
        const int begin = c < m ? 0 : c - m + 1;
        const int end = c < m ? c + 1 : m;
        lane low = upper + before_halves(end - begin, 0);
        upper = before_halves(0, end - begin);
        for (int i = begin; i < end; ++i) {
            low = add_low(low, a(i), b(c - i));
            upper = add_high(upper, a(i), b(c - i));
        }
        d[c] = carried.digit(low);
    }
}

/// Columns c, ..., c + Columns - 1 of a b side by side, m - 1 <= c: d takes their digits. `upper` holds the upper halves
/// of the column before them, and then of their last one; if First, the upper halves of column c - 1 are formed, too.
/// Column c begins with the first product, each other one a product later; all end with the last.
template <int Columns, bool First, class A, class B>
RESIDUA_LANES inline void add_columns(const A& a, const B& b, int m, int c, column_carry& carried, lane& upper, lane* d)
{
    lane low[Columns];
    lane up[Columns];
    each<Columns>(0, Columns, [&](int k) RESIDUA_LANES {
        const int terms = 2 * m - 1 - c - k;
        low[k] = before_halves(terms, 0);
        up[k] = before_halves(0, terms);
    });
    upper = First ? before_halves(0, m - 1) : upper;
    A x = a.from(c - m + 1);
    B y = b.from(m - 1);
    const auto add = [&]<bool Last>(int columns) RESIDUA_LANES {
        // otherwise GCC keeps digits of y for later rounds and reorders the sums, for which registers do not suffice
        asm("" : "+r"(y.d));
        const lane factor = x(0);
        upper = First && !Last ? add_high(upper, factor, y(-1)) : upper;
        each<Columns>(0, columns, [&](int k) RESIDUA_LANES {
            low[k] = add_low(low[k], factor, y(k));
            up[k] = add_high(up[k], factor, y(k));
            asm("" : "+x"(low[k]), "+x"(up[k]));
        });
        x = x.from(1);
        y = y.from(-1);
    };
    each<Columns>(1, Columns, [&](int columns) RESIDUA_LANES { add.template operator()<false>(columns); });
    for (int left = 2 * m - 1 - c - Columns; left > 0; --left) {
        add.template operator()<false>(Columns);
    }
    add.template operator()<true>(Columns);
    each<Columns>(0, Columns,
                  [&](int k) RESIDUA_LANES { d[k] = carried.digit(low[k] + (k > 0 ? up[k > 0 ? k - 1 : 0] : upper)); });
    upper = up[Columns - 1];
}

/// The digits of columns m - 1, ..., 2 m - 1 of a b, with the upper halves of column m - 2. Four columns are summed at
/// a time, since 16 registers hold the sums of four; the first call takes the columns that are left over.
template <class A, class B>
RESIDUA_LANES inline void product_by_columns(const A& a, const B& b, int m, lane* d)
{
    constexpr int most = 4;
    column_carry carried;
    lane upper = zeros();
    const int first = (m - 1) % most + 1;
    switch (first) {
        case 1:
            add_columns<1, true>(a, b, m, m - 1, carried, upper, d);
            break;
        case 2:
            add_columns<2, true>(a, b, m, m - 1, carried, upper, d);
            break;
        case 3:
            add_columns<3, true>(a, b, m, m - 1, carried, upper, d);
            break;
        default:
            add_columns<most, true>(a, b, m, m - 1, carried, upper, d);
    }
    for (int c = m - 1 + first; c < 2 * m - 1; c += most) {
        add_columns<most, false>(a, b, m, c, carried, upper, d + (c - m + 1));
    }
    d[m] = carried.digit(upper);
}

/// The highest digits of a b, of m.factors() digits each: m + m.behind() of them.
template <int M, class A, class B>
RESIDUA_LANES inline void leading_product(const A& a, const B& b, size_of_numbers<M> m, lane* d)
{
    column_carry carried;
    if constexpr (M > 0) {
        lane upper = zeros();
        each<M + 2>(0, M + 2, [&](int k) RESIDUA_LANES {
            const int c = M - 2 + k;
            const int begin = c < M ? 0 : c - M + 1;
            const int end = c < M ? c + 1 : M;
            lane low = upper + before_halves(k > 0 ? end - begin : 0, 0);
            lane up = before_halves(0, k < M + 1 ? end - begin : 0);
            each<M>(begin, end, [&](int i) RESIDUA_LANES {
                low = k > 0 ? add_low(low, a(i), b(c - i)) : low;
                up = k < M + 1 ? add_high(up, a(i), b(c - i)) : up;
            });
            upper = up;
            if (k > 0) {
                d[k - 1] = carried.digit(low);
            }
        });
    } else if constexpr (!has_many_registers) {
        product_by_columns(a, b, m, d);
    } else {
        // computes columns from 4 n on, which take the upper halves of column 4 n - 1
        const int n = m.factors() / block;
        lane known[block];
        const auto pass_on = [&](const block_columns& sum) RESIDUA_LANES {
            each<block>(0, block, [&](int c) RESIDUA_LANES { known[c] = sum.next(c); });
        };
        {
            block_columns sum;
            sum.add<block - 1>(a, b, n, n - 1);
            pass_on(sum);
        }
        for (int s = n; s < 2 * n - 1; ++s, d += block) {
            block_columns sum;
            sum.add<-1>(a, b, n, s);
            each<block>(0, block, [&](int c) RESIDUA_LANES {
                const lane column = known[c] + sum.low[c];
                d[c] = carried.digit(c > 0 ? column + sum.up[c > 0 ? c - 1 : 0] : column);
            });
            pass_on(sum);
        }
        each<block>(0, block, [&](int c) RESIDUA_LANES { d[c] = carried.digit(known[c]); });
    }
}

/// All m + 2 digits of a b, where b has two digits; to_factor() was not applied to a or b.
template <int M>
RESIDUA_LANES inline void product_with(const lane* a, const lane* b, int m, lane* d)
{
    const lane b_0 = to_factor(b[0]), b_1 = to_factor(b[1]);
    column_carry carried;
    lane upper = zeros();
    if (!any(has_any(b[0], b[0]))) {  // b has 51 bits at most
        d[0] = zeros();
        each<M>(0, m, [&](int k) RESIDUA_LANES {
            const lane x = to_factor(a[k]);
            d[k + 1] = carried.digit(add_low(upper + before_halves(1, 0), x, b_1));
            upper = add_high(before_halves(0, 1), x, b_1);
        });
    } else {
        lane x = zeros();
        each<M>(0, m, [&](int k) RESIDUA_LANES {
            const lane low = add_low(upper + before_halves(2, 0), x, b_1);
            upper = add_high(before_halves(0, 2), x, b_1);
            x = to_factor(a[k]);
            d[k] = carried.digit(add_low(low, x, b_0));
            upper = add_high(upper, x, b_0);
        });
        d[m] = carried.digit(add_low(upper + before_halves(1, 0), x, b_1));
        upper = add_high(before_halves(0, 1), x, b_1);
    }
    d[m + 1] = carried.digit(upper);
}

}  // namespace RESIDUA_LANES_NAMESPACE

#endif
