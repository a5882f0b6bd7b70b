#pragma once

#include <optional>
#include <string>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/solvers/base/arithmetic.hpp>
#include <residua/solvers/options/solve_options.hpp>
#include <residua/solvers/options/solve_plan.hpp>
#include <residua/solvers/precond/triangle_path.hpp>

namespace residua {

/// Where a method computes: on a GPU, or on the host.
struct placement {
    std::optional<cuda_executor> device;
    std::string name;         ///< the GPU's name; empty on the host
    double free_bytes = 0.0;  ///< bytes of its memory that are free, before the method has some
};

/// Whether a candidate runs on a GPU. In binary64, expansions and multi-digit floats every method does, with every
/// preconditioner; but of `direct` only large factors, fronts and products, in multi-digit floats and in the expansions that have them
/// by the tuning table. In RNS floats it is as runs_in_rns_on_gpu() says.
bool runs_on_gpu(const arithmetic& in, const candidate& choice);

/// Whether `executor::automatic` may take a GPU for a candidate: no `direct`, and a preconditioner by products or none.
bool takes_gpu_unasked(const candidate& choice);

/// Whether a method computes on a GPU.
enum class gpu_use {
    none,
    if_it_fits,  ///< nobody asked for it
    required
};

/// A GPU that nobody asked for is taken where the method runs there, is not `direct` and has no triangular factors; and
/// the format must be RNS floats by request, or the system have as many unknowns as the tuning table says: an iteration
/// costs some ten launches.
gpu_use gpu_for(const solve_options& options, const arithmetic& in, const candidate& choice, index_t unknowns);

/// The place for a method that takes `bytes` bytes on a device: the host if it does not fit on one that nobody asked for.
///
/// throws  resource_error if a GPU is asked for that is not there, or has too little memory
placement find_place(gpu_use use, const solve_options& options, double bytes);

/// One iteration of a method that a GPU may compute.
struct iteration_work {
    arithmetic in;
    index_t unknowns = 0;
    double entries = 0.0;  ///< entries of A
    double vector_operations = 0.0;
    std::optional<triangle_path> triangles{};  ///< triangles of the preconditioner; empty: none
    double solves = 1.0;                       ///< with them
    arithmetic solves_in{};                    ///< the format of solves with them
    double iterations = 0.0;  ///< that may be needed; 0: few, or the method is on the GPU for another reason
    int threads = 1;          ///< of the host; the estimate has triangles solved by one of them
};

/// Which parts of an iteration leave the GPU.
enum class iteration_place { gpu, triangles_on_host, host };

/// Where an iteration is computed, and why not all of it on the GPU.
struct iteration_choice {
    iteration_place place = iteration_place::gpu;
    std::string reason;  ///< empty on the GPU
};

/// The most seconds that a solve may lose by a GPU, as predicted, besides the start of the GPU, which takes some 0.4 s.
inline constexpr double most_seconds_lost = 0.1;

/// Places an iteration by predicted seconds: counts times built-in rates, of the host by rates_of(), of a GPU by
/// rates_of_gpu. On a GPU the row levels of triangles follow one another, and so do the entries of the longest row of a
/// level.
/// Solves with triangles go to the host where they take less time there, together with the way of a vector to the host and
/// back. The whole method goes there where an iteration is faster by clear_factor, without the solves that are the host's in
/// any case, and all of them by more than most_seconds_lost. Without triangles the host keeps no system that the tuning
/// table has for GPUs. A vector's bits are the same in every place.
iteration_choice place_iteration(const iteration_work& work);

}  // namespace residua
