#pragma once

#include <future>

#include <residua/solvers/solve.hpp>

namespace residua {

/// Makes the GPU that options ask for ready while files are read: its first use takes some 0.4 s. An error
/// here is not reported: the solve asks for the GPU too, meets the same error, and reports it.
class early_device {
public:
    explicit early_device(const solve_options& options);

private:
    std::future<void> ready_;  ///< its destructor waits for the device
};

}  // namespace residua
