#pragma once

#if defined(__x86_64__)

#include <residua/arith/multidigit/lanes/base.hpp>

namespace residua::detail::lanes {

/// Digits that each lane has for itself.
struct own_digits {
    const lane* d;
    RESIDUA_IFMA lane operator()(int k) const { return d[k]; }
};

/// Digits of the number of one lane, for all lanes.
struct shared_digits {
    const std::int64_t* d;  ///< digit k is count k further
    RESIDUA_IFMA lane operator()(int k) const { return all(d[count * k]); }
};

/// The highest `columns` digits of a b, of m and l digits. Fewer than m + l leave less than 2^8 in the last one out.
///
/// Column c has the lower halves of the products a_i b_j, i + j = c, and the upper ones of those with i + j = c - 1: at
/// most 2 min(m, l) <= 160 numbers below 2^52. The columns left out hold less than 160 2^52 each.
template <int M, int L, int Columns, class A, class B>
RESIDUA_IFMA inline void product(const A& a, int m, const B& b, int l, int columns, lane* d)
{
    static_assert(2 * most_digits <= 1 << 8);
    lane sum = zeros();    // of the column at hand
    lane upper = zeros();  // of the products before, for the next one
    const int before = m + l - columns - 1;
    const auto finish = [&](int k) RESIDUA_IFMA {
        d[k] = sum & all(digit_mask);
        sum = _mm512_srli_epi64(sum, digit_bits);
    };
    if constexpr (M > 0) {
        each<Columns + 1>(0, columns + 1, [&](int k) RESIDUA_IFMA {
            const int c = before + k;
            lane low = upper, up = zeros();
            each<M>(c < l ? 0 : c - l + 1, c < m ? c + 1 : m, [&](int i) RESIDUA_IFMA {
                low = k > 0 ? _mm512_madd52lo_epu64(low, a(i), b(c - i)) : low;
                up = k < columns ? _mm512_madd52hi_epu64(up, a(i), b(c - i)) : up;
            });
            upper = up;
            if (k > 0) {
                sum = sum + low;
                finish(k - 1);
            }
        });
    } else {
        // two columns and two products at a time: vpmadd52 takes four cycles, and starts twice in each
        for (int k = 0; k <= columns; k += 2) {
            const int c = before + k;
            lane low[2][2] = {{upper, zeros()}, {zeros(), zeros()}};  // [column]
            lane up[2][2] = {{zeros(), zeros()}, {zeros(), zeros()}};
            const auto add = [&](int column, int which, lane x, lane y) RESIDUA_IFMA {
                low[column][which] = _mm512_madd52lo_epu64(low[column][which], x, y);
                up[column][which] = _mm512_madd52hi_epu64(up[column][which], x, y);
            };
            int i = c < l - 1 ? 0 : c - l + 2;
            const int end = c < m ? c + 1 : m;
            for (; i + 1 < end; i += 2) {
                const lane a_0 = a(i), a_1 = a(i + 1), b_1 = b(c - i);
                add(0, 0, a_0, b_1);
                add(1, 0, a_0, b(c + 1 - i));
                add(0, 1, a_1, b(c - 1 - i));
                add(1, 1, a_1, b_1);
            }
            if (i < end) {
                add(0, 0, a(i), b(c - i));
                add(1, 0, a(i), b(c + 1 - i));
            }
            if (c >= l - 1 && c - l + 1 < m) {
                add(0, 1, a(c - l + 1), b(l - 1));
            }
            if (c + 1 < m) {
                add(1, 1, a(c + 1), b(0));
            }
            if (k > 0) {
                sum = sum + low[0][0] + low[0][1];
                finish(k - 1);
            }
            if (k < columns) {
                sum = sum + up[0][0] + up[0][1] + low[1][0] + low[1][1];
                finish(k);
            }
            upper = up[1][0] + up[1][1];
        }
    }
}

}  // namespace residua::detail::lanes

#endif
