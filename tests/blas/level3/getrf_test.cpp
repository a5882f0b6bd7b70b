#include "tests/blas/level3/lu_factors.hpp"

#include <cstring>

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

TEST(row_order, refuses_rows_that_were_used_before_or_are_not_there)
{
    EXPECT_THROW(blas::row_order(std::vector<std::int64_t>{2, 1}), error);
    EXPECT_THROW(blas::row_order(std::vector<std::int64_t>{3, 2}), error);
    EXPECT_THROW(blas::row_order(std::vector<std::int64_t>{0}), error);
    EXPECT_TRUE(blas::row_order(std::vector<std::int64_t>{}).empty());
}

}  // namespace
}  // namespace residua
