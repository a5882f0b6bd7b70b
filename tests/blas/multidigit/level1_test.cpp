#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/blas/level1/asum.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level1/norm.hpp>

#include "tests/support/biased_random.hpp"

using namespace residua;

namespace {

using numbers = vector<host_executor, multidigit>;
const host_executor host;

class multidigit_level1_test : public ::testing::TestWithParam<long> {
protected:
    multidigit_format format{GetParam()};
    support::biased_random random;

    real any()
    {
        real x(random.value(-9, 9), GetParam());
        for (long bits = 52; bits < GetParam(); bits += 52) {
            real part(random.value(-1, 0), GetParam());
            mpfr_mul_2si(part.mpfr(), part.mpfr(), -bits, MPFR_RNDN);
            x += part;
        }
        return random.one_in(20) ? real(0.0, GetParam()) : x;
    }

    numbers random_vector(index_t n)
    {
        numbers x(format, n);
        for (index_t i = 0; i < n; ++i) {
            x.set(i, multidigit_number(format, any()));
        }
        return x;
    }

    multidigit_number number(const real& x) const { return {format, x}; }
};

/// RN(x y + z) at the precision of x.
real fused(const real& x, const real& y, const real& z)
{
    real r = x;
    mpfr_fma(r.mpfr(), x.mpfr(), y.mpfr(), z.mpfr(), MPFR_RNDN);
    return r;
}

TEST_P(multidigit_level1_test, elements_are_correctly_rounded)
{
    for (const index_t n : {0, 1, 31, 32, 33, 257, 1003}) {
        const numbers x = random_vector(n);
        const numbers y = random_vector(n);
        for (const real& a : {any(), real(1.0, GetParam()), real(-1.0, GetParam()), real(0.0, GetParam()),
                              real(-0x1p-60, GetParam())}) {
            const multidigit_number factor = number(a);
            const real b = any();
            numbers axpy = y, xpay = y, scal = y, fill = y, copy(format, n), waxpby(format, n);
            blas::axpy<multidigit>(host, factor, x, axpy);
            blas::xpay<multidigit>(host, x, factor, xpay);
            blas::scal<multidigit>(host, factor, scal);
            blas::fill<multidigit>(host, factor, fill);
            blas::copy<multidigit>(host, x, copy);
            blas::waxpby<multidigit>(host, factor, x, number(b), y, waxpby);
            for (index_t i = 0; i < n; ++i) {
                const real xi = to_real(x.get(i));
                const real yi = to_real(y.get(i));
                ASSERT_EQ(to_real(axpy.get(i)), fused(a, xi, yi));
                ASSERT_EQ(to_real(xpay.get(i)), fused(a, yi, xi));
                ASSERT_EQ(to_real(scal.get(i)), a * yi);
                ASSERT_EQ(to_real(fill.get(i)), a);
                ASSERT_EQ(to_real(copy.get(i)), xi);
                ASSERT_EQ(to_real(waxpby.get(i)), fused(b, yi, a * xi));
            }
        }
    }
}

TEST_P(multidigit_level1_test, sums_are_within_their_bounds_for_any_number_of_threads)
{
    for (const index_t n : {0, 1, 2, 127, 129, 1024, 1025, 5003}) {
        const numbers x = random_vector(n);
        const numbers y = random_vector(n);
        real exact(0.0, 4 * GetParam() + 200), magnitudes(0.0, 4 * GetParam() + 200), largest(0.0, GetParam());
        real greatest(0.0, GetParam());
        for (index_t i = 0; i < n; ++i) {
            const real xi = to_real(x.get(i));
            const real product = xi.with_precision(2 * GetParam()) * to_real(y.get(i));
            exact += product;
            magnitudes += abs(xi);
            largest = max(largest, abs(product));
            greatest = max(greatest, abs(xi));
        }
        const int threads = omp_get_max_threads();
        omp_set_num_threads(1);
        const multidigit_number one = blas::dot<multidigit>(host, x, y);
        omp_set_num_threads(3);
        const multidigit_number dot = blas::dot<multidigit>(host, x, y);
        const multidigit_number asum = blas::asum<multidigit>(host, x);
        const multidigit_number norm = blas::norm2<multidigit>(host, x);
        omp_set_num_threads(threads);

        const real u = pow(real(0.5, 64), GetParam());
        const real slack = real(static_cast<double>(n) * 0x1p-20) * u;
        EXPECT_EQ(to_real(dot), to_real(one));
        EXPECT_LE(abs(to_real(dot) - exact), u * abs(exact) + slack * largest);
        EXPECT_LE(abs(to_real(asum) - magnitudes), u * magnitudes + slack * greatest);
        EXPECT_EQ(to_real(norm), sqrt(to_real(blas::dot<multidigit>(host, x, x))));
        EXPECT_EQ(to_real(blas::norm_inf<multidigit>(host, x)), greatest);
    }
}

INSTANTIATE_TEST_SUITE_P(bits, multidigit_level1_test,
                         ::testing::Values(64, 106, 193, 212, 424, 513, 848, 1100, 1696, 4096));

TEST(multidigit_vector, takes_parts_strides_and_what_is_not_finite)
{
    const multidigit_format format(212);
    numbers x(format, 100);
    for (index_t i = 0; i < 100; ++i) {
        x.set(i, multidigit_number(format, static_cast<double>(i)));
    }
    const auto part = x.view().part(30, 70);
    EXPECT_EQ(to_double(part.load(3)), 33.0);
    const vector_view<host_executor, multidigit> backwards{x.view().start.from(99), 50, -2, format};
    numbers y(format, 50);
    blas::copy<multidigit>(host, backwards, y);
    EXPECT_EQ(to_double(y.get(0)), 99.0);
    EXPECT_EQ(to_double(y.get(49)), 1.0);

    const multidigit_number inf(format, std::numeric_limits<double>::infinity());
    x.set(7, -inf);
    EXPECT_EQ(to_double(x.get(7)), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(to_double(blas::norm_inf<multidigit>(host, x)), std::numeric_limits<double>::infinity());
    EXPECT_FALSE(is_finite(blas::dot<multidigit>(host, x, x)));
    x.set(8, inf - inf);
    EXPECT_TRUE(std::isnan(to_double(blas::norm2<multidigit>(host, x))));
    EXPECT_EQ(to_double(numbers(format, 3).get(2)), 0.0);
}

TEST(multidigit_vector, norms_reach_the_ends_of_the_range)
{
    const multidigit_format format(212);
    for (const long e : {2000000000L, -2000000000L}) {
        numbers x(format, 2);
        x.set(0, ldexp(multidigit_number(format, 3.0), e));
        x.set(1, ldexp(multidigit_number(format, 4.0), e));
        EXPECT_EQ(to_double(ldexp(blas::norm2<multidigit>(host, x), -e)), 5.0);
    }
}

TEST(multidigit_vector, refuses_what_does_not_fit)
{
    const multidigit_format format(212);
    numbers x(format, 3);
    numbers y(format, 4);
    numbers z(multidigit_format(213), 3);
    EXPECT_THROW(blas::copy<multidigit>(host, x, y), dimension_error);
    EXPECT_THROW(blas::copy<multidigit>(host, x, z), error);
    EXPECT_THROW(blas::dot<multidigit>(host, x, z), error);
    EXPECT_THROW(numbers(format, -1), dimension_error);
    EXPECT_THROW(numbers(format, index_t{1} << 62), resource_error);
}

}  // namespace
