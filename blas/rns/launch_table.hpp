#pragma once

/// Written by bench/blas/rns_tuning on an NVIDIA H200: the fastest launch for an axpy of 10^6 numbers.
namespace residua::blas::detail {

struct rns_launch_row {
    int most_moduli;
    int threads;  ///< a number
    int block;
};

inline constexpr rns_launch_row rns_launch_table[] = {
    {7, 1, 128}, {14, 1, 128}, {28, 4, 256}, {56, 8, 256}, {112, 16, 256},
};

}  // namespace residua::blas::detail
