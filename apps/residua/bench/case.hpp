#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <residua/arith/real/real.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>

#include "bench.hpp"
#include "chain.hpp"

namespace residua {

/// One measurement that is asked for.
struct bench_request {
    operation op = operation::dot;
    bench_format format = bench_format::rns;
    long bits = 0;
    index_t size = 0;
    std::uint64_t seed = 1;
};

/// The results of a run beside those of MPFR.
struct bench_verdict {
    real relative_error;     ///< the largest of the sampled results, relative to their sums of magnitudes
    real error_bound;        ///< what the operation promises
    std::uint64_t hash = 0;  ///< of all results; of kernels the sampled ones
    bool same_bits = true;   ///< false if a kernel's result is not the host's

    bool is_right() const { return same_bits && relative_error <= error_bound; }
};

/// An operation on operands that lie where they are needed.
struct bench_case {
    long precision_bits = 0;
    double operations = 0.0;               ///< multiply-adds, or additions or products alone, of a run
    double bytes = 0.0;                    ///< of operands and results: each is read or written once
    std::function<void()> run;             ///< queues the operation
    std::function<bench_verdict()> judge;  ///< after the first run; waits for it
    std::optional<chain_facts> chain{};    ///< of a kernel alone
};

/// throws  resource_error if the operands do not fit
bench_case make_bench_case(const host_executor& exec, const bench_request& request);
#if defined(RESIDUA_CUDA)
bench_case make_bench_case(const cuda_executor& exec, const bench_request& request);

/// For a request that is_of_kernels: calls `measure` with every kernel of its operation, in registers and with shared
/// memory; request.size chains each. The results of a case are freed before the next is made.
///
/// throws  resource_error if the results do not fit
void each_kernel(const cuda_executor& exec, const bench_request& request,
                 const std::function<void(const bench_case&)>& measure);
#endif

}  // namespace residua
