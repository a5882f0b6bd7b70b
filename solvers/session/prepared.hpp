#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <residua/solvers/base/seconds.hpp>
#include <residua/solvers/build/shared_matrix.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/matrix/structure.hpp>
#include <residua/solvers/options/solve_report.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/session/clock.hpp>
#include <residua/solvers/session/factor_store.hpp>
#include <residua/solvers/session/singular.hpp>
#include <residua/solvers/space/exact_residual.hpp>

namespace residua {

/// What is known about inverse(A) for error estimates.
enum class inverse_state {
    not_sought,      ///< nothing has been tried yet
    found,           ///< factors suffice for the condition
    looks_singular,  ///< no format that was tried has factors that suffice
    too_large        ///< binary64 factors do not suffice, and factors in more bits would cost too much
};

/// Whether a solve leaves the rows of a matrix with the processes that have them. Otherwise process 0 takes the whole: for
/// factors, for another scaling, to look for a null space, and for checkpoints.
bool may_stay_elsewhere(const linear_system& system, const solve_options& options);

/// The system with the entries that processes have.
///
/// throws  resource_error
std::shared_ptr<const linear_system> with_entries_here(const linear_system& system);

/// What depends on a matrix and on options, but on no right-hand side: structure, scaling, factors, condition, plan.
/// Each part is made when it is first needed, and kept.
class prepared_system {
public:
    /// The clock says when a factorisation has to end; options and clock must outlive the object.
    ///
    /// earlier  the analyses of a matrix of the same pattern
    /// states   where factors and corrections are kept; null: nowhere
    /// alone    there will be one right-hand side, so that nothing needs to be worth keeping: CG may precede factors
    /// is_deflated  a null space is taken care of, and A is not looked at for one
    /// throws  unsupported_error if the options ask for what the matrix does not allow; resource_error
    prepared_system(std::shared_ptr<const linear_system> system, const solve_options& options, const solve_clock& clock,
                    sparse_analyses earlier = {}, bool alone = false, checkpoint* states = nullptr,
                    bool is_deflated = false);

    prepared_system(const prepared_system&) = delete;
    prepared_system& operator=(const prepared_system&) = delete;

    /// The prepared system of A', made from the parts of this one. A is square.
    std::unique_ptr<prepared_system> transposed(std::shared_ptr<const linear_system> system,
                                                const solve_options& options, const solve_clock& clock) const;

    const linear_system& system() const { return *system_; }
    /// The system with its entries here, also if processes have them.
    const linear_system& whole();
    const solve_options& options() const { return options_; }
    const solve_clock& clock() const { return clock_; }
    checkpoint* states() const { return states_; }
    /// The seconds of the constructor, in three parts.
    const part_seconds& seconds() const { return seconds_; }
    const matrix_structure& structure() const { return facts_.structure; }
    const scaled_double& norm_inf() const { return norm_inf_; }
    const system_sizes& sizes() const { return facts_.sizes; }

    /// R A C, which methods solve with.
    const scaled_matrix& matrix() const { return matrix_; }
    /// A itself, for factors in a format whose range needs no scaling.
    const scaled_matrix& unscaled();

    /// The rows of matrix() that processes have. Where process 0 has the whole, it hands them out first.
    const shared_matrix& shared();
    /// The entries of matrix() for products; null: binary64 does not hold them, or they are not here.
    matrix_storage* storage() { return matrix_.exact.empty() && system_->elsewhere == nullptr ? &storage_ : nullptr; }
    /// A for exact residuals; null: MPFR evaluates the residuals, as for matrices that were rounded when read, for
    /// decimals, and for least squares.
    residual_matrix* matrix_for_residuals();

