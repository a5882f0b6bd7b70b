#include <gtest/gtest.h>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/cuda_timer.hpp>

namespace residua {
namespace {

TEST(cuda_timer, tells_the_time_of_a_copy)
{
    if (cuda_devices().empty()) {
        GTEST_SKIP() << why_no_cuda_device();
    }
    const cuda_executor exec = make_cuda_executor();
    constexpr index_t words = index_t{1} << 24;
    const buffer<cuda_executor, double> from(words, exec);
    buffer<cuda_executor, double> to(words, exec);
    cuda_timer watch(exec);
    const auto seconds_of = [&](int copies) {
        watch.start();
        for (int c = 0; c < copies; ++c) {
            detail::cuda_copy(exec, to.data(), from.data(), words * sizeof(double));
        }
        return watch.stop();
    };
    seconds_of(1);

    const double few = seconds_of(10);
    const double many = seconds_of(100);

    EXPECT_GT(10.0 * 2.0 * words * sizeof(double) / few, 1e9);   // bytes per second: any device has more,
    EXPECT_LT(10.0 * 2.0 * words * sizeof(double) / few, 1e14);  // none this much
    EXPECT_GT(many, 3.0 * few);
}

}  // namespace
}  // namespace residua
