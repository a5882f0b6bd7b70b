#pragma once

#include <gtest/gtest.h>

#include <residua/blas/base/cuda_executor.hpp>

#include "tests/support/biased_random.hpp"

namespace residua::support {

/// Skips, visibly, without a device.
template <class T>
class on_cuda : public testing::Test {
public:
    void SetUp() override
    {
        if (cuda_devices().empty()) {
            GTEST_SKIP() << why_no_cuda_device();
        }
        device = make_cuda_executor();
    }

    cuda_executor device;
    biased_random random;
};

}  // namespace residua::support
