#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <residua/solvers/base/determinant.hpp>
#include <residua/solvers/matrix/make_system.hpp>
#include <residua/solvers/options/condition_estimate.hpp>
#include <residua/solvers/options/predicted_cost.hpp>
#include <residua/solvers/options/solve_plan.hpp>
#include <residua/solvers/solve.hpp>

namespace residua {

class given_rhs;
struct solver_parts;

/// One entry of inverse(A).
struct inverse_entry {
    real value;
    real imaginary;             ///< its imaginary part; 0 of a real system
    std::optional<real> error;  ///< absolute, estimated or compared as the forward error of its column; empty: unknown
    solve_status status = solve_status::not_converged;  ///< the status of its column
};

/// Solves systems with one matrix, for one right-hand side after the other.
///
/// What belongs to the matrix is made when it is first needed, and kept: structure, scaling, factors, condition estimate,
/// plan, and the methods with their preconditioners on the executor where they compute. A later right-hand side costs its
/// corrections alone. Every solve gives the x and the figures that a new solver gives, bit for bit, also behind one that was
/// stopped, threw or lacked memory; only times differ.
///
/// A complex system is given and solved as its real form (numbers.hpp): b and x have the parts of complex numbers, and
/// complex_numbers(x) puts them together.
///
/// threads  different objects may be used at the same time. One object takes one call at a time: the caller's lock
///          covers all of its functions. It computes with the threads of OpenMP
class solver {
public:
    /// Nothing is computed yet. The right-hand side of the system is not read.
    ///
    /// throws  dimension_error if the matrix is not as linear_system says
    explicit solver(linear_system matrix, solve_options options = {});
    /// The constructor without a copy of the matrix.
    explicit solver(std::shared_ptr<const linear_system> matrix, solve_options options = {});

    solver(solver&&) noexcept;
    solver& operator=(solver&&) noexcept;
    ~solver();

    /// Solves A x = b, as residua::solve() does.
    ///
    /// shapes   A (n x n), for lsqr (m x n), b (m), x (n)
    /// throws   as residua::solve()
    solve_result solve(const std::vector<real>& b);
    /// solve() for numbers of any kind that `real` holds, in a vector, span or other range.
    template <number_range B>
    solve_result solve(const B& b)
    {
        return solve(reals(b));
    }
    /// solve() for complex numbers.
    template <complex_range B>
    solve_result solve(const B& b)
    {
        return solve(real_form(b));
    }

    /// Solves A X = B: one result for each right-hand side, in their order.
    ///
    /// Each column of X has its own stopping test, precision, report and status, and gets the x and the figures that it
    /// gets alone; only times are those of the whole. Refinement corrects all columns together that are still at work
    /// (see refine), `direct` solves them together, the other methods take one after the other. options.max_iterations
    /// holds for each column, options.time_limit_seconds for all of them together. An initial guess has n numbers for each
    /// right-hand side, one after the other.
    ///
    /// throws   as residua::solve(); all right-hand sides are looked at before work starts
    std::vector<solve_result> solve(const std::vector<std::vector<real>>& right_hand_sides);

    /// solve() for right-hand sides that several processes have in pieces (share_numbers()), as they have the rows of
    /// A. Each x stays in pieces too (solve_result::x_in_pieces), unless the solve needs the whole matrix.
    ///
    /// throws   dimension_error for a null pointer; as solve()
    std::vector<solve_result> solve_in_pieces(const std::vector<std::shared_ptr<const long_vector>>& right_hand_sides);

    /// Solves A'x = b, with the transposed structure, scaling and binary64 factors of A; A' is conjugated.
    ///
    /// throws   as residua::solve(); dimension_error if A is not square
    solve_result solve_transposed(const std::vector<real>& b);
    template <number_range B>
    solve_result solve_transposed(const B& b)
    {
        return solve_transposed(reals(b));
    }
    template <complex_range B>
    solve_result solve_transposed(const B& b)
    {
        return solve_transposed(real_form(b));
    }
    /// solve_transposed() for several right-hand sides, as solve() takes them.
    std::vector<solve_result> solve_transposed(const std::vector<std::vector<real>>& right_hand_sides);

    /// Puts other entries in the places of the old ones. All that depends on them is made anew when it is next needed.
    /// The order of elimination and the tree of fronts stay, but for L U only where rows still match the same columns, and of
    /// a complex A only where the same parts of numbers are zero as before.
    ///
    /// shapes   as many values as A has entries, row by row; of a complex A complex numbers, or the parts of each in turn
    /// throws   dimension_error if there are more or fewer, unsupported_error if the solver has a checkpoint or, of a complex A,
    ///          for a number that is not finite; then nothing has changed
    void update_values(std::span<const double> values);
    void update_values(std::vector<real> values);
    /// update_values() for entries of any kind that `real` holds, in a range.
    template <number_range B>
        requires(!std::convertible_to<const B&, std::span<const double>>)
    void update_values(const B& values)
    {
        update_values(reals(values));
    }
    template <complex_range B>
    void update_values(const B& values)
    {
        update_values(real_form(values));
    }

