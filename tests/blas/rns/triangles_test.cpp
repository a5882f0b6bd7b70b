// Triangular solves with RNS floats: residuals in MPFR against the bounds of their contracts.
#include <gtest/gtest.h>
#include <omp.h>

#include "tests/blas/rns/bounds.hpp"
#include "tests/blas/rns/every_operation.hpp"
#include "tests/blas/sparse/random_coo.hpp"

namespace residua::support {
namespace {

const host_executor exec;

class rns_triangles_test : public testing::TestWithParam<long> {};
INSTANTIATE_TEST_SUITE_P(bits, rns_triangles_test, testing::Values(53, 106, 159, 424, 1734));

TEST_P(rns_triangles_test, solve_with_triangles_within_their_bounds)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const rns_format format(GetParam());
    const index_t n = 12;
    const rns_data data = random_data(format, {n, n, 1, 1, 1}, random);
    matrix<host_executor, rns> a = data.b;
    io::coo<double> pattern;
    pattern.rows = pattern.cols = n;
    for (index_t i = 0; i < n; ++i) {
        a.set(i, i, rns_number(format, real(random.full(-2, 2))));
        for (index_t j = 0; j < n; ++j) {
            if (i == j || random.one_in(3)) {
                pattern.row.push_back(i);
                pattern.col.push_back(j);
                pattern.value.push_back(random.full(-2, 2));
            }
        }
    }
    const csr<host_executor, double> sparse = csr_from_coo(pattern);
    const auto exact = [&](const rns_number& x) {
        return to_real(x).with_precision(8 * format.precision_bits() + 2000);
    };
    /// |b - T x| against gamma_k |T| |x|, T the entries (i, j) that entry() gives
    const auto expect_solution = [&](const auto& x, bool lower, bool unit, const auto& entry, const auto& k_of_row) {
        for (index_t i = 0; i < n; ++i) {
            real rest = exact(data.x.get(i));
            real magnitude(0.0, 64);
            for (index_t j = lower ? 0 : i; j <= (lower ? i : n - 1); ++j) {
                const real term = (unit && i == j ? real(1.0) : entry(i, j)) * exact(x.get(j));
                rest -= term;
                magnitude += abs(term);
            }
            ASSERT_TRUE(is_finite(x.get(i)));
            ASSERT_LE(abs(rest), gamma(static_cast<double>(k_of_row(i)), format) * magnitude) << "row " << i;
        }
    };
    const auto of_a = [&](index_t i, index_t j) { return exact(a.get(i, j)); };
    const auto of_transpose = [&](index_t i, index_t j) { return exact(a.get(j, i)); };
    const auto of_sparse = [&](index_t i, index_t j) {
        for (index_t p = sparse.row_begin()[i]; p < sparse.row_begin()[i + 1]; ++p) {
            if (sparse.col()[p] == j) {
                return real(sparse.value().load(p));
            }
        }
        return real(0.0);
    };
    const auto dense_k = [&](index_t) { return n + 1; };
    const auto sparse_k = [&](index_t i) { return sparse.row_begin()[i + 1] - sparse.row_begin()[i] + 2; };
    for (const auto triangle : {blas::uplo::lower, blas::uplo::upper}) {
        for (const auto diagonal : {blas::diag::unit, blas::diag::non_unit}) {
            const bool lower = triangle == blas::uplo::lower;
            const bool unit = diagonal == blas::diag::unit;
            vector<host_executor, rns> x(format, n);
            blas::trsv<rns>(exec, triangle, blas::trans::no, diagonal, a, data.x, x);
            expect_solution(x, lower, unit, of_a, dense_k);
            blas::trsv<rns>(exec, triangle, blas::trans::yes, diagonal, a, data.x, x);
            expect_solution(x, !lower, unit, of_transpose, dense_k);
            blas::trsv<rns>(exec, triangle, diagonal, sparse, data.x, x);
            expect_solution(x, lower, unit, of_sparse, sparse_k);
        }
    }
}

TEST_P(rns_triangles_test, levels_give_the_bits_of_one_row_after_the_other)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const rns_format format(GetParam());
    const csr<host_executor, double> a = csr_from_coo(layered_coo(random, 2, 1500));
    vector<host_executor, rns> b(format, a.rows());
    for (index_t i = 0; i < b.size(); ++i) {
        b.set(i, rns_number(format, real(random.full(-2, 2))));
    }
    const int threads = omp_get_max_threads();
    for (const auto triangle : {blas::uplo::lower, blas::uplo::upper}) {
        const blas::row_levels levels = blas::find_levels(triangle, a);
        vector<host_executor, rns> expected = b;
        blas::trsv<rns>(exec, triangle, blas::diag::non_unit, a, expected, expected);
        for (const int count : {1, 3}) {
            omp_set_num_threads(count);
            vector<host_executor, rns> x = b;
            blas::trsv<rns>(exec, levels, blas::diag::non_unit, a, x, x);
            for (index_t i = 0; i < b.size(); ++i) {
                ASSERT_TRUE(x.get(i) == expected.get(i)) << i << ", " << count << " threads";
            }
        }
        omp_set_num_threads(threads);
    }
}

}  // namespace
}  // namespace residua::support
