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

/// What runs on a GPU: cg, bicgstab and gmres in binary64, expansions and multi-digit floats, with every
/// preconditioner; in RNS floats cg with Jacobi or without a preconditioner. Of direct, in multi-digit floats and in
/// expansions of more than most_terms_without_products terms, the large products.
bool runs_on_gpu(const arithmetic& in, const candidate& choice);

/// Unknowns from which on a GPU pays, with Jacobi or without a preconditioner: an iteration costs some
/// ten launches, which take as long as 20000 unknowns in two terms on the host.
inline constexpr index_t enough_for_gpu = 20000;

/// The place for a method that takes so many bytes on a device. Without being asked for, a GPU is taken where the
/// method runs and fits there, with Jacobi or without a preconditioner, for RNS floats that were asked for and for
/// systems of enough_for_gpu unknowns; for direct never.
///
/// throws  resource_error if a GPU is asked for that is not there, or has too little memory
placement find_place(const solve_options& options, const arithmetic& in, const candidate& choice, index_t unknowns,
                     double bytes);

/// throws  resource_error if a GPU is asked for that is not there
void require_device(const solve_options& options);

}  // namespace residua