    /// Whether this was made by transposed(): the matrix is A' then, and A if it was made so twice.
    bool is_transposed() const { return is_transposed_; }
    bool is_least_squares() const { return transpose_.has_value(); }
    /// Whether A is known to be singular, and nobody takes care of it; false for least squares.
    bool is_singular() const { return !is_least_squares() && !is_deflated_ && (structure().has_zero_lines() || rank_); }
    /// The rank of A, if it was sought and A is singular.
    const std::optional<known_rank>& rank() const { return rank_; }
    /// Finds the rank, where that takes no longer than factors may, if the options leave it to the solver what to do.
    /// Returns whether A is singular.
    ///
    /// throws  io::stopped_error
    bool seek_rank();
    /// A' and ||A||_F, which exist for least squares only.
    const linear_system& transpose_of_a() const { return *transpose_; }
    const real& norm_frobenius() const { return norm_frobenius_; }

    /// The factors that were made, and what is known of the condition.
    const factor_store& made() const { return made_; }
    /// Whether factors were known to suffice for the condition when the plan was made. The estimates of a solve may make some
    /// later, on which other solves must not depend.
    bool began_with_trusted_factors() const { return facts_.trusted_bits > 0; }

    /// Whether a part may differ from that of a new object, because memory was lacking while it was made.
    bool is_incomplete() const { return is_incomplete_; }

    /// Up to which precision factors are made unasked, and why not beyond.
    const factor_reach& reach() const { return decisions_.reach; }
    sparse_analyses& analyses() { return analyses_; }
    /// Bytes of the factors of `direct` while they are made, and bytes of their products on a device.
    double direct_bytes(const arithmetic& in) const { return facts_.factors.bytes(in); }
    double direct_device_bytes(const arithmetic& in);
    /// Bytes that GMRES-IR in this format takes for copies of its factors in the format of its products.
    double copied_factors_bytes(const arithmetic& in) const
    {
        return facts_.factors.entries * number_bytes(products_of(in));
    }
    /// Checks before work starts whether the factors of `direct` fit, if the precision was asked for.
    ///
    /// throws  resource_error with advice() if its factors do not fit
    void require_room_for_direct();
    /// advice_on_memory() for this matrix.
    std::string advice(long bits) const
    {
        return advice_on_memory(facts_, this_machine(), bits, traits_of(options_.method).by_factors);
    }
    /// Bytes of factors by factor_bytes(), and of those above binary64 that the plan begins with unasked.
    double predicted_factor_bytes() const;
    /// predicted_bytes() of default options for one right-hand side, by the analysis that is there.
    ///
    /// needs  options that name no method, preconditioner or factors
    std::vector<double> predicted_bytes_unasked(const std::vector<long>& precisions) const;

    /// Gives up all factors, which only estimates need, to make room for a candidate without factors; false if there
    /// are none, or if the candidate uses some.
    bool release_factors(const candidate& choice);

    /// Why factors in higher precision were not sought for error estimates, where inverse_found() is `too_large`, and
    /// whether memory is what they lack.
    std::string why_no_inverse() const { return reach().why_not(reach().first_untried()); }
    bool lacks_memory_for_inverse() const { return reach().lacks_memory(reach().first_untried()); }

    /// Makes factors in the format that serves `bits` bits, unless they are there; those in binary64 are taken as they are.
    /// Factors in between that do not suffice are given up.
    ///
    /// throws  resource_error, and from then on such factors are out of reach
    const factor_level& make_factors_in(long bits);

    /// Makes what applies inverse(A) in error estimates, by factors, unless it is there; null: inverse_found() says why
    /// there is nothing.
    ///
    /// bits_at_work   factors are sought up to the most of this, most_inverse_bits and reach().longest_tried()
    const inverse_operator* make_inverse(long bits_at_work);
    inverse_state inverse_found() const { return inverse_found_; }
    /// The most bits in which factors were sought for the condition; 0: they were not.
    long sought_bits() const { return tried_bits_.empty() ? 0 : tried_bits_.back(); }
    /// The bits in which factors were made for the condition, ascending.
    const std::vector<long>& tried_bits() const { return tried_bits_; }

