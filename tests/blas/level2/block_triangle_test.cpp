#include <cmath>
#include <cstring>

#include <omp.h>

#include <residua/blas/base/simd.hpp>
#include <residua/blas/level2/equilibrate.hpp>
#include <residua/blas/level2/trsv.hpp>

#include "tests/blas/level2/triangles.hpp"

namespace residua {
namespace {

using namespace support;
using blas::diag;
using blas::uplo;
using triangle = blas::block_triangle<host_executor>;
using host_matrix = matrix<host_executor, double>;
using host_vector = residua::vector<host_executor, double>;

constexpr host_executor exec;

bool same(const host_vector& x, const host_vector& y)
{
    return x.size() == y.size() &&
           std::memcmp(x.view().data(), y.view().data(), static_cast<std::size_t>(x.size()) * sizeof(double)) == 0;
}

TEST(block_triangle, small_systems_are_right)
{
    host_matrix a(2, 2);  // 2 3; 5 4
    a.set(0, 0, 2.0);
    a.set(0, 1, 3.0);
    a.set(1, 0, 5.0);
    a.set(1, 1, 4.0);
    host_vector b(2), x(2);
    b.set(0, 8.0);
    b.set(1, 28.0);

    triangle(exec, uplo::lower, diag::non_unit, a.view(), 32).solve(exec, b.view(), x.view());
    EXPECT_EQ(x.get(0), 4.0);
    EXPECT_EQ(x.get(1), 2.0);
    triangle(exec, uplo::upper, diag::unit, a.view(), 32).solve(exec, b.view(), x.view());
    EXPECT_EQ(x.get(0), -76.0);
    EXPECT_EQ(x.get(1), 28.0);
    triangle(exec, uplo::upper, diag::non_unit, a.view(), 32).solve(exec, b.view(), b.view());
    EXPECT_EQ(b.get(0), -6.5);
    EXPECT_EQ(b.get(1), 7.0);
}

TEST(block_triangle, what_does_not_fit_is_refused)
{
    const host_matrix wide_matrix(2, 3), square(2, 2);
    host_vector two(2), three(3);
    const triangle t(exec, uplo::lower, diag::unit, square.view());

    EXPECT_THROW(triangle(exec, uplo::lower, diag::unit, wide_matrix.view()), dimension_error);
    for (const index_t rows : {0, 16, 33, 96, 1024}) {
        EXPECT_THROW(triangle(exec, uplo::lower, diag::unit, square.view(), rows), dimension_error) << rows;
    }
    EXPECT_THROW(t.solve(exec, three.view(), two.view()), dimension_error);
    EXPECT_THROW(t.solve(exec, two.view(), three.view()), dimension_error);
}

TEST(block_triangle, a_zero_pivot_shows_in_its_row_and_behind_and_nowhere_else)
{
    host_matrix a(40, 40);
    host_vector x(40);
    for (index_t i = 0; i < 40; ++i) {
        a.set(i, i, i == 34 ? 0.0 : 2.0);
        a.set(i, 34, i > 34 ? 1.0 : a.get(i, 34));
        x.set(i, 1.0);
    }

    triangle(exec, uplo::lower, diag::non_unit, a.view(), 32).solve(exec, x.view(), x.view());

    for (index_t i = 0; i < 40; ++i) {
        EXPECT_EQ(std::isfinite(x.get(i)), i < 34) << i;
    }
}

TEST(block_triangle, is_as_close_as_promised)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const uplo which : {uplo::lower, uplo::upper}) {
        for (const diag unit : {diag::non_unit, diag::unit}) {
            for (const index_t n : {1, 31, 32, 33, 100, 130}) {
                for (const index_t m : {32, 64, 512}) {
                    for (const diagonal kind : {diagonal::large, diagonal::graded}) {
                        if (kind == diagonal::graded && unit == diag::unit) {
                            continue;  // its rows are far from the ones
                        }
                        const host_matrix a = random_triangles(random, n, kind);
                        const host_vector b = random_right_side(random, n);
                        host_vector x(n), in_place = b;
                        const triangle t(exec, which, unit, a.view(), m);

                        t.solve(exec, b.view(), x.view());
                        t.solve(exec, in_place.view(), in_place.view());

                        const std::string what = describe(which, unit, n, m);
                        EXPECT_TRUE(same(x, in_place)) << what;
                        expect_solved(a, which, unit, m, t.inverses(), b, x, what);
                    }
                }
            }
        }
    }
}

TEST(block_triangle, agrees_with_substitution)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const index_t n : {257, 1000}) {
        const host_matrix a = random_triangles(random, n, diagonal::graded);
        const host_vector b = random_right_side(random, n);
        for (const uplo which : {uplo::lower, uplo::upper}) {
            host_vector x(n), y(n);
            triangle(exec, which, diag::non_unit, a.view()).solve(exec, b.view(), x.view());
            blas::trsv<double>(exec, which, blas::trans::no, diag::non_unit, a.view(), b.view(), y.view());
            double difference = 0.0, largest = 0.0;
            for (index_t i = 0; i < n; ++i) {
                difference = std::max(difference, std::abs(x.get(i) - y.get(i)));
                largest = std::max(largest, std::abs(y.get(i)));
            }
            EXPECT_LE(difference, 1e-12 * largest) << n;  // n u times a condition of a few
        }
    }
}

