// Batches on a device: the bits of the host for every order, format and kind of system.
#include "tests/blas/level3/batches.hpp"

#include <algorithm>
#include <utility>

#include "tests/support/on_cuda.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class T>
struct getrf_batch_cuda_test : on_cuda<T> {
    buffer<host_executor, std::int32_t> words_of(const std::vector<std::int32_t>& from)
    {
        buffer<host_executor, std::int32_t> to(static_cast<index_t>(from.size()));
        std::copy(from.begin(), from.end(), to.data());
        return to;
    }

    /// The same operations as host_results, on the device; `found` has those of the host before.
    void run(const systems_of<T>& x, host_results<T>& found)
    {
        const cuda_executor& exec = this->device;
        const index_t n = x.a.size(), count = x.a.count();
        const auto a = to_device(exec, x.a);
        auto lu = to_device(exec, x.a);
        auto b = to_device(exec, x.b);
        buffer<cuda_executor, std::int32_t> pivots(n * count, exec), info(count, exec);
        blas::getrf_batch<T>(exec, lu.view(), pivots.span(), info.span());
        const std::span<const std::int32_t> failures = std::as_const(info).span();
        blas::getrs_batch<T>(exec, lu.view(), std::as_const(pivots).span(), failures, b.view());
        vector_batch<host_executor, blas::doubled<T>> wide(n, count);
        for (index_t s = 0; s < count; ++s) {
            for (index_t i = 0; i < n; ++i) {
                wide.view()[s].store(i, blas::doubled<T>{x.b.view()[s].load(i)});
            }
        }
        auto r = to_device(exec, wide);
        vector_batch<cuda_executor, double> sizes(n, count, exec), inverse(n, count, exec), upper(n, count, exec);
        blas::residual_batch<T, T>(exec, a.view(), std::as_const(b).view(), r.view(), sizes.view());
        blas::inverse_sums_batch<T>(exec, std::as_const(lu).view(), failures, inverse.view(), upper.view());
        found.factors.a = to_host(exec, lu);
        found.factors.b = to_host(exec, b);
        const auto p = to_host(exec, pivots), f = to_host(exec, info);
        found.pivots.assign(p.data(), p.data() + p.size());
        found.info.assign(f.data(), f.data() + f.size());
        found.r = to_host(exec, r);
        found.sizes = to_host(exec, sizes);
        found.inverse = to_host(exec, inverse);
        found.upper = to_host(exec, upper);
    }
};
TYPED_TEST_SUITE(getrf_batch_cuda_test, batch_formats);

}  // namespace

TYPED_TEST(getrf_batch_cuda_test, every_order_has_the_bits_of_the_host)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (index_t n = 1; n <= 64; ++n) {
        const systems_of<T> x = random_systems<T>(this->random, n, 37);
        const host_results<T> expected(x);
        host_results<T> found = expected;
        this->run(x, found);
        for (index_t s = 0; s < 37; ++s) {
            expect_same(found, s, expected, s, "n " + std::to_string(n) + ", system " + std::to_string(s));
        }
        if (testing::Test::HasFailure()) {
            break;
        }
    }
}

TYPED_TEST(getrf_batch_cuda_test, counts_that_fill_blocks_or_not_have_the_bits_of_the_host)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {2, 4, 16, 33}) {
        for (const index_t count : {1, 2, 7, 8, 9, 63, 64, 65, 1000}) {
            const systems_of<T> x = random_systems<T>(this->random, n, count);
            const host_results<T> expected(x);
            host_results<T> found = expected;
            this->run(x, found);
            for (index_t s = 0; s < count; ++s) {
                expect_same(
                    found, s, expected, s,
                    "n " + std::to_string(n) + ", system " + std::to_string(s) + " of " + std::to_string(count));
            }
        }
    }
}

TYPED_TEST(getrf_batch_cuda_test, residuals_of_binary64_entries_have_the_bits_of_the_host)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {1, 3, 8, 33, 64}) {
        const index_t count = 21;
        const systems_of<T> x = random_systems<T>(this->random, n, count, false);
        const systems_of<double> entries = random_systems<double>(this->random, n, count, false);
        vector_batch<host_executor, blas::doubled<T>> r(n, count);
        vector_batch<host_executor, double> sizes(n, count);
        auto on_device = to_device(this->device, r);
        auto sizes_there = to_device(this->device, sizes);
        blas::residual_batch<T, double>(host_executor{}, entries.a.view(), std::as_const(x.b).view(), r.view(),
                                        sizes.view());
        const auto a = to_device(this->device, entries.a);
        const auto b = to_device(this->device, x.b);
        blas::residual_batch<T, double>(this->device, a.view(), b.view(), on_device.view(), sizes_there.view());
        const auto back = to_host(this->device, on_device);
        const auto sizes_back = to_host(this->device, sizes_there);
        for (index_t s = 0; s < count; ++s) {
            EXPECT_TRUE(same_words(r, s, back, s)) << n << ' ' << s;
            EXPECT_TRUE(same_words(sizes, s, sizes_back, s)) << n << ' ' << s;
        }
    }
}

TYPED_TEST(getrf_batch_cuda_test, an_empty_batch_is_nothing)
{
    using T = TypeParam;
    matrix_batch<cuda_executor, T> a(3, 0, this->device);
    vector_batch<cuda_executor, T> b(3, 0, this->device);
    EXPECT_NO_THROW(blas::getrf_batch<T>(this->device, a.view(), {}, {}));
    EXPECT_NO_THROW(blas::getrs_batch<T>(this->device, a.view(), {}, {}, b.view()));
}