    /// factor_store::condition_for_report()
    std::optional<known_condition> condition_for_report() const
    {
        return made_.condition_for_report(*system_, matrix_);
    }
    /// Takes a condition that was estimated by solves, because factors do not suffice for it.
    void set_condition(const condition_estimate& estimate) { made_.set_condition(estimate); }
    /// The condition as it was known when the plan was made; null: it was not. Solves go by this one, so that they do
    /// not depend on what an earlier solve found.
    const condition_estimate* planned_condition() const { return facts_.condition ? &*facts_.condition : nullptr; }
    /// The condition that bounds the relative error of x, by planned_condition(); 0: unknown.
    real loss() const { return facts_.condition ? facts_.condition->of_x : real(0.0); }

    /// What was decided, by what was known then.
    const residua::decisions& decisions() const { return decisions_; }
    const solve_plan& plan() const { return decisions_.plan; }
    /// Whether the plan begins with CG, and factors are made only if that fails.
    bool has_postponed_factors() const { return facts_.cg.has_value(); }
    /// Makes the postponed factors, and the plan with them.
    ///
    /// throws  as the constructor
    void make_postponed_factors();
    /// Predicts what the plan's candidates, the first one first, and alternatives take in the first precision.
    std::vector<predicted_cost> costs() const;
    /// Predicted seconds of the candidate that solve() begins with; empty: not predicted, or only bounded.
    ///
    /// kept   setup and factors exist from an earlier solve, so that they cost nothing more
    std::optional<double> predicted_seconds(bool kept) const;
    /// The precision that the first candidate begins with.
    long first_bits() const { return decisions_.first.in.bits; }

    /// The GPU for factors, if one was asked for. A GPU that is taken unasked makes none: they keep the host's bits.
    std::optional<cuda_executor> factor_device() const;

private:
    prepared_system(const prepared_system& of, std::shared_ptr<const linear_system> transposed,
                    const solve_options& options, const solve_clock& clock);

    /// Takes a rank that show_rank_by_sums() or show_rank_by_constraints() shows.
    template <class Show>
    void show_rank_by_part(const Show& show, bool has_sets);
    /// Analyses the matrix for factors that may be of use.
    void analyse_for_factors();
    /// Finds which factors are within reach, by what is known.
    void find_reach();
    /// Records that factors do not fit, or are given up.
    void refuse_factors(long bits, const std::string& because);
    void make_factors();
    /// Makes factors in more and more bits, up to `most_bits`, until they suffice. Returns whether they do. Steps below
    /// guess_factor_bits() of the last two attempts are skipped, but never the last one within reach.
    bool make_factors_up_to(long most_bits);
    /// Makes the decisions, by what is known.
    void decide();
    /// The facts with what factors have shown up to now.
    system_facts known_facts() const;

    std::shared_ptr<const linear_system> system_, whole_;
    const solve_options& options_;
    const solve_clock& clock_;
    checkpoint* states_;
    part_seconds seconds_;
    machine machine_;
    system_facts facts_;  // as they were when decisions were made
    scaled_double norm_inf_;
    std::optional<linear_system> transpose_;
    real norm_frobenius_;
    scaled_matrix matrix_;
    std::unique_ptr<shared_matrix> handed_out_;
    matrix_storage storage_{{}}, storage_of_a_;
    std::optional<residual_matrix> for_residuals_;
    bool sought_for_residuals_ = false;
    std::optional<scaled_matrix> unscaled_;
    sparse_analyses analyses_;
    factor_store made_;
    std::optional<known_rank> rank_;  // of a singular A
    bool has_sought_rank_ = false;    // by seek_rank(), to the end
    bool is_nonsingular_ = false;     // by its rank
    inverse_state inverse_found_ = inverse_state::not_sought;
    bool is_incomplete_ = false;
    bool is_transposed_ = false;
    bool is_deflated_ = false;
    residua::decisions decisions_;
    std::vector<long> tried_bits_;
};

}  // namespace residua
