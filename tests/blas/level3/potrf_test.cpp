#include "tests/blas/level3/cholesky.hpp"

#include <cmath>
#include <cstring>

#include <residua/arith/base/random.hpp>
#include <residua/blas/level3/lapack_panels.hpp>
#include <residua/blas/level3/potrf.hpp>
#include <residua/io/interruption.hpp>
#include <residua/io/team.hpp>

namespace residua {
namespace {

using namespace support;

constexpr host_executor exec;

template <class Real>
struct potrf_test : testing::Test {
    biased_random random;

    static index_t factorize(columns_of<Real>& a)
    {
        return blas::potrf(exec, blas::lapack_matrix<host_executor, Real>{a.words.data(), a.n, a.ld});
    }
};
using reals = testing::Types<double, float>;
/// Deterministic numbers within (-1, 1).
template <class Real>
columns_of<Real> large_matrix(index_t n)
{
    columns_of<Real> a(n);
    splitmix64 source{5};
    for (index_t j = 0; j < n; ++j) {
        for (index_t i = 0; i < n; ++i) {
            a.at(i, j) = static_cast<Real>(uniform(source));
        }
    }
    return a;
}

constexpr index_t large = 1700;  // more than LAPACK factorises whole

TYPED_TEST_SUITE(potrf_test, reals);

TYPED_TEST(potrf_test, a_small_matrix_has_the_factor_of_elimination)
{
    using Real = TypeParam;
    columns_of<Real> a(3);
    const Real rows[3][3] = {{4, 2, 6}, {2, 10, 9}, {6, 9, 29}};
    for (index_t i = 0; i < 3; ++i) {
        for (index_t j = 0; j < 3; ++j) {
            a.at(i, j) = rows[i][j];
        }
    }

    EXPECT_EQ(this->factorize(a), 0);

    const Real factor[3][3] = {{2, 0, 0}, {1, 3, 0}, {3, 2, 4}};
    for (index_t i = 0; i < 3; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            EXPECT_EQ(a.at(i, j), factor[i][j]) << i << ", " << j;
        }
    }
}

TYPED_TEST(potrf_test, what_is_not_definite_is_reported_by_its_order)
{
    using Real = TypeParam;
    columns_of<Real> none(0), zero(1), singular(2);
    zero.at(0, 0) = 0;
    singular.words.assign(4, Real{1});

    EXPECT_EQ(this->factorize(none), 0);
    EXPECT_EQ(this->factorize(zero), 1);
    EXPECT_EQ(this->factorize(singular), 2);
    for (const index_t k : {1, 30, 70}) {
        columns_of<Real> a = indefinite_from<Real>(this->random, 70, k);
        EXPECT_EQ(this->factorize(a), k);
    }
}

TYPED_TEST(potrf_test, large_factors_are_as_close_and_the_same_for_any_number_of_threads)
{
    using Real = TypeParam;
    static_assert(large > blas::detail::whole_order);
    columns_of<Real> a = large_matrix<Real>(large);
    for (index_t j = 0; j < large; ++j) {
        a.at(j, j) = Real(80);  // the norm of the rest is about 2 sqrt(n / 3)
        for (index_t i = 0; i < j; ++i) {
            a.at(i, j) = a.at(j, i);
        }
    }
    columns_of<Real> l = a;
    {
        const io::thread_limit one(1);
        ASSERT_EQ(this->factorize(l), 0);
    }
    for (const int threads : {2, 5}) {
        const io::thread_limit several(threads);
        columns_of<Real> again = a;
        EXPECT_EQ(this->factorize(again), 0);
        for (index_t j = 0; j < large; ++j) {
            ASSERT_EQ(std::memcmp(&again.at(j, j), &l.at(j, j), static_cast<std::size_t>(large - j) * sizeof(Real)), 0)
                << threads << ", column " << j;
        }
    }
    const double u = sizeof(Real) == 8 ? 0x1p-53 : 0x1p-24;
    const double gamma = (large + 1) * u / (1.0 - (large + 1) * u);
    splitmix64 places{9};
    for (int k = 0; k < 500; ++k) {
        const auto i = static_cast<index_t>(places() % large), j = static_cast<index_t>(places() % large);
        long double difference = a.at(i, j), size = 0.0L;
        for (index_t p = 0; p <= std::min(i, j); ++p) {
            const long double term = static_cast<long double>(l.at(i, p)) * l.at(j, p);
            difference -= term;
            size += std::abs(term);
        }
        ASSERT_LE(std::abs(difference), gamma * size) << i << ", " << j;
    }
    a.at(900, 900) = -1;
    EXPECT_EQ(this->factorize(a), 901);
}

TYPED_TEST(potrf_test, a_nan_is_not_definite_or_stays)
{
    columns_of<TypeParam> a = random_definite<TypeParam>(this->random, 9);
    a.at(4, 4) = std::numeric_limits<TypeParam>::quiet_NaN();

    const index_t order = this->factorize(a);

    EXPECT_TRUE(order == 5 || (order == 0 && std::isnan(a.at(4, 4)))) << order;
}

TYPED_TEST(potrf_test, what_does_not_fit_is_refused)
{
    columns_of<TypeParam> a(3);
    const auto call = [&](index_t n, index_t ld) {
        return blas::potrf(exec, blas::lapack_matrix<host_executor, TypeParam>{a.words.data(), n, ld});
    };

    EXPECT_THROW(call(3, 2), dimension_error);
    EXPECT_THROW(call(-1, 3), dimension_error);
    EXPECT_THROW(call(3, index_t{1} << 31), unsupported_error);
}

TYPED_TEST(potrf_test, factors_are_as_close_as_promised_and_the_same_in_every_run)
{
    using Real = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {1, 2, 17, 33, 70}) {
        for (const index_t more : {0, 3}) {
            const columns_of<Real> a = random_definite<Real>(this->random, n, more);
            columns_of<Real> l = a, again = a;
            const std::string what = "n " + std::to_string(n) + ", " + std::to_string(more) + " more";

            ASSERT_EQ(this->factorize(l), 0) << what;
            ASSERT_EQ(this->factorize(again), 0) << what;

            expect_cholesky(a, l, 1, what);
            EXPECT_EQ(std::memcmp(l.words.data(), again.words.data(), l.words.size() * sizeof(Real)), 0) << what;
        }
    }
}

}  // namespace
}  // namespace residua
