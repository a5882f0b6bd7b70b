#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/solvers/base/arithmetic.hpp>
#include <residua/solvers/base/seconds.hpp>
#include <residua/solvers/checkpoint/content_hash.hpp>
#include <residua/solvers/matrix/matrix_storage.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/options/solve_options.hpp>
#include <residua/solvers/options/stop.hpp>
#include <residua/solvers/precond/chebyshev.hpp>
#include <residua/solvers/space/long_vector.hpp>

namespace residua {

class checkpoint;
class complete_factors;
class long_factors;
class sparse_analyses;

/// A residual, and what correct() makes of it.
struct correction {
    long_vector& r;
    stop_rule rule;  ///< its tolerance is relative to ||r||
    long_vector d = {};
    iteration_report report = {};
};

/// One method in one format: corrections for residuals of A x = b.
class correction_engine {
public:
    virtual ~correction_engine() = default;

    /// d ~ inverse(A) r by the method for each of them, with A, d and r scaled into the format's range: refine and direct
    /// all together, the other methods one after the other. Each gets the d and the report that it gets alone. Multi-digit
    /// floats r move to where the method computes, and there is d, of the bits of the format; of RNS floats d is in MPFR.
    ///
    /// throws  input_error if a state in the checkpoint is damaged
    void correct(std::vector<correction>& columns);

    /// From now on corrections are taken from a checkpoint where it has them, go on from it, and are kept in it.
    ///
    /// key  what they are made by: format, method, preconditioner, matrix
    void keep_in(checkpoint& in, const content_key& key)
    {
        checkpoint_ = &in;
        key_ = key;
    }

    /// Whether a device computes; of `direct`, whether it computed products for the factors.
    virtual bool on_device() const = 0;

    /// The factors of `direct`; null: another method.
    virtual const long_factors* factors() const { return nullptr; }

private:
    virtual void compute(std::vector<correction>& columns) = 0;
    /// Whether compute() takes several columns at a time, and not one after the other.
    virtual bool together() const = 0;

    checkpoint* checkpoint_ = nullptr;
    content_key key_{};
};

/// Everything that an engine is made from. The references must outlive the engine.
struct engine_request {
    const scaled_matrix& matrix;
    residua::method method;
    matrix_storage* storage = nullptr;  ///< of the matrix, where its entries are of binary64; null: one is made
    const triangular_factors* factors = nullptr;          ///< incomplete ones of the scaled matrix; null: none
    const complete_factors* complete = nullptr;           ///< instead of incomplete ones; null: none
    const residua::long_factors* long_factors = nullptr;  ///< of refine and GMRES-IR, instead of factors; null: none
    const sparse_rows* inverse = nullptr;                 ///< to multiply with, instead of factors; null: none
    /// for the polynomial of `inverse` times the scaled matrix, times `inverse`; empty: `inverse` alone
    std::optional<chebyshev_interval> polynomial = {};
    sparse_analyses* analyses = nullptr;  ///< of the matrix, for `direct`; null: they are made
    index_t restart = default_restart;
    bool several = false;          ///< residuals will come several at a time
    checkpoint* keeper = nullptr;  ///< of fronts; null: none
    /// where to compute, by runs_on_gpu(), of a direct method the large products; empty: on the host
    std::optional<cuda_executor> device = {};
    double factor_room = std::numeric_limits<double>::infinity();  ///< bytes of its memory that sparse factors may take
    bool triangles_on_host =
        false;  ///< of a method on a device: the host solves with them, and vectors go there and back
    method_seconds* seconds = nullptr;  ///< to add those of corrections to; null: not measured
};

std::unique_ptr<correction_engine> make_engine(const arithmetic& in, const engine_request& request);

/// Expansions of up to so many bits are compiled in one file, longer ones in another, side by side.
inline constexpr long most_short_expansion_bits = 424;

/// The same in binary64 and in the expansions up to most_short_expansion_bits, and in the expansions above.
///
/// throws  unsupported_error if no such expansion has so many bits
std::unique_ptr<correction_engine> make_short_expansion_engine(long bits, const engine_request& request);
std::unique_ptr<correction_engine> make_long_expansion_engine(long bits, const engine_request& request);

/// The same in multi-digit floats of so many bits.
std::unique_ptr<correction_engine> make_multidigit_engine(long bits, const engine_request& request);

/// The same in RNS floats of at least so many bits.
std::unique_ptr<correction_engine> make_rns_engine(long bits, const engine_request& request);

/// Makes an engine of `direct`, which corrects by factors in any format.
std::unique_ptr<correction_engine> make_direct_engine(const arithmetic& in, const engine_request& request);

/// The same of GMRES-IR: GMRES in the format, its products in twice the bits.
///
/// throws  unsupported_error for RNS floats, and for expansions of more than 212 bits; for a device in a build for the host
///         alone
std::unique_ptr<correction_engine> make_gmres_ir_engine(const arithmetic& in, const engine_request& request);

/// How many residuals correct() is given at a time.
inline constexpr index_t most_corrections = 64;

}  // namespace residua
