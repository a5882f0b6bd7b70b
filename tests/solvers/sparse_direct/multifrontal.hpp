#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/error_bounds.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/sparse_direct/elimination.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

#include "tests/support/eigen_reference.hpp"
#include "tests/support/sparse.hpp"

namespace residua::support {

template <class S, long Bits>
struct kind {
    using space = S;
    static constexpr long bits = Bits;
    static S make()
    {
        if constexpr (requires { multidigit_space<host_executor>(S{{}, multidigit_format(Bits)}); }) {
            return S{{}, multidigit_format(Bits)};
        } else {
            return S{};
        }
    }
};

/// A matrix as it is handed over: no scaling.
inline scaled_matrix taken_as_it_is(const sparse_matrix& a, std::vector<real> exact = {})
{
    scaled_matrix result = unscaled(a, false);
    result.exact = exact_entries(std::move(exact));
    return result;
}

/// A front for each pivot.
inline assembly_tree make_single_pivots(const symmetric_pattern& pattern, std::span<const std::int32_t> order)
{
    const elimination e = eliminate(pattern, order);
    assembly_tree tree;
    tree.n = pattern.n;
    tree.unknown = e.unknown;
    tree.parent = e.parent;
    tree.first_pivot.assign(1, 0);
    tree.below_begin.assign(1, 0);
    for (const auto& below : columns_of_l(graph_of(pattern), e.unknown)) {
        tree.below_rows.insert(tree.below_rows.end(), below.begin(), below.end());
        tree.first_pivot.push_back(tree.first_pivot.back() + 1);
        tree.below_begin.push_back(static_cast<index_t>(tree.below_rows.size()));
    }
    return tree;
}

/// No matching, no scaling: pivots are on the diagonal until they have to wait.
inline sparse_analysis analysis_by_diagonal(const sparse_matrix& a, std::span<const std::int32_t> order, bool single)
{
    sparse_analysis analysis;
    analysis.row_of_column.resize(static_cast<std::size_t>(a.rows));
    std::iota(analysis.row_of_column.begin(), analysis.row_of_column.end(), 0);
    analysis.row_exponent.assign(static_cast<std::size_t>(a.rows), 0);
    analysis.column_exponent = analysis.row_exponent;
    analysis.tree = single ? make_single_pivots(pattern_of(a), order) : make_assembly_tree(pattern_of(a), order);
    return analysis;
}

template <class Kind>
struct multifrontal_of : testing::Test {
    using space = typename Kind::space;
    using solve_space = typename multifrontal<space>::solve_space;
    using vector = typename multifrontal<space>::vector;
    static constexpr long bits = Kind::bits;
    static constexpr long most = 2 * bits + 2300;  // sums of products with binary64 numbers are exact

    struct factors_of {
        scaled_matrix m;
        std::shared_ptr<const sparse_analysis> analysis;
        std::unique_ptr<multifrontal<space>> factors;

        const multifrontal<space>* operator->() const { return factors.get(); }
    };

    const space on = Kind::make();
    const solve_space in_solves = detail::solve_space_of<space>::from(on);
    std::mt19937_64 random{641};

    factors_of factorize(scaled_matrix m, sparse_analysis analysis) const
    {
        factors_of f{std::move(m), std::make_shared<const sparse_analysis>(std::move(analysis)), nullptr};
        f.factors = std::make_unique<multifrontal<space>>(on, f.analysis, f.m, f.m.exact.in_bits(most));
        return f;
    }
    factors_of factorize(const sparse_matrix& a, bool symmetric = false) const
    {
        return factorize(taken_as_it_is(a),
                         analyze_for_factors(a, symmetric ? factor_kind::cholesky : factor_kind::lu));
    }

    static real entry(const scaled_matrix& m, index_t p)
    {
        return (m.exact.empty() ? real(m.values[p]) : m.exact.at(static_cast<std::size_t>(p), most))
            .with_precision(most);
    }

