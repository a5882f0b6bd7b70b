// Sparse factors in binary32, which solve in binary64: at the ends of the range of binary32, and what only they do not have.
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/solvers/sparse_direct/multifrontal.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using binary32_fronts = multifrontal<host_space<float>>;
using binary64_fronts = multifrontal<host_space<double>>;
using dense_rows = std::vector<std::vector<double>>;

std::shared_ptr<const sparse_analysis> analysis_of(const sparse_matrix& a, factor_kind kind)
{
    return std::make_shared<const sparse_analysis>(analyze_for_factors(a, kind));
}

/// Pivots on the diagonal in their order, nothing scaled.
std::shared_ptr<const sparse_analysis> as_it_is(const sparse_matrix& a)
{
    std::vector<std::int32_t> order(static_cast<std::size_t>(a.rows));
    std::iota(order.begin(), order.end(), 0);
    return std::make_shared<const sparse_analysis>(analysis_by_diagonal(a, order, false));
}

std::vector<double> solution(const binary32_fronts& f, const std::vector<double>& b, bool transposed = false)
{
    auto x = host_space<double>{}.make_vector(b);
    f.solve(x, transposed);
    std::vector<double> result;
    for (index_t i = 0; i < x.size(); ++i) {
        result.push_back(x.get(i));
    }
    return result;
}

std::vector<double> times(const std::vector<double>& x, double by)
{
    std::vector<double> y;
    for (const double each : x) {
        y.push_back(by * each);
    }
    return y;
}

/// -1 below the diagonal, 1 on it and in the last column, which doubles at every step [Higham02, Sec. 9.4].
sparse_matrix growing(std::size_t n)
{
    dense_rows a(n, std::vector<double>(n, 0.0));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            a[i][j] = -1.0;
        }
        a[i][i] = a[i][n - 1] = 1.0;
    }
    return rows_of(from_rows(a));
}

/// A with [1, 1; 1, 1 + 2^-30] behind it on the diagonal.
sparse_matrix beside_a_block_that_24_bits_make_singular(sparse_matrix a)
{
    const auto n = static_cast<std::int32_t>(a.rows);
    a.rows = a.cols = a.rows + 2;
    a.row_begin.push_back(a.row_begin.back() + 2);
    a.row_begin.push_back(a.row_begin.back() + 2);
    a.column.own().insert(a.column.own().end(), {n, n + 1, n, n + 1});
    a.values.own().insert(a.values.own().end(), {1.0, 1.0, 1.0, 1.0 + 0x1p-30});
    return a;
}

struct binary32_fronts_test : multifrontal_of<kind<host_space<float>, 24>> {};

}  // namespace

TEST_F(binary32_fronts_test, solves_divide_and_subtract_in_binary64)
{
    const sparse_matrix a = rows_of(from_rows({{3.0, 0, 0}, {0, 7.0, 0}, {0, 5.0, 11.0}}));

    const std::vector<double> x = solution({host_space<float>{}, as_it_is(a), a}, {1.0, 1.0, 1.0});

    const double l = static_cast<float>(5.0F * (1.0F / 7.0F));  // as it is stored
    EXPECT_EQ(x, (std::vector<double>{1.0 / 3.0, 1.0 / 7.0, (1.0 - l) / 11.0}));
}

TEST_F(binary32_fronts_test, right_hand_sides_have_the_range_of_binary64)
{
    for (const factor_kind kind : {factor_kind::cholesky, factor_kind::ldl, factor_kind::lu}) {
        const sparse_matrix a = grid(11, 12);
        const binary32_fronts f{host_space<float>{}, analysis_of(a, kind), a};
        ASSERT_EQ(f.failure(), "");
        std::vector<double> b;
        for (index_t i = 0; i < a.rows; ++i) {
            b.push_back(1.0 / static_cast<double>(i + 3));
        }
        for (const bool transposed : {false, true}) {
            const std::vector<double> x = solution(f, b, transposed);
            for (const double scale : {0x1p900, 0x1p-900}) {
                EXPECT_EQ(solution(f, times(b, scale), transposed), times(x, scale));
            }
        }
    }
}

