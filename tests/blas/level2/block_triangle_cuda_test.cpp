// Triangles with inverted diagonal blocks, and equilibration, on a device: the bits of the host.
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <residua/blas/level2/equilibrate.hpp>

#include "tests/blas/level2/triangles.hpp"
#include "tests/support/on_cuda.hpp"

using namespace residua;
using namespace residua::support;
using blas::diag;
using blas::uplo;

namespace {

constexpr host_executor host;

using host_matrix = matrix<host_executor, double>;
using host_vector = residua::vector<host_executor, double>;
using block_triangle_cuda_test = on_cuda<double>;

/// NaN equals NaN, whatever its bits.
template <class X>
bool same(const X* x, const X* y, index_t n)
{
    for (index_t i = 0; i < n; ++i) {
        if (to_bits(x[i]) != to_bits(y[i]) && !(std::isnan(x[i]) && std::isnan(y[i]))) {
            return false;
        }
    }
    return true;
}

}  // namespace

TEST_F(block_triangle_cuda_test, inverses_and_solutions_have_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    for (const index_t n : {0, 1, 31, 32, 33, 255, 257, 512, 1000}) {
        for (const index_t m : {32, 64, 128, 256, 512}) {
            for (const uplo which : {uplo::lower, uplo::upper}) {
                for (const diag unit : {diag::non_unit, diag::unit}) {
                    const host_matrix a =
                        random_triangles(random, n, unit == diag::unit ? diagonal::large : diagonal::graded);
                    const host_vector b = random_right_side(random, n);
                    const auto da = to_device(device, a);
                    const auto db = to_device(device, b);
                    const blas::block_triangle<host_executor> t(host, which, unit, a.view(), m);
                    const blas::block_triangle<cuda_executor> dt(device, which, unit, da.view(), m);
                    host_vector x(n);
                    residua::vector<cuda_executor, double> dx(n, device), in_place = db;
                    const std::string what = describe(which, unit, n, m);

                    t.solve(host, b.view(), x.view());
                    dt.solve(device, db.view(), dx.view());
                    dt.solve(device, in_place.view(), in_place.view());

                    const auto inverses = to_host(device, dt.inverses());
                    ASSERT_EQ(inverses.size(), t.inverses().size()) << what;
                    EXPECT_TRUE(same(inverses.data(), t.inverses().data(), inverses.size())) << what;
                    EXPECT_TRUE(same(to_host(device, dx).view().data(), x.view().data(), n)) << what;
                    EXPECT_TRUE(same(to_host(device, in_place).view().data(), x.view().data(), n)) << what;
                    EXPECT_TRUE(same(to_host(device, db).view().data(), b.view().data(), n)) << what;
                }
            }
        }
    }
}

TEST_F(block_triangle_cuda_test, solutions_are_as_close_as_promised)
{
    SCOPED_TRACE(random.trace());
    for (const uplo which : {uplo::lower, uplo::upper}) {
        const index_t n = 130;
        const host_matrix a = random_triangles(random, n, diagonal::graded);
        const host_vector b = random_right_side(random, n);
        const auto da = to_device(device, a);
        const blas::block_triangle<cuda_executor> t(device, which, diag::non_unit, da.view(), 64);
        residua::vector<cuda_executor, double> x(n, device);

        t.solve(device, to_device(device, b).view(), x.view());

        expect_solved(a, which, diag::non_unit, 64, to_host(device, t.inverses()), b, to_host(device, x),
                      describe(which, diag::non_unit, n, 64));
    }
}

TEST_F(block_triangle_cuda_test, many_solves_in_a_row_give_the_same_bits)
{
    const index_t n = 2000;
    const host_matrix a = random_triangles(random, n, diagonal::large);
    const host_vector b = random_right_side(random, n);
    const auto da = to_device(device, a);
    const auto db = to_device(device, b);
    const blas::block_triangle<cuda_executor> lower(device, uplo::lower, diag::non_unit, da.view());
    const blas::block_triangle<cuda_executor> upper(device, uplo::upper, diag::non_unit, da.view());
    residua::vector<cuda_executor, double> x(n, device);
    host_vector expected(n);
    blas::block_triangle<host_executor>(host, uplo::lower, diag::non_unit, a.view()).solve(host, b, expected.view());
    blas::block_triangle<host_executor>(host, uplo::upper, diag::non_unit, a.view())
        .solve(host, expected, expected.view());

    for (int k = 0; k < 200; ++k) {  // nothing waits in between: a kernel that came too early would show
        lower.solve(device, db.view(), x.view());
        upper.solve(device, x.view(), x.view());
        if (k % 20 == 0) {
            ASSERT_TRUE(same(to_host(device, x).view().data(), expected.view().data(), n)) << "solve " << k;
        }
    }
}

TEST_F(block_triangle_cuda_test, what_does_not_fit_is_refused)
{
    const matrix<cuda_executor, double> wide_matrix(2, 3, device), square(2, 2, device);
    residua::vector<cuda_executor, double> two(2, device), three(3, device);
    using triangle = blas::block_triangle<cuda_executor>;
    const triangle t(device, uplo::lower, diag::unit, square.view());

    EXPECT_THROW(triangle(device, uplo::lower, diag::unit, wide_matrix.view()), dimension_error);
    EXPECT_THROW(triangle(device, uplo::lower, diag::unit, square.view(), 96), dimension_error);
    EXPECT_THROW(t.solve(device, three.view(), two.view()), dimension_error);
    EXPECT_THROW(t.solve(device, two.view(), three.view()), dimension_error);
}

TEST_F(block_triangle_cuda_test, equilibrate_gives_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    for (const auto& [m, n] : {std::pair<index_t, index_t>{0, 0}, {0, 3}, {3, 0}, {1, 1}, {33, 257}, {300, 65}}) {
        host_matrix a(m, n);
        for (index_t j = 0; j < n; ++j) {
            for (index_t i = 0; i < m; ++i) {
                a.set(i, j, random.one_in(3) ? 0.0 : random.full(-600, 600));
            }
        }
        if (m > 5 && n > 5) {
            a.set(2, 3, std::numeric_limits<double>::infinity());
            a.set(4, 5, std::numeric_limits<double>::quiet_NaN());
            for (index_t j = 0; j < n; ++j) {
                a.set(5, j, 0x1p-1074);
            }
        }
        auto da = to_device(device, a);
        host_vector r(m), c(n);
        residua::vector<cuda_executor, double> dr(m, device), dc(n, device);

        blas::equilibrate(host, a.view(), r.view(), c.view());
        blas::equilibrate(device, da.view(), dr.view(), dc.view());

        EXPECT_TRUE(same(to_host(device, dr).view().data(), r.view().data(), m)) << m << " x " << n;
        EXPECT_TRUE(same(to_host(device, dc).view().data(), c.view().data(), n)) << m << " x " << n;
        const host_matrix scaled = to_host(device, da);
        for (index_t j = 0; j < n; ++j) {
            EXPECT_TRUE(same(scaled.view().data() + j * scaled.view().ld, a.view().data() + j * a.view().ld, m))
                << "column " << j << " of " << m << " x " << n;
        }
    }
}
