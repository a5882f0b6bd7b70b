#pragma once

#include <residua/arith/base/host_device.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/io/error.hpp>

/// The throughput of element functions of expansions, after [CJMP16]: chains x <- x + y, x + z, x + y, ... (or
/// products) in registers, many of them side by side. y and z nearly cancel, so that x keeps its size.
namespace residua {

/// What a link computes, and how: in one thread, or with one term a lane (arith/expansion/lanes).
enum class chain_function { sum, product, safe_lane_sum, fast_lane_sum, lane_sum, lane_product };

RESIDUA_HD constexpr bool is_product(chain_function f)
{
    return f == chain_function::product || f == chain_function::lane_product;
}

RESIDUA_HD constexpr bool is_on_lanes(chain_function f)
{
    return f != chain_function::sum && f != chain_function::product;
}

/// Kernels exist for these numbers of terms, as in [CJMP16].
inline constexpr int chain_terms[] = {2, 4, 8, 16, 32};

/// The links of a chain, an even number, which makes a run of a million chains take milliseconds.
constexpr int chain_links(int terms) { return terms == 2 ? 2048 : 2048 / terms; }

/// How many numbers there are for each of x, y and z. The chains combine them in different ways.
inline constexpr index_t chain_pool_size = 4096;

/// The numbers that chains begin with (x), and what is added or multiplied by in turn (y, z).
struct chain_operands {
    const double* x = nullptr;
    const double* y = nullptr;
    const double* z = nullptr;
};

constexpr chain_operands chain_operands_at(const double* words, int terms)
{
    const index_t each = chain_pool_size * terms;
    return {words, words + each, words + 2 * each};
}

RESIDUA_HD constexpr index_t place_of_x(index_t i) { return i % chain_pool_size; }
RESIDUA_HD constexpr index_t place_of_y(index_t i) { return (i + i / chain_pool_size) % chain_pool_size; }
RESIDUA_HD constexpr index_t place_of_z(index_t i) { return (i + 2 * (i / chain_pool_size)) % chain_pool_size; }

/// Where the numbers of a kernel are counted as stored, which decides how many of them a multiprocessor holds.
enum class chain_storage {
    registers,  ///< no shared memory: the best case
    shared      ///< 256 bytes of shared memory for every term, set aside and not touched: "memory-constrained"
};

/// A run of chains 0, 1, ..., chains - 1. Chain i ends in result[i * terms], ...; all operands are on the device.
struct chain_run {
    chain_function function = chain_function::sum;
    int terms = 2;  ///< one of chain_terms
    chain_storage storage = chain_storage::registers;
    index_t chains = 0;
    int links = 0;  ///< even
    chain_operands from;
    double* result = nullptr;
};

/// How a kernel sits on a multiprocessor.
struct chain_fit {
    int block_threads = 0;
    int block_chains = 0;
    int shared_bytes = 0;  ///< of a block
    int registers = 0;     ///< of a thread
    int local_bytes = 0;   ///< bytes of local memory per thread: arrays that are indexed, and spilled registers
    int blocks = 0;        ///< blocks that a multiprocessor holds at a time
};

// The functions below exist in builds with CUDA alone.

/// throws  cuda_error
chain_fit fit_of(const cuda_executor& exec, const chain_run& run);

/// Queues the kernel.
///
/// throws  cuda_error if the launch fails
void launch(const cuda_executor& exec, const chain_run& run);

/// Fused multiply-adds of binary64 that the device does in a second, each counted once: the ceiling of flops here.
///
/// throws  cuda_error
double measure_fma_rate(const cuda_executor& exec);

}  // namespace residua
