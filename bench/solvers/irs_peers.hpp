#pragma once

#include <string>
#include <vector>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/cuda_executor.hpp>

namespace residua::bench {

/// What a solver of cuSOLVER did with A x = b in binary64.
struct peer_run {
    std::string name;
    std::vector<double> seconds;  ///< of each run
    std::vector<double> x;
    int iterations = 0;   ///< of refinement; negative: it fell back to a solve in binary64
    int info = 0;         ///< as LAPACK has it: 0, or the place of a zero pivot
    std::string failure;  ///< why there is no x; empty if there is
};

/// cuSOLVER's own: LU in binary64, and refinement of binary64 residuals with factors in binary64, binary32, TF32, bfloat16
/// and binary16, each by its defaults. Of the time, copies of A, which becomes the factors, and memory are left out.
///
/// a, b    A (n x n) by columns and b (n) on the device
/// throws  cuda_error; resource_error
std::vector<peer_run> run_peers(const cuda_executor& exec, index_t n, const buffer<cuda_executor, double>& a,
                                const buffer<cuda_executor, double>& b, int repeats);

}  // namespace residua::bench
