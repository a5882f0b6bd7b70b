// Dense triangles applied by blocks: one linear operator, whose inverses binary64 has.
#include <algorithm>

#include <concepts>
#include <utility>

#include <residua/io/team.hpp>
#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/precond/binary64.hpp>
#include <residua/solvers/precond/factorize.hpp>

#include "tests/solvers/precond/dense_triangle.hpp"

#include <gtest/gtest.h>

using namespace residua;
using namespace residua::support;

namespace {

constexpr long bits = 700;
constexpr index_t rows = 32;

/// The same in reals, x_k = X_k (b_k - sum_(j<k) T_kj x_j) with k in steps, and what its terms add up to. Blocks of an upper
/// triangle are counted from its end, or are those of its transpose.
struct exact_solution {
    std::vector<real> x, size;
};

exact_solution solve_exactly(blas::uplo which, const sparse_matrix& t, const std::vector<real>& b, bool from_end)
{
    const index_t n = t.rows;
    const bool lower = which == blas::uplo::lower;
    const bool transposed = !lower && !from_end;
    matrix<host_executor, double> entries(n, n);
    for (index_t i = 0; i < n; ++i) {
        for (index_t p = t.row_begin[i]; p < t.row_begin[i + 1]; ++p) {
            entries.set(transposed ? t.column[p] : i, transposed ? i : t.column[p], t.values[p]);
        }
    }
    const blas::block_triangle<host_executor> blocks({}, transposed ? blas::uplo::lower : which, blas::diag::non_unit,
                                                     entries.view(), rows);
    const auto inverse = [&](index_t first, index_t i, index_t j) {  // in steps of the blocks
        return blocks.inverses().data()[first * rows + (j - first) * rows + i - first];
    };
    const auto row = [&](index_t step) { return static_cast<std::size_t>(lower || transposed ? step : n - 1 - step); };
    const auto entry = [&](index_t i, index_t j) {  // of T, in steps
        const auto r = static_cast<index_t>(row(transposed ? j : i)), c = static_cast<index_t>(row(transposed ? i : j));
        return real(entries.get(r, c), bits);
    };
    exact_solution s{std::vector<real>(b.size(), real(0.0, bits)), std::vector<real>(b.size(), real(0.0, bits))};
    std::vector<real> c = b, c_size = b;
    const index_t last_first = (n - 1) / rows * rows;
    for (index_t at = 0; at < n; at += rows) {
        const index_t first = transposed ? last_first - at : at;
        const index_t last = std::min(first + rows, n);
        for (index_t i = first; i < last; ++i) {
            c_size[row(i)] = abs(c[row(i)]);
            for (index_t j = transposed ? last : 0; j < (transposed ? n : first); ++j) {
                const real term = entry(i, j) * s.x[row(j)];
                c[row(i)] -= term;
                c_size[row(i)] += abs(term);
            }
        }
        for (index_t i = first; i < last; ++i) {
            for (index_t j = first; j < last; ++j) {
                const real x_ij(transposed ? inverse(first, j, i) : inverse(first, i, j), bits);
                s.x[row(i)] += x_ij * c[row(j)];
                s.size[row(i)] += abs(x_ij) * c_size[row(j)];
            }
        }
    }
    return s;
}

}  // namespace

TEST(dense_triangle_test, is_one_linear_operator_to_the_precision_of_the_space)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const blas::uplo which : {blas::uplo::lower, blas::uplo::upper}) {
        for (const index_t n : {1, 31, 32, 33, 100}) {
            const sparse_matrix t = random_triangle(random, n, which);
            const std::vector<real> b = random_reals(random, n);
            for_each_space(host_executor{}, [&]<class S>(const S& space) {
                const exact_solution expected = solve_exactly(which, t, b, std::same_as<typename S::element, double>);
                const std::vector<real> x = solved(space, which, t, b, rows);
                long p = 300;
                if constexpr (!run_time_format<typename S::element>) {
                    p = 53L * number_traits<typename S::element>::terms;
                }
                // c(n) u of what is added up, and what errors of x grow to on their way: entries are below 1/2 of a pivot
                const real bound = ldexp(real(1.0, bits), -p + 14);
                for (std::size_t i = 0; i < x.size(); ++i) {
                    EXPECT_LE(abs(x[i] - expected.x[i]), bound * expected.size[i]) << n << ", " << p << " bits, " << i;
                }
            });
        }
    }
}

