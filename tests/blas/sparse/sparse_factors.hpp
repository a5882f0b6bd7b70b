#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/slices/slices.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/sparse/csr.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/oracle.hpp"

/// Sparse and dense factors that are hard to multiply, and their exact products.
namespace residua::support {

enum class sparse_kind {
    uniform,
    constant,       ///< near the greatest digits of 21 bits, as long rows have; all rounding goes one way
    short_numbers,  ///< one slice
    spread,         ///< 2^600 in a row and in a column
    gap,            ///< nothing between 2^0 and 2^-600: slices of zeros
    cancelling,     ///< all but the last bits of a product, twice
    subnormal,      ///< products
    denormal,       ///< numbers
    overflowing,
};

inline constexpr std::array sparse_kinds{sparse_kind::uniform,   sparse_kind::constant, sparse_kind::short_numbers,
                                         sparse_kind::spread,    sparse_kind::gap,      sparse_kind::cancelling,
                                         sparse_kind::subnormal, sparse_kind::denormal, sparse_kind::overflowing};

inline const char* name(sparse_kind kind)
{
    constexpr std::array names{"uniform",    "constant",  "short numbers", "spread",     "gap",
                               "cancelling", "subnormal", "denormal",      "overflowing"};
    return names[static_cast<std::size_t>(kind)];
}

inline double sparse_number(biased_random& random, sparse_kind kind)
{
    switch (kind) {
        case sparse_kind::uniform:
            return random.one_in(9) ? 0.0 : 10.0 * random.uniform() - 5.0;
        case sparse_kind::constant:
            return 0x1.ffffe4a5a5a5bp-1;
        case sparse_kind::short_numbers:
            return static_cast<double>(random.integer(-3, 3)) * pow2(random.integer(-2, 2));
        case sparse_kind::spread:
            return random.full(-300, 300);
        case sparse_kind::gap:
            return random.full(-2, 0) * (random.one_in(2) ? 1.0 : 0x1p-600);
        case sparse_kind::subnormal:
            return random.full(-545, -530);
        case sparse_kind::denormal:
            return random.one_in(2) ? random.full(-1074, -1020) : random.full(-2, 2);
        case sparse_kind::overflowing:
            return random.full(508, 511);
        default:
            return random.full(-1, 1);
    }
}

/// Rows of such lengths in n columns, n even. Columns 2 l and 2 l + 1 come together if the products cancel.
inline csr<host_executor, double> random_rows(biased_random& random, sparse_kind kind,
                                              const std::vector<index_t>& lengths, index_t n)
{
    const auto rows = static_cast<index_t>(lengths.size());
    index_t entries = 0;
    for (const index_t length : lengths) {
        entries += length;
    }
    csr<host_executor, double> a(rows, n, entries);
    const index_t together = kind == sparse_kind::cancelling ? 2 : 1;
    index_t p = 0;
    for (index_t i = 0; i < rows; ++i) {
        const index_t groups = (lengths[static_cast<std::size_t>(i)] + together - 1) / together;
        const index_t step = groups > 1 ? (n / together - 1) / (groups - 1) : 1;
        const index_t room = n / together - 1 - step * std::max<index_t>(groups - 1, 0);
        const index_t first = random.integer(0, static_cast<int>(room));
        for (index_t l = 0; l < lengths[static_cast<std::size_t>(i)]; ++l, ++p) {
            a.col()[static_cast<std::size_t>(p)] =
                static_cast<column_t>((first + l / together * step) * together + l % together);
            a.value().store(p, l % together == 1 ? a.value().load(p - 1) : sparse_number(random, kind));
        }
        a.row_begin()[static_cast<std::size_t>(i) + 1] = p;
    }
    return a;
}

inline matrix<host_executor, double> random_columns(biased_random& random, sparse_kind kind, index_t n, index_t count)
{
    matrix<host_executor, double> x(n, count);
    for (index_t j = 0; j < count; ++j) {
        for (index_t l = 0; l < n; ++l) {
            const bool undoes = kind == sparse_kind::cancelling && l % 2 == 1;
            x.set(l, j,
                  undoes ? -x.get(l - 1, j) * (1.0 + random.integer(0, 1) * 0x1p-52) : sparse_number(random, kind));
        }
    }
    return x;
}

/// From nothing to more than are summed in one arithmetic; more rows than a slice of sliced_ell has.
inline std::vector<index_t> varied_lengths()
{
    std::vector<index_t> lengths{0, 1, 2, 5, 33, 0, 700, 3000, 1, 9002};
    for (index_t i = 0; i < 40; ++i) {
        lengths.push_back(i % 7);
    }
    return lengths;
}
inline std::vector<index_t> short_lengths() { return {3, 0, 5, 4, 1, 5, 2, 0}; }

inline exact_products exact_element(const csr<host_executor, double>& a, const matrix<host_executor, double>& x,
                                    index_t i, index_t j)
{
    exact_products sum;
    for (index_t p = a.row_begin()[static_cast<std::size_t>(i)]; p < a.row_begin()[static_cast<std::size_t>(i) + 1];
         ++p) {
        sum.add(wide(a.value().load(p)) * wide(x.get(a.col()[static_cast<std::size_t>(p)], j)));
    }
    return sum;
}

/// The greatest |y_ij - (A X)_ij| beyond one rounding over what the contract of spmm_ozaki allows with s slices.
inline double greatest_share_of_bound(const matrix<host_executor, double>& y, const csr<host_executor, double>& a,
                                      const matrix<host_executor, double>& x, int s)
{
    const auto begin = [&](index_t i) { return a.row_begin()[static_cast<std::size_t>(i)]; };
    const auto above = [](const auto& get, index_t first, index_t end) {
        int e = std::numeric_limits<int>::min();
        for (index_t l = first; l < end; ++l) {
            e = std::max(e, get(l) == 0.0 ? e : floor_log2(get(l)) + 1);
        }
        return e == std::numeric_limits<int>::min() ? 0 : e;
    };
    index_t longest = 0;
    for (index_t i = 0; i < a.rows(); ++i) {
        longest = std::max(longest, begin(i + 1) - begin(i));
    }
    const int b = slice_bits(53, std::min<index_t>(longest, 8192));
    double greatest = 0.0;
    for (index_t j = 0; j < x.cols(); ++j) {
        const int f = above([&](index_t l) { return x.get(l, j); }, 0, x.rows());
        for (index_t i = 0; i < a.rows(); ++i) {
            const int e = above([&](index_t p) { return a.value().load(p); }, begin(i), begin(i + 1));
            const auto k = static_cast<double>(begin(i + 1) - begin(i));
            const double bound =
                (s * k * (s * k + 5) * pow2(-b * (s - 1)) + k * (s * s + 2) * (1 + k / 4096)) * 0x1p-53;
            const real exact = exact_element(a, x, i, j).value;
            const real rounding = ldexp(abs(exact), -53) + ldexp(real(1.0, oracle_bits), -1075);
            const double error = to_double(ldexp(abs(wide(y.get(i, j)) - exact) - rounding, -e - f));
            greatest = std::max(greatest, error > 0.0 ? error / bound : 0.0);
        }
    }
    return greatest;
}

inline testing::AssertionResult same_elements(const matrix<host_executor, double>& y,
                                              const matrix<host_executor, double>& expected)
{
    for (index_t j = 0; j < y.cols(); ++j) {
        for (index_t i = 0; i < y.rows(); ++i) {
            const double found = y.get(i, j);
            const double wanted = expected.get(i, j);
            if (to_bits(found) != to_bits(wanted) && !(std::isnan(found) && std::isnan(wanted))) {
                return testing::AssertionFailure() << '(' << i << ", " << j << "): " << found << ", not " << wanted;
            }
        }
    }
    return testing::AssertionSuccess();
}

}  // namespace residua::support