TEST_F(binary32_fronts_test, growth_beyond_the_range_is_a_failure)
{
    // The last pivot is 2^(n - 1), of 129 columns the first power of two beyond the range: a sum of its terms from the largest on is
    // 2^128 - 2^104, which is in the range, and within its error.
    for (const int n : {127, 128, 130, 200}) {
        const sparse_matrix a = growing(static_cast<std::size_t>(n));

        const binary32_fronts f{host_space<float>{}, as_it_is(a), a};

        EXPECT_EQ(
            f.failure(),
            n <= 128 ? "" : "no usable pivot in column " + std::to_string(n) + ": the matrix is singular in binary32");
        EXPECT_EQ((binary64_fronts{host_space<double>{}, as_it_is(a), a}.failure()), "");
    }
}

TEST_F(binary32_fronts_test, entries_beyond_the_range_are_a_failure_unless_scaling_brings_them_back)
{
    for (const dense_rows& rows :
         {dense_rows{{1, 1e100}, {1, 1}}, dense_rows{{1, 1}, {1e100, 1}}, dense_rows{{1, 1e100}, {0, 1}},
          dense_rows{{1, 0}, {1e100, 1}}, dense_rows{{1e100, 0}, {0, 1}}, dense_rows{{1e-100, 0}, {0, 1}},
          dense_rows{{1, 1e100, 0}, {0, 1, 1}, {1, 0, 1}}}) {
        const sparse_matrix a = rows_of(from_rows(rows));
        EXPECT_EQ((binary32_fronts{host_space<float>{}, as_it_is(a), a}.failure().find("no usable pivot in column ")),
                  0u);

        expect_solves(factorize(a));
    }
    const sparse_matrix indefinite = rows_of(from_rows({{1, 0, 1e100}, {0, 1, 0}, {1e100, 0, 1}}));
    EXPECT_EQ(
        (binary32_fronts{host_space<float>{}, analysis_of(indefinite, factor_kind::cholesky), indefinite}.failure()),
        "the matrix is not positive definite in binary32");
}

TEST_F(binary32_fronts_test, what_left_the_range_has_no_inertia)
{
    const sparse_matrix a = rows_of(from_rows({{1, 1e100}, {1e100, 1}}));
    sparse_analysis analysis = *as_it_is(a);
    analysis.kind = factor_kind::ldl;

    const binary32_fronts f{host_space<float>{}, std::make_shared<const sparse_analysis>(analysis), a};

    EXPECT_EQ(f.failure().find("no usable pivot in column "), 0u);
    EXPECT_FALSE(f.find_inertia().has_value());
}

TEST_F(binary32_fronts_test, what_is_singular_in_binary32_alone_is_told)
{
    const sparse_matrix a = beside_a_block_that_24_bits_make_singular(grid(9, 9));
    for (const factor_kind kind : {factor_kind::cholesky, factor_kind::ldl, factor_kind::lu}) {
        const std::string failure = binary32_fronts{host_space<float>{}, analysis_of(a, kind), a}.failure();
        if (kind == factor_kind::cholesky) {
            EXPECT_EQ(failure, "the matrix is not positive definite in binary32");
        } else {
            EXPECT_EQ(failure.find("no usable pivot in column 8"), 0u) << failure;  // 82 or 83
            EXPECT_TRUE(failure.ends_with(": the matrix is singular in binary32")) << failure;
        }
        EXPECT_EQ((binary64_fronts{host_space<double>{}, analysis_of(a, kind), a}.failure()), "");
    }
}

TEST_F(binary32_fronts_test, take_as_many_entries_of_half_the_size)
{
    const sparse_matrix a = grid(60, 60);
    const auto analysis = analysis_of(a, factor_kind::cholesky);
    const binary32_fronts narrow{host_space<float>{}, analysis, a};
    const binary64_fronts wide{host_space<double>{}, analysis, a};

    EXPECT_EQ(narrow.entries(), wide.entries());
    EXPECT_EQ(sizeof(*narrow.factors_of(0).columns.data()), 4u);
    const double numbers = bytes_of_fronts(*analysis, 8.0) - bytes_of_fronts(*analysis, 0.0);
    EXPECT_DOUBLE_EQ(bytes_of_fronts(*analysis, 8.0) - bytes_of_fronts(*analysis, 4.0), 0.5 * numbers);
}
