#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/trsv.hpp>

#include "tests/blas/sparse/random_coo.hpp"
#include "tests/support/biased_random.hpp"

using namespace residua;

namespace {

using numbers = vector<host_executor, multidigit>;
using matrix = csr<host_executor, double>;
const host_executor host;

class multidigit_sparse_test : public ::testing::TestWithParam<long> {
protected:
    multidigit_format format{GetParam()};
    support::biased_random random;

    numbers random_vector(index_t n)
    {
        numbers x(format, n);
        for (index_t i = 0; i < n; ++i) {
            const multidigit_number third =
                multidigit_number(format, random.value(-4, 4)) / multidigit_number(format, 3.0);
            x.set(i, random.one_in(15) ? multidigit_number(format) : third);
        }
        return x;
    }

    /// Rows of 0 to 9 entries, with the diagonal where one is wanted.
    matrix random_matrix(index_t rows, index_t cols, bool with_diagonal)
    {
        std::vector<std::vector<index_t>> columns(static_cast<std::size_t>(rows));
        index_t entries = 0;
        for (index_t i = 0; i < rows; ++i) {
            auto& row = columns[static_cast<std::size_t>(i)];
            const int wanted = random.integer(0, 9);
            for (index_t j = 0; j < cols; ++j) {
                const bool taken = (with_diagonal && j == i) || random.integer(0, static_cast<int>(cols)) < wanted;
                if (taken) {
                    row.push_back(j);
                }
            }
            entries += static_cast<index_t>(row.size());
        }
        matrix a(rows, cols, entries);
        index_t p = 0;
        for (index_t i = 0; i < rows; ++i) {
            a.row_begin()[static_cast<std::size_t>(i)] = p;
            for (const index_t j : columns[static_cast<std::size_t>(i)]) {
                a.col()[static_cast<std::size_t>(p)] = static_cast<column_t>(j);
                a.value().data()[p++] = random.value(-3, 3);
            }
        }
        a.row_begin()[static_cast<std::size_t>(rows)] = p;
        return a;
    }
};

/// sum of a_ij x_j over row i with many bits, and the largest term's magnitude.
real row_sum(const matrix& a, index_t i, const numbers& x, real& largest)
{
    real sum(0.0, 20000);
    for (index_t p = a.row_begin()[static_cast<std::size_t>(i)]; p < a.row_begin()[static_cast<std::size_t>(i) + 1];
         ++p) {
        const real term =
            to_real(x.get(a.col()[static_cast<std::size_t>(p)])).with_precision(20000) * real(a.value().data()[p]);
        sum += term;
        largest = max(largest, abs(term));
    }
    return sum;
}

TEST_P(multidigit_sparse_test, products_are_within_their_bound_and_alike_in_both_storages)
{
    for (const index_t rows : {0, 1, 40, 300}) {
        const index_t cols = rows == 0 ? 5 : rows + 3;
        const matrix a = random_matrix(rows, cols, false);
        const sliced_ell<host_executor, double> sliced(a);
        numbers entries(format, a.entries());
        for (index_t p = 0; p < a.entries(); ++p) {
            entries.set(p, multidigit_number(format, a.value().data()[p]));
        }
        csr<host_executor, multidigit> long_a(rows, cols, entries);
        std::copy(a.row_begin().begin(), a.row_begin().end(), long_a.row_begin().begin());
        std::copy(a.col().begin(), a.col().end(), long_a.col().begin());
        const sliced_ell<host_executor, multidigit> long_sliced(long_a);
        const numbers x = random_vector(cols);
        const numbers before = random_vector(rows);
        const multidigit_number zero(format), one(format, 1.0);
        const multidigit_number third = one / multidigit_number(format, 3.0);
        for (const auto& [alpha, beta] :
             {std::pair{one, zero}, {third, one}, {-one, third}, {one, -one}, {third, zero}}) {
            numbers sums(format, rows), y = before, other = before, with_long = before, other_long = before;
            blas::spmv<multidigit>(host, one, a, x, zero, sums.view());
            blas::spmv<multidigit>(host, alpha, a, x, beta, y.view());
            blas::spmv<multidigit>(host, alpha, sliced, x, beta, other.view());
            blas::spmv<multidigit>(host, alpha, long_a, x, beta, with_long.view());
            blas::spmv<multidigit>(host, alpha, long_sliced, x, beta, other_long.view());
            const real u = pow(real(0.5, 64), GetParam());
            for (index_t i = 0; i < rows; ++i) {
                ASSERT_EQ(to_real(y.get(i)), to_real(other.get(i)));
                ASSERT_EQ(to_real(with_long.get(i)), to_real(other_long.get(i)));
                ASSERT_EQ(to_real(y.get(i)), to_real(with_long.get(i)));
                real largest(0.0, 64);
                const real sum = row_sum(a, i, x, largest);
                const real start = to_real(beta) * to_real(before.get(i));
                real updated = start;
                mpfr_fma(updated.mpfr(), to_real(alpha).mpfr(), to_real(sums.get(i)).mpfr(), start.mpfr(), MPFR_RNDN);
                ASSERT_EQ(to_real(y.get(i)), updated) << i;
                const real exact = to_real(alpha).with_precision(20000) * sum +
                                   to_real(beta).with_precision(20000) * to_real(before.get(i));
                const real bound =
                    u * (real(2.001) * abs(sum) + real(1.001) * abs(exact) + abs(start)) + real(0x1p-16) * u * largest;
                ASSERT_LE(abs(to_real(y.get(i)) - exact), bound) << i;
                ASSERT_LE(abs(to_real(with_long.get(i)) - exact), bound) << i;
            }
        }
    }
}

TEST_P(multidigit_sparse_test, triangles_are_solved)
{
    for (const index_t n : {1, 2, 37}) {
        const matrix a = random_matrix(n, n, true);
        const numbers b = random_vector(n);
        for (const blas::uplo triangle : {blas::uplo::lower, blas::uplo::upper}) {
            for (const blas::diag diagonal : {blas::diag::non_unit, blas::diag::unit}) {
                numbers x = b;
                blas::trsv<multidigit>(host, triangle, diagonal, a, x, x);
                const real u = pow(real(0.5, 64), GetParam());
                for (index_t i = 0; i < n; ++i) {
                    real rest = to_real(b.get(i)).with_precision(20000);
                    real magnitudes = abs(rest);
                    for (index_t p = a.row_begin()[static_cast<std::size_t>(i)];
                         p < a.row_begin()[static_cast<std::size_t>(i) + 1]; ++p) {
                        const index_t j = a.col()[static_cast<std::size_t>(p)];
                        const bool inside = j == i || (j < i) == (triangle == blas::uplo::lower);
                        const double entry = j == i && diagonal == blas::diag::unit ? 1.0 : a.value().data()[p];
                        if (inside) {
                            const real term = to_real(x.get(j)).with_precision(20000) * real(entry);
                            rest -= term;
                            magnitudes += abs(term);
                        }
                    }
                    ASSERT_LE(abs(rest), real(3.0) * u * magnitudes) << i;
                }
            }
        }
    }
}

TEST_P(multidigit_sparse_test, levels_give_the_bits_of_one_row_after_the_other)
{
    const matrix a = csr_from_coo(support::layered_coo(random, 2, 5000));
    const numbers b = random_vector(a.rows());
    const int threads = omp_get_max_threads();
    for (const blas::uplo triangle : {blas::uplo::lower, blas::uplo::upper}) {
        const blas::row_levels levels = blas::find_levels(triangle, a);
        numbers expected = b;
        blas::trsv<multidigit>(host, triangle, blas::diag::non_unit, a, expected, expected);
        for (const int count : {1, 3}) {
            omp_set_num_threads(count);
            numbers x = b;
            blas::trsv<multidigit>(host, levels, blas::diag::non_unit, a, x, x);
            for (index_t i = 0; i < b.size(); ++i) {
                ASSERT_TRUE(x.get(i) == expected.get(i)) << i << ", " << count << " threads";
            }
        }
        omp_set_num_threads(threads);
    }
}

INSTANTIATE_TEST_SUITE_P(bits, multidigit_sparse_test, ::testing::Values(64, 212, 424, 1696));

TEST(multidigit_sparse, refuses_what_does_not_fit)
{
    const multidigit_format format(212);
    const multidigit_number one(format, 1.0);
    const matrix a(3, 4, 0);
    numbers x(format, 4), y(format, 3), other(multidigit_format(213), 4);
    EXPECT_THROW(blas::spmv<multidigit>(host, one, a, y, one, x.view()), dimension_error);
    EXPECT_THROW(blas::spmv<multidigit>(host, one, a, other, one, y.view()), error);
    EXPECT_THROW(blas::trsv<multidigit>(host, blas::uplo::lower, blas::diag::unit, a, x, y), dimension_error);
    const matrix square(4, 4, 0);
    blas::trsv<multidigit>(host, blas::uplo::lower, blas::diag::non_unit, square, x, x);  // no diagonal: 0 / 0
    EXPECT_FALSE(is_finite(x.get(0)));
}

}  // namespace
