#include "tests/blas/level3/lu_factors.hpp"

#include <cmath>
#include <cstring>

#include <residua/arith/base/random.hpp>
#include <residua/blas/level3/lapack_panels.hpp>
#include <residua/io/interruption.hpp>
#include <residua/io/team.hpp>

namespace residua {
namespace {

using namespace support;

constexpr host_executor exec;

template <class Real>
struct getrf_test : testing::Test {
    biased_random random;

    static index_t factorize(columns_of<Real>& a, std::vector<std::int64_t>& pivots)
    {
        pivots.assign(static_cast<std::size_t>(a.n), -1);
        return blas::getrf(exec, blas::lapack_matrix<host_executor, Real>{a.words.data(), a.n, a.ld}, pivots);
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

TYPED_TEST_SUITE(getrf_test, reals);

TYPED_TEST(getrf_test, a_small_matrix_has_the_factors_of_elimination)
{
    using Real = TypeParam;
    columns_of<Real> a(3);  // 1 2 4; 4 4 8; 2 4 2
    const Real rows[3][3] = {{1, 2, 4}, {4, 4, 8}, {2, 4, 2}};
    for (index_t i = 0; i < 3; ++i) {
        for (index_t j = 0; j < 3; ++j) {
            a.at(i, j) = rows[i][j];
        }
    }
    std::vector<std::int64_t> pivots;

    EXPECT_EQ(this->factorize(a, pivots), 0);

    EXPECT_EQ(pivots, (std::vector<std::int64_t>{2, 3, 3}));
    EXPECT_EQ(blas::row_order(pivots), (std::vector<index_t>{1, 2, 0}));
    const Real factors[3][3] = {{4, 4, 8}, {Real(0.5), 2, -2}, {Real(0.25), Real(0.5), 3}};
    for (index_t i = 0; i < 3; ++i) {
        for (index_t j = 0; j < 3; ++j) {
            EXPECT_EQ(a.at(i, j), factors[i][j]) << i << ", " << j;
        }
    }
}

TYPED_TEST(getrf_test, no_row_and_one_row)
{
    columns_of<TypeParam> none(0), one(1);
    one.at(0, 0) = -3;
    std::vector<std::int64_t> pivots;

    EXPECT_EQ(this->factorize(none, pivots), 0);
    EXPECT_EQ(this->factorize(one, pivots), 0);
    EXPECT_EQ(pivots, std::vector<std::int64_t>{1});
    EXPECT_EQ(one.at(0, 0), TypeParam{-3});
}

TYPED_TEST(getrf_test, a_zero_pivot_is_reported_by_its_number)
{
    using Real = TypeParam;
    columns_of<Real> a(2), zeros(3);
    a.at(0, 0) = 1;
    a.at(0, 1) = 2;
    a.at(1, 0) = 2;
    a.at(1, 1) = 4;
    zeros.words.assign(9, Real{0});
    std::vector<std::int64_t> pivots;

    EXPECT_EQ(this->factorize(a, pivots), 2);
    EXPECT_EQ(this->factorize(zeros, pivots), 1);
}

TYPED_TEST(getrf_test, a_nan_stays_in_the_factors)
{
    columns_of<TypeParam> a = random_columns<TypeParam>(this->random, 9, 3);
    a.at(4, 4) = std::numeric_limits<TypeParam>::quiet_NaN();
    std::vector<std::int64_t> pivots;

    (void)this->factorize(a, pivots);

    bool has_nan = false;
    for (const TypeParam x : a.words) {
        has_nan = has_nan || std::isnan(x);
    }
    EXPECT_TRUE(has_nan);
}

TYPED_TEST(getrf_test, what_does_not_fit_is_refused)
{
    columns_of<TypeParam> a(3);
    std::vector<std::int64_t> two(2), three(3);
    const auto call = [&](index_t n, index_t ld, std::vector<std::int64_t>& pivots) {
        return blas::getrf(exec, blas::lapack_matrix<host_executor, TypeParam>{a.words.data(), n, ld}, pivots);
    };

    EXPECT_THROW(call(3, 3, two), dimension_error);
    EXPECT_THROW(call(3, 2, three), dimension_error);
    EXPECT_THROW(call(-1, 3, three), dimension_error);
    EXPECT_THROW(call(3, index_t{1} << 31, three), unsupported_error);
}

TYPED_TEST(getrf_test, factors_are_as_close_as_promised_and_the_same_in_every_run)
{
    using Real = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {2, 17, 33, 70}) {
        for (const index_t more : {0, 3}) {
            const columns_of<Real> a = random_columns<Real>(this->random, n, 20, more);
            columns_of<Real> lu = a, again = a;
            std::vector<std::int64_t> pivots, pivots_again;
            const std::string what = "n " + std::to_string(n) + ", " + std::to_string(more) + " more";

            ASSERT_EQ(this->factorize(lu, pivots), 0) << what;
            ASSERT_EQ(this->factorize(again, pivots_again), 0) << what;

            expect_factors(a, lu, pivots, what);
            EXPECT_EQ(pivots, pivots_again) << what;
            EXPECT_EQ(std::memcmp(lu.words.data(), again.words.data(), lu.words.size() * sizeof(Real)), 0) << what;
            for (index_t j = 0; j < n; ++j) {
                for (index_t i = n; i < lu.ld; ++i) {
                    EXPECT_EQ(lu.words[static_cast<std::size_t>(j * lu.ld + i)], Real{7}) << "beside column " << j;
                }
            }
        }
    }
}

TYPED_TEST(getrf_test, large_factors_are_as_close_and_the_same_for_any_number_of_threads)
{
    using Real = TypeParam;
    static_assert(large > blas::detail::whole_order);
    const columns_of<Real> a = large_matrix<Real>(large);
    columns_of<Real> lu = a;
    std::vector<std::int64_t> pivots;
    {
        const io::thread_limit one(1);
        ASSERT_EQ(this->factorize(lu, pivots), 0);
    }
    for (const int threads : {2, 5}) {
        const io::thread_limit several(threads);
        columns_of<Real> again = a;
        std::vector<std::int64_t> pivots_again;
        EXPECT_EQ(this->factorize(again, pivots_again), 0);
        EXPECT_EQ(pivots_again, pivots);
        EXPECT_EQ(std::memcmp(again.words.data(), lu.words.data(), lu.words.size() * sizeof(Real)), 0) << threads;
    }
    const std::vector<index_t> order = blas::row_order(pivots);
    const double u = sizeof(Real) == 8 ? 0x1p-53 : 0x1p-24;
    const double gamma = large * u / (1.0 - large * u);
    splitmix64 places{9};
    for (int k = 0; k < 500; ++k) {
        const auto i = static_cast<index_t>(places() % large), j = static_cast<index_t>(places() % large);
        long double difference = a.at(order[static_cast<std::size_t>(i)], j), size = 0.0L;
        for (index_t l = 0; l <= std::min(i, j); ++l) {
            const long double term = (l == i ? 1.0L : static_cast<long double>(lu.at(i, l))) * lu.at(l, j);
            difference -= term;
            size += std::abs(term);
        }
        ASSERT_LE(std::abs(difference), gamma * size) << i << ", " << j;
    }
}

TYPED_TEST(getrf_test, a_zero_pivot_of_a_large_matrix_is_reported_by_its_number)
{
    columns_of<TypeParam> a(large);
    a.words.assign(a.words.size(), TypeParam{0});
    for (index_t i = 0; i < large; ++i) {
        a.at(i, i) = i == 700 || i == 1000 ? 0 : 1;
    }
    std::vector<std::int64_t> pivots;
    EXPECT_EQ(this->factorize(a, pivots), 701);
}

TYPED_TEST(getrf_test, a_large_matrix_asks_for_a_stop_between_panels)
{
    columns_of<TypeParam> a = large_matrix<TypeParam>(large);
    std::vector<std::int64_t> pivots;
    const io::stop_function yes = [] { return true; };
    const io::interruption here(yes);
    EXPECT_THROW(this->factorize(a, pivots), io::stopped_error);
}

TEST(row_order, refuses_rows_that_were_used_before_or_are_not_there)
{
    EXPECT_THROW(blas::row_order(std::vector<std::int64_t>{2, 1}), error);
    EXPECT_THROW(blas::row_order(std::vector<std::int64_t>{3, 2}), error);
    EXPECT_THROW(blas::row_order(std::vector<std::int64_t>{0}), error);
    EXPECT_TRUE(blas::row_order(std::vector<std::int64_t>{}).empty());
}

}  // namespace
}  // namespace residua
