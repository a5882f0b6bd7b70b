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
class factorization;
class processes;
class shared_matrix;
class sparse_analyses;

/// A residual, and what correct() makes of it: a correction and a report.
struct correction {
    long_vector& r;
    stop_rule rule;  ///< tolerances are relative to ||r||
    long_vector d = {};
    iteration_report report = {};
};

/// One method in one format: corrections for residuals of A x = b.
class correction_engine {
public:
    virtual ~correction_engine() = default;

    /// d ~ inverse(A) r for each column by the method, with A, d and r scaled to its format's range; `direct` has d ~
    /// inverse(A'A) r for an A with more rows than columns, and inverse(A A') r for one with fewer. refine and direct take
    /// all columns together, others one after the other. Each column gets the d and the report that it gets alone.
    /// A multi-digit r moves to where the method computes, and d is there, in the format's bits; for RNS d is in MPFR.
    ///
    /// throws  input_error if a state in the checkpoint is damaged
    virtual void correct(std::vector<correction>& columns) = 0;

    /// Whether correct() takes several columns at a time, and not one after the other.
    virtual bool together() const = 0;

    /// Whether a device computes; for `direct`, whether it made the factors, or products for them.
    virtual bool on_device() const = 0;

    /// How many processes share its corrections.
    virtual index_t shared_by() const { return 1; }

    /// The factors of `direct`; null for another method.
    virtual const factorization* factors() const { return nullptr; }
};

/// Everything that an engine is made from. The references must outlive the engine.
struct engine_request {
    const scaled_matrix& matrix;
    residua::method method;
    matrix_storage* storage = nullptr;  ///< storage of the matrix, if its entries are of binary64; null: one is made
    /// complete factors of the scaled matrix, above binary64 for refine and GMRES-IR alone; null: none
    const factorization* factors = nullptr;
    const triangular_factors* triangles = nullptr;  ///< incomplete factors instead; null: none
    const sparse_matrix* inverse = nullptr;         ///< multiplied with, instead of factors; null: none
    /// interval of a polynomial in `inverse` times the scaled matrix that multiplies `inverse`; empty: `inverse` alone
    std::optional<chebyshev_interval> polynomial = {};
    const preconditioner_function* function = nullptr;    ///< M for the scaled matrix, instead of these; null: none
    const preconditioner_function* transposed = nullptr;  ///< M', where the method takes it
    sparse_analyses* analyses = nullptr;                  ///< analyses of the matrix, for `direct`; null: they are made
    index_t restart = default_restart;
    bool several = false;  ///< residuals will come several at a time
    /// the matrix is the real form of a complex one, with the two parts of a number side by side: a method whose traits
    /// have complex_scalars has complex scalars then, and the complex linear part of its preconditioner, unless that is
    /// a function, or `inverse` is a real form too
    bool complex = false;
    checkpoint* keeper = nullptr;  ///< where fronts are kept; null: nowhere
    /// the device that computes what runs_on_gpu() says, for `direct` its large factors, fronts and products; empty: the host computes
    std::optional<cuda_executor> device = {};
    double factor_room = std::numeric_limits<double>::infinity();  ///< bytes of the device that sparse factors may take
    bool triangles_on_host =
        false;  ///< for a method on a device the host solves with triangles, and vectors go there and back
    method_seconds* seconds = nullptr;  ///< adds up the seconds of corrections; null: not measured
    processes* all = nullptr;  ///< who shares the work where that can be (shared_engine.hpp); null: this process
    /// the rows of the matrix and of `inverse` that processes have, for an engine that they share; null: nobody shares it
    const shared_matrix* shared = nullptr;
    const shared_matrix* shared_inverse = nullptr;
};

std::unique_ptr<correction_engine> make_engine(const arithmetic& in, const engine_request& request);

/// make_engine() in binary64 and in expansions.
///
/// throws  unsupported_error if no expansion has `bits` bits
std::unique_ptr<correction_engine> make_expansion_engine(long bits, const engine_request& request);

/// make_engine() in multi-digit floats of `bits` bits.
std::unique_ptr<correction_engine> make_multidigit_engine(long bits, const engine_request& request);

/// make_engine() in RNS floats of at least `bits` bits.
std::unique_ptr<correction_engine> make_rns_engine(long bits, const engine_request& request);

/// Makes an engine of `direct`, which corrects by factors in any format.
std::unique_ptr<correction_engine> make_direct_engine(const arithmetic& in, const engine_request& request);

/// Makes an engine of GMRES-IR: GMRES computes in the format, its products in twice the bits.
///
/// throws  unsupported_error for RNS floats, and for expansions of more than 212 bits; for a device in a build for the host
///         alone
std::unique_ptr<correction_engine> make_gmres_ir_engine(const arithmetic& in, const engine_request& request);

/// The most residuals that correct() is given at a time.
inline constexpr index_t most_corrections = 64;

}  // namespace residua
