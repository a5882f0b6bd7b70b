#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/gemv2.hpp>
#include <residua/blas/level3/gemm2.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/spmv2.hpp>
#include <tests/blas/twofold.hpp>

namespace residua {
namespace {

using namespace support;

const host_executor exec;

/// What alpha s + beta y in two words may be off by, relative to |alpha s| + |beta y|.
double update_bound() { return 1.01 * (2.0 * accumulation_error_bound<2>(1.0) + product_error_bound<2>()); }

/// Rows of all lengths from 0 to cols.
io::coo<double> random_coo(biased_random& random, index_t rows, index_t cols)
{
    io::coo<double> a;
    a.rows = rows;
    a.cols = cols;
    for (index_t i = 0; i < rows; ++i) {
        const double density = random.one_in(8) ? 1.0 : random.one_in(8) ? 0.0 : 0.2;
        for (index_t j = 0; j < cols; ++j) {
            if (random.uniform() < density) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(random.number<double>(-20, 20));
            }
        }
    }
    return a;
}

struct twofold_test : twofold_fixture {
    /// Every kind of alpha and beta.
    std::vector<std::pair<double, double>> scalars()
    {
        const double some = random.full(-3, 3);
        return {{1.0, 0.0}, {1.0, 1.0}, {-2.0, 0.0}, {some, 0.0}, {some, 1.0}, {0.0, 1.0}, {-2.0, some}, {some, -some}};
    }

