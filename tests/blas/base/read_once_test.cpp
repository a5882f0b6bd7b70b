#include "tests/blas/base/read_once.hpp"

#include <gtest/gtest.h>

namespace residua {
namespace {

TEST(read_once, has_the_cache_policies_of_this_device)
{
    if (cuda_devices().empty()) {
        GTEST_SKIP() << why_no_cuda_device();
    }
    const auto policies = support::leave_first(make_cuda_executor());

    EXPECT_EQ(policies.used, policies.made);
}

}  // namespace
}  // namespace residua
