#pragma once

/// Written by bench/blas/rns_tuning on an NVIDIA H200: the fastest launch for an axpy of 10^6 numbers.
namespace residua::blas::detail {

struct rns_launch_row {
    int most_moduli;
    int block;  ///< threads
};

inline constexpr rns_launch_row rns_launch_table[] = {
    {7, 128},   // 0.0723 ms
    {14, 128},  // 0.1595 ms
    {28, 32},   // 0.5014 ms
    {56, 32},   // 1.6375 ms
    {112, 32},  // 5.9590 ms
};

}  // namespace residua::blas::detail
