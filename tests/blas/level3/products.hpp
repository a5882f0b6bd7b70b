#pragma once

#include <array>
#include <cmath>
#include <utility>

#include <residua/arith/slices/slices.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/slices/gemm_ozaki.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/oracle.hpp"

/// Factors that are hard to multiply, and their exact products.
namespace residua::support {

enum class factors { uniform, wide, cancelling, graded, extreme, subnormal, short_numbers };

inline constexpr std::array kinds{factors::uniform, factors::wide,      factors::cancelling,   factors::graded,
                                  factors::extreme, factors::subnormal, factors::short_numbers};

inline const char* name(factors kind)
{
    switch (kind) {
        case factors::uniform:
            return "uniform";
        case factors::wide:
            return "wide";
        case factors::cancelling:
            return "cancelling";
        case factors::graded:
            return "graded";
        case factors::extreme:
            return "extreme";
        case factors::subnormal:
            return "subnormal";
        case factors::short_numbers:
            return "short numbers";
    }
    return "";
}

struct shape {
    index_t m, k, n;
};
inline constexpr std::array shapes{shape{1, 1, 1}, shape{5, 3, 2}, shape{2, 33, 17}, shape{17, 16, 33},
                                   shape{1, 100, 1}};

using host_matrix = matrix<host_executor, double>;

inline std::pair<host_matrix, host_matrix> random_factors(biased_random& random, factors kind, index_t m, index_t k,
                                                          index_t n)
{
    host_matrix a(m, k);
    host_matrix b(k, n);
    const auto number = [&](index_t row, index_t l) {
        switch (kind) {
            case factors::uniform:
                return 10.0 * random.uniform() - 5.0;
            case factors::wide:
                return random.one_in(5) ? 0.0 : random.full(-40, 40);
            case factors::graded:
                return random.full(-2, 2) * pow2(static_cast<int>(30 * (row % 20) - 300 + 3 * (l % 50)));
            case factors::extreme:
                return random.one_in(3) ? 0.0 : random.full(-500, 500);
            case factors::subnormal:
                return random.full(-545, -530);
            case factors::short_numbers:
                return static_cast<double>(random.integer(-3, 3)) * pow2(random.integer(-2, 2));
            default:
                return random.full(-1, 1);
        }
    };
    for (index_t l = 0; l < k; ++l) {
        for (index_t i = 0; i < m; ++i) {
            a.set(i, l, number(i, l));
        }
        for (index_t j = 0; j < n; ++j) {
            b.set(l, j, number(j, l));
        }
    }
    if (kind == factors::cancelling) {  // all but the last bits of a product, twice
        for (index_t l = 1; l < k; l += 2) {
            for (index_t i = 0; i < m; ++i) {
                a.set(i, l, a.get(i, l - 1));
            }
            for (index_t j = 0; j < n; ++j) {
                b.set(l, j, -b.get(l - 1, j) * (1.0 + random.integer(0, 1) * 0x1p-52));
            }
        }
    }
    return {std::move(a), std::move(b)};
}

inline exact_products exact_element(const host_matrix& a, const host_matrix& b, index_t i, index_t j)
{
    exact_products sum;
    for (index_t l = 0; l < a.cols(); ++l) {
        sum.add(wide(a.get(i, l)) * wide(b.get(l, j)));
    }
    return sum;
}

/// A B rounded once.
inline host_matrix rounded_product(const host_matrix& a, const host_matrix& b)
{
    host_matrix c(a.rows(), b.cols());
    for (index_t j = 0; j < b.cols(); ++j) {
        for (index_t i = 0; i < a.rows(); ++i) {
            c.set(i, j, to_double(exact_element(a, b, i, j).value));
        }
    }
    return c;
}

/// Whether all elements have the same bits.
inline bool same_numbers(const host_matrix& a, const host_matrix& b)
{
    for (index_t j = 0; j < a.cols(); ++j) {
        for (index_t i = 0; i < a.rows(); ++i) {
            if (to_bits(a.get(i, j)) != to_bits(b.get(i, j))) {
                return false;
            }
        }
    }
    return a.rows() == b.rows() && a.cols() == b.cols();
}

inline double greatest_relative_error(const host_matrix& c, const host_matrix& exact)
{
    double greatest = 0.0;
    for (index_t j = 0; j < c.cols(); ++j) {
        for (index_t i = 0; i < c.rows(); ++i) {
            greatest = std::max(greatest, std::abs((c.get(i, j) - exact.get(i, j)) / exact.get(i, j)));
        }
    }
    return greatest;
}

/// The greatest |c_ij - (A B)_ij| beyond one rounding, in units of E_i F_j: the least powers of two above row i and
/// column j.
inline double greatest_error(const host_matrix& c, const host_matrix& a, const host_matrix& b)
{
    const auto above = [](const auto& get, index_t n) {
        int e = std::numeric_limits<int>::min();
        for (index_t l = 0; l < n; ++l) {
            e = std::max(e, get(l) == 0.0 ? e : floor_log2(get(l)) + 1);
        }
        return e;
    };
    double greatest = 0.0;
    for (index_t j = 0; j < c.cols(); ++j) {
        for (index_t i = 0; i < c.rows(); ++i) {
            const int e = above([&](index_t l) { return a.get(i, l); }, a.cols());
            const int f = above([&](index_t l) { return b.get(l, j); }, a.cols());
            const real exact = exact_element(a, b, i, j).value;
            const real rounding = ldexp(abs(exact), -53) + ldexp(real(1.0, oracle_bits), -1075);
            const real error = abs(wide(c.get(i, j)) - exact) - rounding;
            greatest = std::max(greatest, to_double(ldexp(error, -e - f)));
        }
    }
    return greatest;
}

}  // namespace residua::support