    /// A x or A' x, exactly.
    static std::vector<real> product(const scaled_matrix& m, const std::vector<real>& x, bool transposed)
    {
        std::vector<real> y(x.size(), real(0.0, most));
        for (index_t i = 0; i < m.rows; ++i) {
            for (index_t p = m.row_begin[i]; p < m.row_begin[i + 1]; ++p) {
                const index_t j = m.column[p];
                y[transposed ? j : i] += entry(m, p) * x[transposed ? i : j];
            }
        }
        return y;
    }

    std::vector<real> solve(const factors_of& f, const std::vector<real>& b, bool transposed) const
    {
        vector x = in_solves.make_vector(static_cast<index_t>(b.size()));
        for (std::size_t i = 0; i < b.size(); ++i) {
            x.set(static_cast<index_t>(i), in_solves.make_scalar(b[i]));
        }
        f.factors->solve(x, transposed);
        std::vector<real> result;
        for (std::size_t i = 0; i < b.size(); ++i) {
            result.push_back(to_real(x.get(static_cast<index_t>(i))).with_precision(most));
        }
        return result;
    }

    /// b as the format of solves has it.
    std::vector<real> rounded(std::vector<real> b) const
    {
        for (real& each : b) {
            each = to_real(in_solves.make_scalar(each)).with_precision(most);
        }
        return b;
    }

    std::vector<real> integers(index_t n)
    {
        std::vector<real> x;
        for (index_t i = 0; i < n; ++i) {
            x.push_back(real(static_cast<double>(random() % 17) - 8.5));
        }
        return x;
    }

    /// What one operation may cost, in units of 2^-p. Of many terms that is far more than is ever seen.
    static double operation()
    {
        if constexpr (number<typename space::element>) {
            constexpr int terms = number_traits<typename space::element>::terms;
            if constexpr (terms > 1) {
                return std::min(accumulation_error_bound<terms>(1), 10.0);
            }
        }
        return 1.0;
    }

    /// max |x_i 2^e_i|
    static real largest(const std::vector<real>& x, const std::vector<int>& exponent, int sign = 1)
    {
        real size(0.0);
        for (std::size_t i = 0; i < x.size(); ++i) {
            size = max(size, abs(ldexp(x[i], sign * exponent[i])));
        }
        return size;
    }

    /// R A C of an analysis, with bits enough for the error of a solution.
    static eigen_matrix scaled(const factors_of& f)
    {
        const index_t n = f.m.rows;
        eigen_matrix b = eigen_matrix::Constant(n, n, real(0.0, 2 * bits + 128));
        for (index_t i = 0; i < n; ++i) {
            for (index_t p = f.m.row_begin[i]; p < f.m.row_begin[i + 1]; ++p) {
                const index_t j = f.m.column[p];
                const int e = f.analysis->row_exponent[i] + f.analysis->column_exponent[j];
                b(i, j) = ldexp(entry(f.m, p), e).with_precision(2 * bits + 128);
            }
        }
        return b;
    }

    static real norm(const eigen_matrix& b)
    {
        real size(0.0);
        for (index_t i = 0; i < b.rows(); ++i) {
            real sum(0.0, most);
            for (index_t j = 0; j < b.cols(); ++j) {
                sum += abs(b(i, j));
            }
            size = max(size, sum);
        }
        return size;
    }

    /// ||R A C||
    static real norm(const factors_of& f, bool transposed)
    {
        std::vector<real> sum(static_cast<std::size_t>(f.m.rows), real(0.0, most));
        for (index_t i = 0; i < f.m.rows; ++i) {
            for (index_t p = f.m.row_begin[i]; p < f.m.row_begin[i + 1]; ++p) {
                const index_t j = f.m.column[p];
                const int e = f.analysis->row_exponent[i] + f.analysis->column_exponent[j];
                sum[transposed ? j : i] += abs(ldexp(entry(f.m, p), e));
            }
        }
        return largest(sum, std::vector<int>(sum.size(), 0));
    }

