#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <residua/io/error.hpp>

namespace residua {

struct made_preconditioner;
struct sparse_matrix;

/// The preconditioners that solve() has. `automatic` stands for the method's own.
///
/// A new one needs an enumerator here, a row in the same place of the table in registry.cpp, and a function to make it.
enum class preconditioner {
    automatic,
    none,
    jacobi,
    block_jacobi,
    ssor,
    ilu0,
    iluk,
    ilut,
    ic0,
    chebyshev,
    lu,
    cholesky,
    ldl,
    amg,
    petsc,
    given
};

/// z <- M r in binary64, both of n numbers. What it throws ends the solve, and leaves it.
using preconditioner_function = std::function<void(std::span<const double> r, std::span<double> z)>;

/// A preconditioner M ~ inverse(A) of the caller's, for A as it is given. A method calls it once or twice an iteration, on
/// the thread that called the solve, with r of a size about 1. It need not be linear: cg and gmres are flexible with it. For
/// cg and minres it has to be symmetric positive definite, which nobody tests: where r'z is not positive, they break down.
struct given_preconditioner {
    preconditioner_function m = {};    ///< M r
    preconditioner_function m_t = {};  ///< M'r, for bicg and for systems with A'; a symmetric A needs it for bicg alone
};

/// What `amg` and `petsc` get to know of a system of equations in several functions, as displacements. Nothing of it
/// decides what x is worth.
struct node_facts {
    /// rows come in groups of so many, the unknowns of a node; 0: nothing is known, and a row is a node
    index_t block_size = 0;
    /// vectors of n numbers that A takes almost to zero away from its boundary, as rigid body motions are; those that
    /// depend on others add nothing
    std::vector<std::vector<double>> near_null_space = {};
    /// block_size numbers for each node, node after node: where a node is. Rigid body motions are made of them, so
    /// that the unknowns of a node are displacements in 2 or 3 directions
    std::vector<double> coordinates = {};

    bool has_vectors() const { return !near_null_space.empty() || !coordinates.empty(); }
    bool are_given() const { return block_size != 0 || has_vectors(); }
};

/// What a method and a user ask of a preconditioner.
struct preconditioner_options {
    /// M must be symmetric positive definite, as methods for symmetric matrices need it. An M that would not be
    /// definite is a failure.
    bool definite = false;
    /// The matrix may be symmetric indefinite: with `definite`, Jacobi takes absolute values of the diagonal.
    bool indefinite_matrix = false;
    std::optional<index_t> fill = {};   ///< if the traits allow it; empty: the preconditioner's default
    std::string petsc = {};             ///< of preconditioner::petsc: PETSc's options, as "-pc_type icc"
    const node_facts* nodes = nullptr;  ///< for A as it is before scaling; null: nothing is known
    /// C of A C, when A is what scaling makes of another matrix: a power of two for each column; empty: C = I
    std::span<const int> column_exponent = {};
};

/// What is known about a preconditioner before it is made. M is the matrix that residuals are multiplied with.
struct preconditioner_traits {
    residua::preconditioner preconditioner;
    std::string_view name;        ///< on the command line and in reports
    std::string_view formula;     ///< M of A = D + L + U with its strict triangles, for the documentation
    std::string_view needs;       ///< what A must have, for the documentation
    bool definite = false;        ///< M is symmetric positive definite if A is; fits methods for symmetric matrices
    bool general = false;         ///< fits methods for any nonsingular matrix
    bool loses_symmetry = false;  ///< M need not equal its transpose where A does
    bool factors = false;         ///< made of factors of the whole matrix, whose precision can be chosen
    bool by_products = false;     ///< applied by products with sparse matrices alone, without triangular solves
    bool needs_diagonal = false;  ///< needs a diagonal without zeros
    bool takes_fill = false;      ///< preconditioner_options::fill changes it
    /// a function of binary64 numbers on the host, which may be another map in every step; whether M is definite is the
    /// caller's word
    bool by_function = false;
    /// Makes M for A. It is null for `none` and `automatic`, which have no M, for `given`, and for factors, which need a
    /// precision and a place (factorize(), factorize_long()).
    made_preconditioner (*make)(const sparse_matrix& a, const preconditioner_options& options) = nullptr;
};

/// The row of a preconditioner; the row of `automatic` has a name and nothing else.
const preconditioner_traits& traits_of(preconditioner p) noexcept;

/// All rows but the row of `automatic`, in the order of the enumeration.
std::span<const preconditioner_traits> all_preconditioners() noexcept;

/// The preconditioner of that name, "auto" being `automatic`; empty: there is none.
std::optional<preconditioner> preconditioner_named(std::string_view name) noexcept;

/// The name of a preconditioner.
std::string_view to_string(preconditioner p) noexcept;

/// Whether a preconditioner is made of factors of the whole matrix: L U, L L' or L D L'.
inline bool are_factors(preconditioner p) noexcept { return traits_of(p).factors; }

/// Whether a preconditioner is a function of binary64 numbers.
inline bool is_by_function(preconditioner p) noexcept { return traits_of(p).by_function; }

/// Whether PETSc makes a preconditioner, by the plug-in residua-petsc.
inline bool is_by_petsc(preconditioner p) noexcept { return p == preconditioner::amg || p == preconditioner::petsc; }

/// Whether a preconditioner takes products of sparse matrices and vectors only, no triangles.
inline bool applied_by_products(preconditioner p) noexcept { return traits_of(p).by_products; }

}  // namespace residua
