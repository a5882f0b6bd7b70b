#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <residua/arith/real/real.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>

#include "bench.hpp"
#include "operands.hpp"

namespace residua {

/// A measurement that the user asked for.
struct bench_request {
    operation op = operation::dot;
    bench_format format = bench_format::rns;
    long bits = 0;
    index_t size = 0;
    std::uint64_t seed = 1;
    std::shared_ptr<const operand_pool> operands =
        nullptr;  ///< null: random ones of the seed, in all bits of the format
};

/// The comparison of a run's results with MPFR.
struct bench_verdict {
    real relative_error;     ///< the largest of the sampled results, relative to their sums of magnitudes
    real error_bound;        ///< what the operation promises of that
    real result_error;       ///< the largest error relative to the result itself, infinite for one that is zero
    real result_bound;       ///< what the operation promises of that, for the result where it promises least
    real condition;          ///< the largest sum of magnitudes relative to the result itself
    bool within = true;      ///< whether each sampled result is as the operation promises for it
    std::uint64_t hash = 0;  ///< of all results

    bool is_right() const { return within; }
};

/// An operation on operands that lie where they are needed.
struct bench_case {
    long precision_bits = 0;
    double operations = 0.0;               ///< multiply-adds, or additions or products alone, of a run
    double bytes = 0.0;                    ///< of operands and results, each read or written once
    std::function<void()> run;             ///< queues the operation
    std::function<bench_verdict()> judge;  ///< judges the first run, for which it waits
};

/// throws  resource_error if the operands do not fit; unsupported_error if there is no such operation
bench_case make_bench_case(const host_executor& exec, const bench_request& request);
#if defined(RESIDUA_CUDA)
bench_case make_bench_case(const cuda_executor& exec, const bench_request& request);
#endif

}  // namespace residua
