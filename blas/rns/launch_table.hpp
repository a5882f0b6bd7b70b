#pragma once

/// Written by bench/blas/rns_tuning on an NVIDIA H200: the fastest launch for an axpy of 10^6 numbers.
namespace residua::blas::detail {

struct rns_launch_row {
    int most_moduli;
    int block;  ///< threads
};

inline constexpr rns_launch_row rns_launch_table[] = {
    {7, 128},
    {14, 128},
    {28, 64},
    {56, 64},
    {112, 64},
};

}  // namespace residua::blas::detail
