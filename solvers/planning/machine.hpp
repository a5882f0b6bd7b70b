#pragma once

#include <limits>
#include <optional>
#include <string>

#include <residua/blas/base/cuda_executor.hpp>

namespace residua {

/// What decisions know of the machine. A test makes one by hand.
struct machine {
    double memory = std::numeric_limits<double>::infinity();  ///< bytes that this process can still take
    int threads = 1;
};

/// Reads this machine as it is now. Decisions read it nowhere else.
machine this_machine();

/// Where a method computes: on a GPU, or on the host.
struct placement {
    std::optional<cuda_executor> device;
    std::string name;         ///< the GPU's name; empty on the host
    double free_bytes = 0.0;  ///< bytes of its memory that are free, before the method has some
};

/// A GPU of this machine as it is now. It is started if nothing was done with it before, which takes some 0.4 s.
///
/// throws  resource_error if it cannot be used
placement this_gpu(int number);

}  // namespace residua