TEST(block_triangle, has_the_same_bits_for_any_number_of_threads_and_instruction_set)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const index_t n = 700;
    const host_matrix a = random_triangles(random, n, diagonal::large);
    const host_vector b = random_right_side(random, n);
    const auto solved = [&](uplo which) {
        host_vector x(n);
        triangle(exec, which, diag::non_unit, a.view(), 256).solve(exec, b.view(), x.view());
        return x;
    };
    const int threads = omp_get_max_threads();
    for (const uplo which : {uplo::lower, uplo::upper}) {
        const host_vector expected = solved(which);
        for (const int count : {1, 3, 8}) {
            omp_set_num_threads(count);
            EXPECT_TRUE(same(solved(which), expected)) << count << " threads";
        }
        omp_set_num_threads(threads);
        for (const blas::isa set : {blas::isa::portable, blas::isa::avx2}) {
            blas::limit_isa(set);
            EXPECT_TRUE(same(solved(which), expected)) << "instruction set " << static_cast<int>(set);
        }
        blas::limit_isa(blas::isa::avx512);
    }
}

TEST(block_triangle, several_vectors_get_the_bits_that_each_gets_alone)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const int threads = omp_get_max_threads();
    for (const index_t n : {1, 33, 700}) {
        const host_matrix a = random_triangles(random, n, diagonal::large);
        for (const uplo which : {uplo::lower, uplo::upper}) {
            const triangle t(exec, which, diag::non_unit, a.view(), 128);
            for (const index_t count : {1, 2, 9}) {
                host_matrix b_t(count, n);
                std::vector<host_vector> alone(static_cast<std::size_t>(count));
                for (index_t v = 0; v < count; ++v) {
                    host_vector& x = alone[static_cast<std::size_t>(v)] = random_right_side(random, n);
                    for (index_t i = 0; i < n; ++i) {
                        b_t.set(v, i, x.get(i));
                    }
                    t.solve(exec, x.view(), x.view());
                }
                for (const int team : {1, 2, 3, 7}) {
                    omp_set_num_threads(team);
                    host_matrix x_t = b_t;
                    t.solve_rows(x_t.view());
                    for (index_t v = 0; v < count; ++v) {
                        host_vector x(n);
                        for (index_t i = 0; i < n; ++i) {
                            x.set(i, x_t.get(v, i));
                        }
                        EXPECT_TRUE(same(x, alone[static_cast<std::size_t>(v)]))
                            << n << ", vector " << v << " of " << count << ", " << team << " threads";
                    }
                }
                omp_set_num_threads(threads);
            }
        }
    }
    const host_matrix a = random_triangles(random, 2, diagonal::large);
    host_matrix three(1, 3);
    EXPECT_THROW(triangle(exec, uplo::lower, diag::unit, a.view()).solve_rows(three.view()), dimension_error);
}

TEST(equilibrate, brings_rows_and_then_columns_to_between_a_half_and_one)
{
    host_matrix a(3, 4);
    const double rows[3][4] = {{8.0, 1.0, 0.0, -0x1p-40}, {0.0, 0.0, 0.0, 0.0}, {0x1p-1074, 0.0, 0.0, 0.0}};
    for (index_t i = 0; i < 3; ++i) {
        for (index_t j = 0; j < 4; ++j) {
            a.set(i, j, rows[i][j]);
        }
    }
    host_vector r(3), c(4);

    blas::equilibrate(exec, a.view(), r.view(), c.view());

    EXPECT_EQ(r.get(0), 0x1p-4);
    EXPECT_EQ(r.get(1), 1.0);
    EXPECT_EQ(r.get(2), 0x1p1023);  // as far as a power of two can bring it
    EXPECT_EQ(c.get(0), 1.0);
    EXPECT_EQ(c.get(1), 0x1p3);
    EXPECT_EQ(c.get(2), 1.0);
    EXPECT_EQ(c.get(3), 0x1p43);
    EXPECT_EQ(a.get(0, 0), 0.5);
    EXPECT_EQ(a.get(0, 1), 0.5);
    EXPECT_EQ(a.get(0, 3), -0.5);
    EXPECT_EQ(a.get(2, 0), 0x1p-51);
}

TEST(equilibrate, leaves_rows_with_infinities_and_nan_alone_and_refuses_other_sizes)
{
    host_matrix a(2, 2);
    a.set(0, 0, std::numeric_limits<double>::infinity());
    a.set(0, 1, 4.0);
    a.set(1, 0, 4.0);
    a.set(1, 1, std::numeric_limits<double>::quiet_NaN());
    host_vector r(2), c(2), three(3);

    blas::equilibrate(exec, a.view(), r.view(), c.view());

    EXPECT_EQ(r.get(0), 1.0);
    EXPECT_EQ(r.get(1), 1.0);
    EXPECT_EQ(c.get(0), 1.0);
    EXPECT_EQ(c.get(1), 1.0);
    EXPECT_EQ(a.get(0, 1), 4.0);
    EXPECT_THROW(blas::equilibrate(exec, a.view(), three.view(), c.view()), dimension_error);
    EXPECT_THROW(blas::equilibrate(exec, a.view(), r.view(), three.view()), dimension_error);
}

}  // namespace
}  // namespace residua
