#pragma once

#include <optional>
#include <string>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/session/plan.hpp>
#include <residua/solvers/solve.hpp>

namespace residua {

/// Where a method computes: on a GPU, or on the host.
struct placement {
    std::optional<cuda_executor> device;
    std::string name;         ///< of the GPU; empty on the host
    double free_bytes = 0.0;  ///< of its memory, before the method has some
};

/// What runs on a GPU: in binary64, expansions and multi-digit floats every method with every preconditioner, but of
/// direct only the large products, in multi-digit floats and in the expansions that have them by the tuning table; in RNS
/// floats runs_in_rns_on_gpu().
bool runs_on_gpu(const arithmetic& in, const candidate& choice);

/// Whether `executor::automatic` may take a GPU for it: its work is element by element.
bool takes_gpu_unasked(const candidate& choice);

/// The place for a method that takes so many bytes on a device. Without being asked for, a GPU is taken where the
/// method runs and fits there, without triangular factors, for RNS floats that were asked for and for
/// systems of as many unknowns as the tuning table has: an iteration costs some ten launches; for direct never.
///
/// throws  resource_error if a GPU is asked for that is not there, or has too little memory
placement find_place(const solve_options& options, const arithmetic& in, const candidate& choice, index_t unknowns,
                     double bytes);

/// throws  resource_error if a GPU is asked for that is not there
void require_device(const solve_options& options);

}  // namespace residua
