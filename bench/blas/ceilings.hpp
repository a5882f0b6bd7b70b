#pragma once

#include <residua/blas/base/cuda_executor.hpp>

/// What the device at hand reaches at best, to measure operations against.
struct ceilings {
    double copy_bytes_per_second;  ///< read and written, 4 GiB each
    double read_bytes_per_second;  ///< 4 GiB
};

/// The best of a few kernels that do nothing else, and of a few repeats each.
///
/// throws  residua::cuda_error, residua::resource_error
ceilings measure_ceilings(const residua::cuda_executor& exec);

/// Reads x and y, 16 bytes a thread, and does nothing with them: what an operation on them cannot be faster than.
void read_both(const residua::cuda_executor& exec, const void* x, const void* y, double bytes_each);