    /// The condition of A by factors, as far as these suffice for it, or by the solves of a report that needed them. Empty:
    /// unknown, A is not square, or looks singular.
    ///
    /// cost     factors, if there are none yet
    /// reports  nothing if the time limit or the caller ends it
    std::optional<condition_estimate> condition();

    /// det(A), to options.digits digits, to three if none are asked for. Its logarithm is log(abs(value)), whatever the size:
    /// the exponent of a `real` has 62 bits. That of a structurally singular matrix is 0, with an error of 0.
    ///
    /// shapes   A (n x n)
    /// errors   an estimate of the relative error comes with the value
    /// cost     factors in the bits that the condition and the digits need, unless a solve has made them; for the argument of a
    ///          sparse complex A that is not hermitian L U besides
    /// reports  nothing if such factors are out of reach, if the time limit or the caller ends them, or if A looks singular
    /// throws   dimension_error if A is not square; as residua::solve()
    /// from     [Higham02, Sec. 14.6]
    std::optional<determinant_estimate> determinant();

    /// How many eigenvalues of A are positive and negative: by Sylvester's law of inertia the signs of the pivots of L L' or
    /// L D L', in a precision in which rounding errors move no eigenvalue across zero, as far as the estimated condition
    /// tells.
    ///
    /// shapes   A (n x n)
    /// cost     as determinant(), and L D L' if A is not definite
    /// reports  as determinant()
    /// throws   dimension_error if A is not square; unsupported_error if it is not symmetric or hermitian; as residua::solve()
    std::optional<residua::inertia> inertia();

    /// How many rows of A are linearly independent, and what shows it: sums of entries, or elimination modulo primes of A or of its
    /// constraints, in which nothing is rounded, and where these leave it open a part that is shown not to be singular
    /// (rank_source::part). Only where that is out of reach, the condition of a square A decides whether its rank is n.
    ///
    /// shapes   A (m x n)
    /// cost     find_rank(), in up to 10^9 steps of some 5 ns, then factors of a square A; one pass over a Laplacian; factors
    ///          and a solve where a part of A shows its rank
    /// reports  nothing if elimination is out of reach, or reading has rounded entries so that the part may be singular, and A
    ///          is not square or factors do not suffice for its condition; nor if the time limit or the caller ends it
    /// throws   as residua::solve()
    std::optional<rank_estimate> rank();

    /// An orthonormal basis of the vectors that A takes to zero, to options.digits digits, to 16 if none are asked for: each vector
    /// is so near to the null space.
    ///
    /// shapes   A (m x n), vectors (n, or 2 n in real form), as many as the nullity: none if the columns of A are linearly
    ///          independent
    /// errors   estimated, and told with the vectors, with the digits that the estimate backs
    /// cost     rank(), and for k vectors factors of a part of A, k solves with it and 2 n k^2 multiply-adds of MPFR; n k numbers
    /// reports  as rank()
    /// throws   as residua::solve(); resource_error if memory does not suffice for the vectors
    std::optional<null_space_basis> null_space();

    /// Entries of inverse(A). Each column in which some are wanted is the solution of a system, with the digits, the
    /// report and the status that solve() gives it; the columns are solved in blocks of up to 64 together.
    ///
    /// places   (i, j), from 0
    /// order    that of the places
    /// order    as the places
    /// throws   dimension_error if A is not square, or a place is beyond it; as residua::solve()
    std::vector<inverse_entry> inverse_entries(const std::vector<std::pair<index_t, index_t>>& places);

    /// What solve() tries, in this order, and why the first.
    ///
    /// throws   io::stopped_error if the time limit or the caller ends its preparation; as residua::solve()
    solve_plan plan();

    /// Predicts seconds and bytes of the candidates of plan(), and of others. The first is what solve() begins with.
    ///
    /// throws   as plan()
    std::vector<predicted_cost> costs();

    const linear_system& system() const;
    const solve_options& options() const;

private:
    friend class deflated_solver;
    friend solve_result solve(const linear_system& system, const solve_options& options);

    template <class F>
    auto ask(const F& f);
    template <class F>
    auto find(const F& f);
    template <class F>
    auto find_by_rank(const F& f);
    void require_square(const char* what) const;
    void change(linear_system to);
    solver& transposed();
    std::vector<solve_result> solve_columns(const std::vector<given_rhs>& right_hand_sides);

    std::unique_ptr<solver_parts> parts_;
    std::unique_ptr<solver> transposed_;
};

}  // namespace residua
