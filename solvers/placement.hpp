#pragma once

#include <optional>
#include <string>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/solvers/engine.hpp>
#include <residua/solvers/plan.hpp>
#include <residua/solvers/solve.hpp>

namespace residua {

/// Where a method computes: on a GPU, or on the host.
struct placement {
    std::optional<cuda_executor> device;
    std::string name;  ///< of the GPU; empty on the host
};

/// What runs on a GPU: CG in RNS floats, with Jacobi or without a preconditioner.
bool runs_on_gpu(const arithmetic& in, const candidate& choice);

/// The place for a method that takes so many bytes. Without being asked for, a GPU is taken where RNS floats
/// were asked for and the method runs and fits there.
///
/// throws  resource_error if a GPU is asked for that is not there, or has too little memory
placement find_place(const solve_options& options, const arithmetic& in, const candidate& choice, double bytes);

/// throws  resource_error if a GPU is asked for that is not there
void require_device(const solve_options& options);

}  // namespace residua
