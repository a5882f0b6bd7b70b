// Cholesky's factor of a device: not the bits of the host, but within the same bound, and the same in every run.
#include "tests/blas/level3/cholesky.hpp"

#include <cstring>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/level3/potrf.hpp>

#include "tests/support/on_cuda.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class Real>
struct potrf_cuda_test : on_cuda<Real> {
    index_t factorize(columns_of<Real>& a)
    {
        buffer<host_executor, Real> words(static_cast<index_t>(a.words.size()));
        std::copy(a.words.begin(), a.words.end(), words.data());
        auto on_device = to_device(this->device, words);
        const index_t report =
            blas::potrf(this->device, blas::lapack_matrix<cuda_executor, Real>{on_device.data(), a.n, a.ld});
        words = to_host(this->device, on_device);
        std::copy(words.data(), words.data() + words.size(), a.words.begin());
        return report;
    }
};
using reals = testing::Types<double, float>;
TYPED_TEST_SUITE(potrf_cuda_test, reals);

}  // namespace

TYPED_TEST(potrf_cuda_test, factors_are_as_close_as_promised_and_the_same_in_every_run)
{
    using Real = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {1, 2, 17, 33, 70, 150}) {
        for (const index_t more : {0, 3}) {
            const columns_of<Real> a = random_definite<Real>(this->random, n, more);
            columns_of<Real> l = a, again = a;
            const std::string what = "n " + std::to_string(n) + ", " + std::to_string(more) + " more";

            ASSERT_EQ(this->factorize(l), 0) << what;
            ASSERT_EQ(this->factorize(again), 0) << what;

            expect_cholesky(a, l, 3, what);
            EXPECT_EQ(std::memcmp(l.words.data(), again.words.data(), l.words.size() * sizeof(Real)), 0) << what;
        }
    }
}

TYPED_TEST(potrf_cuda_test, what_is_not_definite_is_reported_by_its_order)
{
    columns_of<TypeParam> none(0);
    EXPECT_EQ(this->factorize(none), 0);
    for (const index_t n : {70, 1000}) {
        for (const index_t k : {index_t{1}, n / 2, n}) {
            columns_of<TypeParam> a = indefinite_from<TypeParam>(this->random, n, k);
            EXPECT_EQ(this->factorize(a), k) << n;
        }
    }
}

TYPED_TEST(potrf_cuda_test, a_nan_is_not_definite)
{
    for (const index_t at : {0, 4, 49}) {
        columns_of<TypeParam> a = random_definite<TypeParam>(this->random, 50);
        a.at(at, at) = std::numeric_limits<TypeParam>::quiet_NaN();

        EXPECT_EQ(this->factorize(a), 1);
    }
}
