// The factors of a device: not the bits of the host, but within the same bound, and the same in every run.
#include "tests/blas/level3/lu_factors.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <residua/blas/base/buffer.hpp>

#include "tests/support/on_cuda.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class Real>
struct getrf_cuda_test : on_cuda<Real> {
    index_t factorize(columns_of<Real>& a, std::vector<std::int64_t>& pivots)
    {
        buffer<host_executor, Real> words(static_cast<index_t>(a.words.size()));
        std::copy(a.words.begin(), a.words.end(), words.data());
        auto on_device = to_device(this->device, words);
        buffer<cuda_executor, std::int64_t> swapped(a.n, this->device);
        const index_t report = blas::getrf(
            this->device, blas::lapack_matrix<cuda_executor, Real>{on_device.data(), a.n, a.ld}, swapped.span());
        words = to_host(this->device, on_device);
        std::copy(words.data(), words.data() + words.size(), a.words.begin());
        const auto fetched = to_host(this->device, swapped);
        pivots.assign(fetched.data(), fetched.data() + fetched.size());
        return report;
    }
};
using reals = testing::Types<double, float>;
TYPED_TEST_SUITE(getrf_cuda_test, reals);

}  // namespace

TYPED_TEST(getrf_cuda_test, factors_are_as_close_as_promised_and_the_same_in_every_run)
{
    using Real = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {1, 2, 17, 33, 70, 150}) {
        for (const index_t more : {0, 3}) {
            const columns_of<Real> a = random_columns<Real>(this->random, n, n == 1 ? 1 : 20, more);
            columns_of<Real> lu = a, again = a;
            if (n == 1) {
                lu.at(0, 0) = again.at(0, 0) = Real{3};
            }
            std::vector<std::int64_t> pivots, pivots_again;
            const std::string what = "n " + std::to_string(n) + ", " + std::to_string(more) + " more";

            ASSERT_EQ(this->factorize(lu, pivots), 0) << what;
            ASSERT_EQ(this->factorize(again, pivots_again), 0) << what;

            if (n > 1) {
                expect_factors(a, lu, pivots, what);
            }
            EXPECT_EQ(pivots, pivots_again) << what;
            EXPECT_EQ(std::memcmp(lu.words.data(), again.words.data(), lu.words.size() * sizeof(Real)), 0) << what;
        }
    }
}

TYPED_TEST(getrf_cuda_test, large_factors_are_the_same_in_every_run)
{
    columns_of<TypeParam> a = random_columns<TypeParam>(this->random, 1000, 5);
    columns_of<TypeParam> again = a;
    std::vector<std::int64_t> pivots, pivots_again;

    ASSERT_EQ(this->factorize(a, pivots), 0);
    ASSERT_EQ(this->factorize(again, pivots_again), 0);

    EXPECT_EQ(pivots, pivots_again);
    EXPECT_EQ(std::memcmp(a.words.data(), again.words.data(), a.words.size() * sizeof(TypeParam)), 0);
}

TYPED_TEST(getrf_cuda_test, a_zero_pivot_is_reported_by_its_number)
{
    using Real = TypeParam;
    columns_of<Real> a(2), zeros(3), none(0);
    a.at(0, 0) = 1;
    a.at(0, 1) = 2;
    a.at(1, 0) = 2;
    a.at(1, 1) = 4;
    zeros.words.assign(9, Real{0});
    std::vector<std::int64_t> pivots;

    EXPECT_EQ(this->factorize(a, pivots), 2);
    EXPECT_EQ(this->factorize(zeros, pivots), 1);
    EXPECT_EQ(this->factorize(none, pivots), 0);
}

TYPED_TEST(getrf_cuda_test, what_is_not_finite_shows_in_all_factors)
{
    using Real = TypeParam;
    const std::pair<index_t, index_t> places[] = {{0, 0}, {20, 20}, {49, 0}, {0, 49}, {49, 49}};
    for (const Real x : {std::numeric_limits<Real>::quiet_NaN(), -std::numeric_limits<Real>::infinity()}) {
        for (const auto& [i, j] : places) {
            columns_of<Real> a = random_columns<Real>(this->random, 50, 5, 2);
            a.at(i, j) = x;
            std::vector<std::int64_t> pivots;

            EXPECT_EQ(this->factorize(a, pivots), 0);

            for (index_t k = 0; k < 50; ++k) {
                ASSERT_EQ(pivots[static_cast<std::size_t>(k)], k + 1);
                for (index_t l = 0; l < 50; ++l) {
                    ASSERT_TRUE(std::isnan(a.at(k, l))) << i << " " << j << ": " << k << " " << l;
                }
            }
        }
    }
}

TYPED_TEST(getrf_cuda_test, what_does_not_fit_is_refused)
{
    std::vector<std::int64_t> two(2);

    EXPECT_THROW(blas::getrf(this->device, blas::lapack_matrix<cuda_executor, TypeParam>{nullptr, 3, 3}, two),
                 dimension_error);
    EXPECT_THROW(blas::getrf(this->device, blas::lapack_matrix<cuda_executor, TypeParam>{nullptr, 2, 1}, two),
                 dimension_error);
}
