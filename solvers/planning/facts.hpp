#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/matrix/structure.hpp>
#include <residua/solvers/options/condition_estimate.hpp>
#include <residua/solvers/options/predicted_cost.hpp>
#include <residua/solvers/options/solve_options.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>

namespace residua {

/// The sizes that the bytes of solve() depend on.
struct system_sizes {
    index_t rows = 0;
    index_t cols = 0;
    index_t nonzeros = 0;
    double bytes_of_exact = 0.0;  ///< bytes of an entry that binary64 does not hold; 0: it holds all
    bool complex = false;         ///< the matrix is the real form of a complex one

    index_t larger() const { return std::max(rows, cols); }
    double n() const { return static_cast<double>(larger()); }
    double entries() const { return static_cast<double>(nonzeros); }
    /// How many real numbers a scalar of a method is: two where it has complex scalars.
    index_t parts_of_scalars(method m) const { return complex && traits_of(m).complex_scalars ? 2 : 1; }
    /// Unknowns as a method counts them.
    index_t elements(method m) const { return larger() / parts_of_scalars(m); }
    /// Operations on vectors of larger() real numbers in an iteration: one with a complex scalar is two with real ones.
    double vector_operations(method m) const
    {
        return traits_of(m).vector_operations * static_cast<double>(parts_of_scalars(m));
    }
    bool take_dense_factors() const { return takes_dense_factors(rows, static_cast<std::size_t>(nonzeros)); }
    /// Whether a matrix that is not square is dense enough for QR: a quarter of its entries are there.
    bool take_dense_qr() const
    {
        return rows != cols && entries() >= 0.25 * static_cast<double>(rows) * static_cast<double>(cols);
    }
};

system_sizes sizes_of(const sparse_matrix& a);
/// The same where processes have the entries, too.
system_sizes sizes_of(const linear_system& a);

/// The work and the memory of factors of one kind, in any precision.
struct factor_work {
    preconditioner kind = preconditioner::lu;
    index_t unknowns = 0;
    index_t rows = 0;  ///< of QR, the larger size of the matrix; 0: the matrix is square
    bool dense = true;
    bool known = false;                ///< whether what follows is: the matrix may be too large to be analysed unasked
    double least_multiply_adds = 0.0;  ///< if they were not counted to the end, as too many for every use; else 0
    double multiply_adds = 0.0;
    double entries = 0.0;
    double front_numbers = 0.0, front_bytes = 0.0;  ///< of fronts while they are made: numbers, and bytes beside them

    /// Bytes while they are made in a format.
    double bytes(const arithmetic& in) const;
    /// Adds what one thread takes for factors in `bits` bits, by built-in rates.
    void add_to(arithmetic_seconds& seconds, long bits) const;
};

/// Sparse matrices of up to this many entries are analysed for factors that nobody asked for.
inline constexpr double most_automatic_entries = 1e8;

/// The work of factors of the first kind that is tried for these options. Unless factors are asked for, it is not
/// counted to the end where it exceeds most_multiply_adds_in_reach(): so it depends on the matrix and the options
/// alone.
factor_work work_of_factors(const scaled_matrix& matrix, sparse_analyses& analyses, const solve_options& options);

/// The work of dense QR.
factor_work work_of_qr(const system_sizes& sizes);

/// What is known of factors in binary64.
struct binary64_facts {
    preconditioner kind = preconditioner::lu;  ///< where there are none what was tried last
    bool available = false;
    bool trusted = false;   ///< they are precise enough to estimate errors with
    double entries = 0.0;   ///< in L and U, or in L alone
    std::string failure{};  ///< why there are none
};

/// CG with Jacobi before any factors are made.
struct cg_first {
    candidate choice;   ///< it may take 1.5 times the predicted iterations
    double bits = 0.0;  ///< what bits_of_cg() returned
    std::string reason;
};

/// Whether CG with multigrid comes first where factors are out of reach, as find_multigrid() decides.
enum class multigrid_use {
    unfit,    ///< the matrix or the options do not take it, or other methods are fast
    missing,  ///< it fits, and its plug-in is not there
    taken
};

/// What is known of a system when decisions are made.
struct system_facts {
    system_sizes sizes{};
    matrix_structure structure{};
    factor_work factors{};  ///< of the first kind that is tried for the options
    binary64_facts binary64{};
    std::optional<condition_estimate> condition{};  ///< by the best factors, or by solves; empty: unknown
    long trusted_bits = 0;     ///< the lowest precision of factors that are known to suffice for it; 0: none is known
    std::vector<long> made{};  ///< bits of the factors that exist
    std::optional<cg_first> cg{};  ///< what comes before factors, which are postponed
    multigrid_use multigrid = multigrid_use::unfit;
    long refused_bits = 0;          ///< the lowest precision in which factors turned out not to fit; 0: none
    std::string refused_because{};  ///< the message of what was to make them

    /// Records that factors in `bits` bits do not fit, although they were predicted to, or are given up.
    void refuse(long bits, const std::string& because);
};

/// What is known of a square matrix before any of its factors are made.
system_facts facts_of(const sparse_matrix& a, const solve_options& options);

/// Bytes of one right-hand side at work and of its result, beyond their vectors: the numbers, the words and a short history
/// of a report.
inline constexpr double bytes_of_column = 4784.0;

/// The length of cycles of GMRES.
index_t restart_of(const candidate& choice, const solve_options& options);

/// engine_bytes() of a system.
double engine_bytes(const system_sizes& system, const solve_options& options, const arithmetic& in,
                    const candidate& choice, index_t residuals);

/// Bytes that solve() takes beyond factors.
double bytes_without_factors(const system_sizes& system, const solve_options& options, index_t right_hand_sides);

}  // namespace residua