    /// A x with cancellation in the first row.
    doubles cancelling_factors(index_t n)
    {
        doubles x = random_numbers<double>(random, n, -20, 20);
        for (index_t j = 0; j + 1 < n; j += 2) {
            x[static_cast<std::size_t>(j + 1)] = -x[static_cast<std::size_t>(j)];
        }
        return x;
    }
};

// By hand.

TEST_F(twofold_test, small_products_are_right)
{
    const auto x = make_vector<double>({1.0, 10.0, 100.0});
    matrix<host_executor, double> a(2, 3);  // 1 2 3; 4 5 6
    for (index_t i = 0; i < 2; ++i) {
        for (index_t j = 0; j < 3; ++j) {
            a.set(i, j, static_cast<double>(3 * i + j + 1));
        }
    }
    const auto sparse = csr_from_coo(io::coo<double>{2, 3, {0, 0, 1}, {0, 2, 1}, {2.0, 3.0, 5.0}});  // 2 0 3; 0 5 0
    auto y = make_vector<double>({1.0, 2.0});
    matrix<host_executor, double> c(2, 1);

    blas::gemv2(exec, -1.0, a, x, 3.0, y.view());
    EXPECT_EQ(numbers<double>(y), (doubles{-318.0, -648.0}));
    blas::spmv2(exec, 2.0, sparse, x, 1.0, y.view());
    EXPECT_EQ(numbers<double>(y), (doubles{286.0, -548.0}));
    const auto v = x.view();
    blas::gemm2(exec, 1.0, a, matrix_view<host_executor, const double>{v.start, 3, 1, 3}, 0.0, c.view());
    EXPECT_EQ(c.get(0, 0), 321.0);
    EXPECT_EQ(c.get(1, 0), 654.0);
}

TEST_F(twofold_test, a_matrix_without_columns_is_a_zero_matrix)
{
    const residua::vector<host_executor, double> none(0);
    const matrix<host_executor, double> a(3, 0);
    auto y = make_vector<double>({1.0, 2.0, 4.0});

    blas::gemv2(exec, 1.0, a, none, 0.5, y.view());
    EXPECT_EQ(numbers<double>(y), (doubles{0.5, 1.0, 2.0}));
}

TEST_F(twofold_test, sizes_that_do_not_fit_are_refused)
{
    const matrix<host_executor, double> a(2, 3);
    const auto sparse = csr_from_coo(io::coo<double>{2, 3, {0}, {0}, {2.0}});
    const sliced_ell<host_executor, double> sliced(sparse);
    residua::vector<host_executor, double> two(2), three(3);
    matrix<host_executor, double> c(2, 2);

    EXPECT_THROW(blas::gemv2(exec, 1.0, a, two, 0.0, two.view()), dimension_error);
    EXPECT_THROW(blas::gemv2(exec, 1.0, a, three, 0.0, three.view()), dimension_error);
    EXPECT_THROW(blas::spmv2(exec, 1.0, sparse, two, 0.0, two.view()), dimension_error);
    EXPECT_THROW(blas::spmv2(exec, 1.0, sliced, three, 0.0, three.view()), dimension_error);
    EXPECT_THROW(blas::gemm2(exec, 1.0, a, a, 0.0, c.view()), dimension_error);
}

/// 1 + u + 2^-100 is above the middle of two doubles, 1 + u is rounded to 1.
TEST_F(twofold_test, results_are_rounded_once)
{
    const double above = 1.0 + 0x1p-52;
    matrix<host_executor, double> a(1, 2);
    a.set(0, 0, 1.0);
    a.set(0, 1, 0x1p-53);
    const auto factors = make_vector<double>({1.0, 1.0});
    auto y = make_vector<double>({0x1p-100});
    auto z = make_vector<double>({0x1p-99});

    blas::gemv2(exec, 1.0, a, factors, 1.0, y.view());
    EXPECT_EQ(y.get(0), above);
    blas::gemv2(exec, 3.0, a, factors, 0.5, z.view());  // 3 + 3u + 2^-100: next to 3, ulp 4u
    EXPECT_EQ(z.get(0), 3.0 + 0x1p-51);
}

TEST_F(twofold_test, y_is_not_read_if_beta_is_zero)
{
    const auto a = random_matrix<double>(random, 40, 5, -3, 3);
    const auto x = make_vector(random_numbers<double>(random, 5, -3, 3));
    auto y = make_vector(doubles(40, std::nan("")));
    blas::gemv2(exec, 2.5, a, x, 0.0, y.view());
    EXPECT_TRUE(std::ranges::all_of(numbers<double>(y), [](double yi) { return std::isfinite(yi); }));
}

// Against exact sums, and against the same sums of two-term numbers.

TEST_F(twofold_test, gemv2_keeps_its_bound_on_a_part_of_a_matrix)
{
    SCOPED_TRACE(random.trace());
    for (const auto& [m, n] : {std::pair{1, 1}, {5, 3}, {31, 64}, {33, 65}, {67, 130}, {3, 700}, {1100, 4}}) {
        auto whole = random_matrix<double>(random, m + 13, n + 2, -20, 20);
        whole.set(10, 1, std::nan(""));  // just outside
        whole.set(m + 11, n, std::nan(""));
        const auto w = whole.view();
        const matrix_view<host_executor, const double> a = w.block(11, 1, m, n);
        const auto x = cancelling_factors(n);
        const auto y = random_numbers<double>(random, m, -20, 20);
        for (const auto& [alpha, beta] : scalars()) {
            guarded<double> from(x), to(y);
            auto in_two_words = make_vector(widened(y));

            blas::gemv2(exec, alpha, a, from.view(), beta, to.view());
            blas::gemv<twofold>(exec, blas::trans::no, alpha, a, make_vector(widened(x)), beta, in_two_words.view());

            const auto result = to.values();
            EXPECT_TRUE(same_bits(result, narrowed(numbers<twofold>(in_two_words)))) << m << " x " << n;
            EXPECT_TRUE(to.margins_intact());
            for (index_t i = 0; i < m; i += 1 + m / 40) {
                exact_products exact;
                for (index_t j = 0; j < n; ++j) {
                    exact.add(wide(alpha) * wide(a.column(j).load(i)) * wide(x[static_cast<std::size_t>(j)]));
                }
                exact.add(wide(beta) * wide(y[static_cast<std::size_t>(i)]));
                const double c = blas::dense_row_error_bound<2>(n) + update_bound();
                EXPECT_TRUE(within_bound(result[static_cast<std::size_t>(i)], exact, c)) << m << " x " << n;
            }
        }
    }
}

TEST_F(twofold_test, gemm2_is_gemv2_by_columns)
{
    SCOPED_TRACE(random.trace());
    for (const auto& [m, k, n] : {std::array<index_t, 3>{1, 0, 1}, {33, 70, 5}, {7, 260, 3}, {2, 65, 9}}) {
        const auto a = random_matrix<double>(random, m, k, -20, 20);
        const auto b = random_matrix<double>(random, k, n, -20, 20);
        const auto before = random_matrix<double>(random, m, n, -20, 20);
        for (const auto& [alpha, beta] : scalars()) {
            auto c = before;
            auto by_columns = before;
            blas::gemm2(exec, alpha, a, b, beta, c.view());
            for (index_t j = 0; j < n; ++j) {
                blas::gemv2(exec, alpha, a, b.view().column(j), beta, by_columns.view().column(j));
                EXPECT_TRUE(
                    same_bits(numbers<double>(c.view().column(j)), numbers<double>(by_columns.view().column(j))));
            }
        }
    }
}

TEST_F(twofold_test, spmv2_keeps_its_bound_with_both_storages)
{
    SCOPED_TRACE(random.trace());
    for (const auto& [m, n] : {std::pair{1, 1}, {31, 40}, {33, 32}, {100, 257}, {700, 90}}) {
        const auto entries = random_coo(random, m, n);
        const auto a = csr_from_coo(entries);
        const sliced_ell<host_executor, double> sliced(a);
        const auto x = cancelling_factors(n);
        const auto y = random_numbers<double>(random, m, -20, 20);
        for (const auto& [alpha, beta] : scalars()) {
            guarded<double> from(x), to(y), other(y);
            auto in_two_words = make_vector(widened(y));

            blas::spmv2(exec, alpha, a, from.view(), beta, to.view());
            blas::spmv2(exec, alpha, sliced, from.view(), beta, other.view());
            blas::spmv(exec, alpha, a, make_vector(widened(x)), beta, in_two_words.view());

            const auto result = to.values();
            EXPECT_TRUE(same_bits(result, other.values())) << "the two storages differ";
            EXPECT_TRUE(same_bits(result, narrowed(numbers<twofold>(in_two_words)))) << m << " x " << n;
            EXPECT_TRUE(to.margins_intact() && other.margins_intact());
            for (index_t i = 0; i < m; i += 1 + m / 40) {
                exact_products exact;
                for (index_t p = a.row_begin()[i]; p < a.row_begin()[i + 1]; ++p) {
                    const auto j = static_cast<std::size_t>(a.col()[p]);
                    exact.add(wide(alpha) * wide(a.value().load(p)) * wide(x[j]));
                }
                exact.add(wide(beta) * wide(y[static_cast<std::size_t>(i)]));
                const index_t length = a.row_begin()[i + 1] - a.row_begin()[i];
                const double c = blas::sparse_row_error_bound<2>(length) + update_bound();
                EXPECT_TRUE(within_bound(result[static_cast<std::size_t>(i)], exact, c)) << m << " x " << n;
            }
        }
    }
}

TEST_F(twofold_test, what_is_not_finite_shows_as_in_two_words)
{
    for (const double bad : not_finite) {
        for (const std::size_t at : {0, 3, 650, 699}) {
            doubles x(700, 1.0);
            x[at] = bad;
            matrix<host_executor, double> row(1, 700);
            for (index_t j = 0; j < 700; ++j) {
                row.set(0, j, x[static_cast<std::size_t>(j)]);
            }
            auto y = make_vector<double>({1.0});
            auto in_two_words = make_vector<twofold>({twofold{1.0}});
            blas::gemv2(exec, 1.0, row, make_vector(x), 2.0, y.view());
            blas::gemv<twofold>(exec, blas::trans::no, 1.0, row, make_vector(widened(x)), 2.0, in_two_words.view());
            EXPECT_FALSE(std::isfinite(y.get(0)));
            EXPECT_TRUE(same_number(y.get(0), to_double(in_two_words.get(0)))) << bad;
        }
    }
    const auto sparse = csr_from_coo(io::coo<double>{2, 3, {0, 0, 1}, {0, 2, 1}, {2.0, 3.0, 5.0}});
    auto y = make_vector<double>({0.0, 0.0});
    blas::spmv2(exec, 1.0, sparse, make_vector<double>({1.0, infinity, 1.0}), 0.0, y.view());
    EXPECT_EQ(y.get(0), 5.0);  // what is not stored is zero, also times infinity
    EXPECT_FALSE(std::isfinite(y.get(1)));
}

TEST_F(twofold_test, one_answer_for_any_thread_count_and_instruction_set)
{
    SCOPED_TRACE(random.trace());
    const auto x = make_vector(random_numbers<double>(random, 300, -30, 30));
    const auto a = random_matrix<double>(random, 300, 257, -20, 20);
    const auto b = random_matrix<double>(random, 257, 3, -20, 20);
    const auto sparse = csr_from_coo(random_coo(random, 500, 300));
    const sliced_ell<host_executor, double> sliced(sparse);
    const auto start = random_numbers<double>(random, 500, -20, 20);
    const vector_view<host_executor, const double> short_x = x.view().part(0, 257);
    const auto run = [&](index_t rows, const auto& f) {
        return [&start, rows, f] {
            auto to = make_vector(doubles(start.begin(), start.begin() + rows));
            f(to.view());
            return numbers<double>(to);
        };
    };
    expect_one_answer("gemv2", run(300, [&](auto to) { blas::gemv2(exec, 0.3, a, short_x, 0.7, to); }));
    expect_one_answer("gemm2", [&] {
        matrix<host_executor, double> c(300, 3);
        blas::gemm2(exec, 0.3, a, b, 0.0, c.view());
        return numbers<double>(c.view().column(2));
    });
    expect_one_answer("spmv2, csr", run(500, [&](auto to) { blas::spmv2(exec, 0.3, sparse, x, 0.7, to); }));
    expect_one_answer("spmv2, sliced", run(500, [&](auto to) { blas::spmv2(exec, 0.3, sliced, x, 0.7, to); }));
}

}  // namespace
}  // namespace residua