    /// The residual of a solution is small beside R A C and it, as the scaling has them, and for small matrices so is
    /// the difference from Eigen's solution over MPFR beside the condition.
    ///
    /// inverse  of R A C, to judge the error by, or empty
    /// growth   of entries, at most
    void expect_solves(const factors_of& f, const eigen_matrix& inverse, double growth, bool transposed)
    {
        const std::string where = transposed ? "transposed" : "not transposed";
        SCOPED_TRACE(where);
        const auto& rows = transposed ? f.analysis->column_exponent : f.analysis->row_exponent;
        const auto& columns = transposed ? f.analysis->row_exponent : f.analysis->column_exponent;
        std::vector<real> known = integers(f.m.rows);
        for (std::size_t i = 0; i < known.size(); ++i) {
            known[i] = ldexp(known[i], columns[i]);  // of one size in the scaling
        }
        const std::vector<real> b = rounded(product(f.m, known, transposed));
        const std::vector<real> x = solve(f, b, transposed);
        for (const real& each : x) {
            ASSERT_TRUE(is_finite(each));
        }
        std::vector<real> r = product(f.m, x, transposed);
        for (std::size_t i = 0; i < r.size(); ++i) {
            r[i] = b[i] - r[i];
        }
        const real size = largest(x, columns, -1) * norm(f, transposed);
        const double allowed = growth * operation() * (8.0 + static_cast<double>(f.m.rows) / 8.0);
        const double units = to_double(ldexp(largest(r, rows) / size, bits).with_precision(64));
        EXPECT_LE(units, allowed) << "residual in units, n = " << f.m.rows;
        worst = std::max(worst, units / allowed);
        if (inverse.rows() > 0) {
            const eigen_matrix same = transposed ? eigen_matrix(inverse.transpose()) : inverse;
            const double condition = to_double((norm(same) * norm(f, transposed)).with_precision(64));
            eigen_vector scaled_b(f.m.rows);
            for (index_t i = 0; i < f.m.rows; ++i) {
                scaled_b(i) = ldexp(b[i], rows[i]);
            }
            std::vector<real> reference = reals(same * scaled_b), error(x.size());
            for (std::size_t i = 0; i < x.size(); ++i) {
                error[i] = ldexp(x[i], -columns[i]) - reference[i];
            }
            const std::vector<int> none(x.size(), 0);
            const real relative = largest(error, none) / largest(reference, none);
            EXPECT_LE(to_double(ldexp(relative, bits).with_precision(64)), allowed * condition)
                << "condition " << condition;
        }
    }

    void expect_solves(const factors_of& f, double growth = 1.0)
    {
        ASSERT_EQ(f->failure(), "");
        EXPECT_EQ(f->size(), f.m.rows);
        if (f->delayed() == 0) {
            EXPECT_EQ(f->entries(), cost_of(f.analysis->tree, f.analysis->is_symmetric()).entries);
        }
        if (f.m.rows > 0) {
            const eigen_matrix inverse =
                f.m.rows <= 40 ? eigen_matrix(scaled(f).partialPivLu().inverse()) : eigen_matrix();
            expect_solves(f, inverse, growth, false);
            expect_solves(f, inverse, growth, true);
        }
    }

    double worst = 0.0;  ///< residual, as a share of what is allowed
    void TearDown() override { this->RecordProperty("worst_residual", std::to_string(worst)); }
};

using kinds = testing::Types<kind<host_space<float>, 24>, kind<host_space<double>, 53>,
                             kind<host_space<expansion<double, 2>>, 106>, kind<host_space<expansion<double, 4>>, 212>,
                             kind<host_space<expansion<double, 8>>, 424>, kind<multidigit_space<host_executor>, 64>,
                             kind<multidigit_space<host_executor>, 333>, kind<multidigit_space<host_executor>, 1500>>;

}  // namespace residua::support