TEST(dense_triangle_test, solves_as_far_as_binary64_has_the_inverses)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const index_t n = 150;
    for (const blas::uplo which : {blas::uplo::lower, blas::uplo::upper}) {
        const sparse_matrix t = random_triangle(random, n, which);
        const std::vector<real> b = random_reals(random, n);
        const std::vector<real> x = solved(host_space<expansion<double, 2>>{}, which, t, b, 64);
        for (index_t i = 0; i < n; ++i) {
            real rest = b[static_cast<std::size_t>(i)], size = abs(rest);
            for (index_t p = t.row_begin[i]; p < t.row_begin[i + 1]; ++p) {
                const real term = real(t.values[p], bits) * x[static_cast<std::size_t>(t.column[p])];
                rest -= term;
                size += abs(term);
            }
            EXPECT_LE(abs(rest), real(0x1p-45, bits) * size) << i;
        }
    }
}

TEST(dense_triangle_test, both_triangles_of_a_symmetric_matrix_are_one_symmetric_operator)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const index_t n = 75;
    const sparse_matrix l = random_triangle(random, n, blas::uplo::lower);
    const sparse_matrix u = transpose(l);
    const host_space<expansion<double, 2>> space;
    const auto product = [&](const std::vector<real>& x, const std::vector<real>& y) {  // y' M x
        const std::vector<real> z =
            solved(space, blas::uplo::upper, u, solved(space, blas::uplo::lower, l, x, rows), rows);
        real sum(0.0, bits), size(0.0, bits);
        for (std::size_t i = 0; i < z.size(); ++i) {
            sum += y[i] * z[i];
            size += abs(y[i] * z[i]);
        }
        return std::pair(sum, size);
    };
    const std::vector<real> x = random_reals(random, n), y = random_reals(random, n);
    const auto [a, size_of_a] = product(x, y);
    const auto [b, size_of_b] = product(y, x);

    EXPECT_LE(abs(a - b), real(0x1p-90, bits) * max(size_of_a, size_of_b));
}

TEST(dense_triangle_test, has_the_same_bits_for_any_number_of_threads)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const index_t n = 600;
    for (const blas::uplo which : {blas::uplo::lower, blas::uplo::upper}) {
        const sparse_matrix t = random_triangle(random, n, which);
        const std::vector<real> b = random_reals(random, n);
        for_each_space(host_executor{}, [&](const auto& space) {
            std::vector<real> expected;
            for (const int threads : {1, 2, 3, 7}) {
                const io::thread_limit limit(threads);
                const std::vector<real> x = solved(space, which, t, b, 256);
                expected = threads == 1 ? x : expected;
                EXPECT_TRUE(x == expected) << threads << " threads";
            }
        });
    }
}

TEST(dense_triangle_test, large_dense_factors_give_a_vector_the_same_bits_alone_and_together)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const index_t n = least_order_of_blocks + 5;
    sparse_matrix a;
    a.rows = a.cols = n;
    a.row_begin.push_back(0);
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            a.column.push_back(static_cast<std::int32_t>(j));
            a.values.push_back(random.full(-8, -1) + (i == j ? 8.0 : 0.0));
        }
        a.row_begin.push_back(a.nonzeros());
    }
    const factorization factors = by_triangles(factorize_lu(a));
    ASSERT_TRUE(are_blocks(factors.triangles()));
    const host_space<expansion<double, 2>> space;
    const binary64_preconditioner<host_space<expansion<double, 2>>> m(space, factors);
    constexpr index_t count = 3;
    std::vector<vector<host_executor, expansion<double, 2>>> x, together;
    const_columns<host_space<expansion<double, 2>>> from;
    columns<host_space<expansion<double, 2>>> to;
    for (index_t v = 0; v < count; ++v) {
        x.push_back(space.make_vector(n));
        together.push_back(space.make_vector(n));
        for (index_t i = 0; i < n; ++i) {
            x.back().set(i, random.full(-8, 8));
        }
    }
    for (std::size_t v = 0; v < x.size(); ++v) {
        from.push_back(&x[v]);
        to.push_back(&together[v]);
    }
    m.apply_together(space, from, to);
    auto alone = space.make_vector(n);
    for (std::size_t v = 0; v < x.size(); ++v) {
        m.apply(space, x[v], alone);
        double largest = 0.0;
        for (index_t i = 0; i < n; ++i) {
            EXPECT_TRUE(alone.get(i) == together[v].get(i)) << v << ", " << i;
            largest = std::max(largest, std::abs(to_double(alone.get(i))));
        }
        for (index_t i = 0; i < n; ++i) {  // A M x is near x
            double rest = to_double(x[v].get(i));
            for (index_t j = 0; j < n; ++j) {
                rest -= a.values[static_cast<std::size_t>(i * n + j)] * to_double(alone.get(j));
            }
            EXPECT_LE(std::abs(rest), 1e-11 * largest) << v << ", " << i;
        }
    }
}
