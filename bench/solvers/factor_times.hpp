#pragma once

#include <string>
#include <vector>

#include <residua/blas/base/cuda_executor.hpp>

namespace residua::bench {

/// What one way to factorise P A = L U took.
struct factor_time {
    std::string name;
    std::vector<double> seconds;  ///< of each run
    double error = 0.0;  ///< max |P A - L U| / (|L| |U|) over the entries of the first, the middle and the last row
};

/// getrf in binary64 and binary32 and getrf_mixed in panels of several widths, on the same random matrix of order n on
/// a device. Of the time, the copy of A that becomes the factors is left out.
///
/// throws  cuda_error; resource_error
std::vector<factor_time> time_factors(const cuda_executor& exec, index_t n, int repeats);

}  // namespace residua::bench
