#pragma once

#include <cstdint>
#include <functional>

#include <residua/arith/real/real.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>

#include "bench.hpp"

namespace residua {

/// A measurement that the user asked for.
struct bench_request {
    operation op = operation::dot;
    bench_format format = bench_format::rns;
    long bits = 0;
    index_t size = 0;
    std::uint64_t seed = 1;
};

/// The comparison of a run's results with MPFR.
struct bench_verdict {
    real relative_error;     ///< the largest of the sampled results, relative to their sums of magnitudes
    real error_bound;        ///< what the operation promises
    std::uint64_t hash = 0;  ///< of all results

    bool is_right() const { return relative_error <= error_bound; }
};

/// An operation on operands that lie where they are needed.
struct bench_case {
    long precision_bits = 0;
    double operations = 0.0;               ///< multiply-adds, or additions or products alone, of a run
    double bytes = 0.0;                    ///< of operands and results, each read or written once
    std::function<void()> run;             ///< queues the operation
    std::function<bench_verdict()> judge;  ///< judges the first run, for which it waits
};

/// throws  resource_error if the operands do not fit
bench_case make_bench_case(const host_executor& exec, const bench_request& request);
#if defined(RESIDUA_CUDA)
bench_case make_bench_case(const cuda_executor& exec, const bench_request& request);
#endif

}  // namespace residua
