#pragma once

/// Written by bench/blas/rns_tuning on an NVIDIA H200: the fastest launch for an axpy of 10^6 numbers.
namespace residua::blas::detail {

struct rns_launch_row {
    int most_moduli;
    int threads;  ///< a number
    int block;
};

inline constexpr rns_launch_row rns_launch_table[] = {
    {7, 1, 128},    // 0.0917 ms
    {14, 1, 256},   // 0.1927 ms
    {28, 4, 128},   // 0.6105 ms
    {56, 8, 64},    // 1.9410 ms
    {112, 16, 64},  // 6.7467 ms
};

}  // namespace residua::blas::detail
