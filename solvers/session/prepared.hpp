#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <residua/solvers/assess/inverse.hpp>
#include <residua/solvers/base/seconds.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/matrix/structure.hpp>
#include <residua/solvers/planning/cg_first.hpp>
#include <residua/solvers/planning/costs.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/precond/long_factors.hpp>
#include <residua/solvers/session/clock.hpp>
#include <residua/solvers/space/exact_residual.hpp>
#include <residua/solvers/options/solve_report.hpp>

namespace residua {

/// Factors of the scaled matrix in more than binary64, and what they tell about its condition.
struct long_level {
    std::shared_ptr<const long_factors> factors;  ///< whoever solves with them shares them
    std::optional<inverse_operator> inverse;      ///< empty: there are no such factors, or they overflow

    bool trusted() const { return inverse && inverse->suffices; }
};

/// The condition of A in the 1-norm, and where it comes from.
struct known_condition {
    real value;
    condition_source source = condition_source::unknown;
};

/// What is known about inverse(A) for error estimates.
enum class inverse_state {
    not_sought,      ///< nothing has been tried yet
    found,           ///< factors suffice for the condition
    looks_singular,  ///< no format that was tried has factors that suffice
    too_large        ///< binary64 factors do not suffice, and ones in a longer format would cost too much
};

/// What belongs to a matrix and to options and not to a right-hand side: structure, scaling, factors, condition, plan. Each
/// part is made when it is first needed, and kept.
class prepared_system {
public:
    /// The clock says when a factorisation has to end; options and clock must outlive the object.
    ///
    /// earlier  the analyses of a matrix of the same pattern
    /// states   where factors and corrections are kept; null: nowhere
    /// alone    there will be one right-hand side, so that nothing needs to be worth keeping: CG may come before factors
    /// throws  unsupported_error if the options ask for what the matrix does not allow; resource_error
    prepared_system(std::shared_ptr<const linear_system> system, const solve_options& options, const solve_clock& clock,
                    sparse_analyses earlier = {}, bool alone = false, checkpoint* states = nullptr);

    prepared_system(const prepared_system&) = delete;
    prepared_system& operator=(const prepared_system&) = delete;

    /// The same of the transposed system, from the parts of this one. A is square.
    std::unique_ptr<prepared_system> transposed(std::shared_ptr<const linear_system> system,
                                                const solve_options& options, const solve_clock& clock) const;

    const linear_system& system() const { return *system_; }
    const solve_options& options() const { return options_; }
    const solve_clock& clock() const { return clock_; }
    checkpoint* states() const { return states_; }
    /// Of the constructor, in three parts.
    const part_seconds& seconds() const { return seconds_; }
    const matrix_structure& structure() const { return structure_; }
    const scaled_double& norm_inf() const { return norm_inf_; }
    index_t largest_size() const { return std::max(system_->rows, system_->cols); }

    /// R A C, which methods solve with.
    const scaled_matrix& matrix() const { return matrix_; }
    /// A itself, for factors in a format whose range needs no scaling.
    const scaled_matrix& unscaled();

    /// The entries of matrix() for products; null: they are not of binary64.
    matrix_storage* storage() { return matrix_.exact.empty() ? &storage_ : nullptr; }
    /// A for exact residuals; null: MPFR evaluates residuals, as of matrices that were rounded when they were read, of decimals,
    /// and of least squares.
    residual_matrix* matrix_for_residuals();

    bool is_least_squares() const { return transpose_.has_value(); }
    /// A' and ||A||_F, of least squares only.
    const linear_system& transpose_of_a() const { return *transpose_; }
    const real& norm_frobenius() const { return norm_frobenius_; }

    /// In binary64; none where the options do not want them.
    const binary64_factors& factors() const { return factors_; }

    /// Whether a part is not what it is in a new object, as memory was lacking while it was made.
    bool is_incomplete() const { return is_incomplete_; }

    /// The longest factors that are made unasked.
    const factor_reach& reach() const { return reach_; }
    sparse_analyses& analyses() { return analyses_; }
    /// Bytes of factors of `direct` while they are made, and those of their products on a device.
    double direct_bytes(const arithmetic& in);
    double direct_device_bytes(const arithmetic& in);
    /// Bytes that GMRES-IR in this format takes for long factors in that of its products.
    double copied_factors_bytes(const arithmetic& in);
    /// Before work starts, for `direct` in bits that were asked for.
    ///
    /// throws  resource_error with advice() if its factors do not fit
    void require_room_for_direct();
    /// advice_on_memory() for this matrix.
    std::string advice(long bits)
    {
        return advice_on_memory(matrix_, analyses_, bits, kind_of_long_factors(options_),
                                traits_of(options_.method).by_factors);
    }
    /// As factor_bytes() predicts them.
    double predicted_factor_bytes();

    /// Gives up all factors, which only estimates need, for the memory of a candidate without factors; false if there are
    /// none, or if the candidate has some.
    bool release_factors(const candidate& choice);

    /// Why no longer factors were sought for error estimates, where inverse_found() is `too_large`, and whether it is memory
    /// that they lack.
    std::string why_no_inverse() const { return reach_.why_not(reach_.first_untried()); }
    bool lacks_memory_for_inverse() const { return reach_.lacks_memory(reach_.first_untried()); }

    /// Factors in the format that serves so many bits; those of shorter formats that do not suffice are given up.
    ///
    /// throws  resource_error, and from then on such factors are out of reach
    long_level& long_factors_in(long bits);

    /// The shortest factors that suffice for the condition, of up to so many bits; null: none, and inverse_found()
    /// says why.
    long_level* seek_long_factors(long most_bits);

    /// Bits of the shortest factors that are known to suffice; 0: none.
    long trusted_bits() const;

    /// What applies inverse(A) in error estimates, by factors; null: inverse_found() says why there is nothing.
    ///
    /// bits_at_work   factors in longer formats are sought up to so many bits, and at least up to reach().longest_tried()
    const inverse_operator* seek_inverse(long bits_at_work);
    inverse_state inverse_found() const { return inverse_found_; }
    /// The most bits in which factors were sought for the condition; 0: they were not.
    long sought_bits() const { return sought_bits_; }

    /// Of the best factors there are, although they may not suffice for it; null: unknown.
    const condition_estimate* condition() const;
    /// The same for a report: where no factors suffice, a lower bound of the condition.
    std::optional<known_condition> condition_for_report() const;
    /// That factors suffice for, or what cannot be seen by factors and was estimated by solves.
    void set_condition(const condition_estimate& estimate) { condition_by_solves_ = estimate; }
    /// As it was known when the plan was made; null: it was not. A solve goes by this one, so that it does not depend on what
    /// an earlier solve found.
    const condition_estimate* planned_condition() const { return planned_condition_ ? &*planned_condition_ : nullptr; }
    /// What x may lose of its bits, by planned_condition(); 0: unknown.
    real loss() const { return planned_condition_ ? planned_condition_->of_x : real(0.0); }

    const solve_plan& plan() const { return plan_; }
    /// Whether the plan begins with CG, and factors are made only if that fails.
    bool has_postponed_factors() const { return cg_first_.has_value(); }
    /// Makes them, and the plan with them.
    ///
    /// throws  as the constructor
    void make_postponed_factors();
    /// What solve() may take, that which it begins with first, before any of its work is done; in the precision that it begins with.
    std::vector<predicted_cost> costs();
    /// Of what it begins with; empty: they are not predicted, or bounded only.
    ///
    /// kept   from an earlier solve, so that setup and factors cost nothing more
    std::optional<double> predicted_seconds(bool kept);
    /// The precision that the first candidate begins with.
    long first_bits() const { return first_bits_; }

    /// A GPU that was asked for: one that is taken unasked leaves factors the bits of the host.
    std::optional<cuda_executor> factor_device() const;

private:
    prepared_system(const prepared_system& of, std::shared_ptr<const linear_system> transposed,
                    const solve_options& options, const solve_clock& clock);

    /// By a row or a column without entries, of a square matrix.
    bool is_singular() const { return !is_least_squares() && (structure_.zero_rows > 0 || structure_.zero_cols > 0); }
    /// Which factors are within reach.
    void look_for_factors();
    void make_factors();
    /// The plan and its first precision, by what is known.
    void make_the_plan();
    void note_condition();
    cost_question cost_question_with(std::vector<long> made);

    std::shared_ptr<const linear_system> system_;
    const solve_options& options_;
    const solve_clock& clock_;
    checkpoint* states_;
    part_seconds seconds_;
    matrix_structure structure_;
    scaled_double norm_inf_;
    std::optional<linear_system> transpose_;
    real norm_frobenius_;
    scaled_matrix matrix_;
    matrix_storage storage_, storage_of_a_;
    std::optional<residual_matrix> for_residuals_;
    bool sought_for_residuals_ = false;
    std::optional<scaled_matrix> unscaled_;
    sparse_analyses analyses_;
    factor_reach reach_;
    std::optional<cg_first> cg_first_;
    factor_reach postponed_reach_;
    binary64_factors factors_;
    std::optional<inverse_operator> by_binary64_;
    std::map<long, long_level> levels_;  // by bits
    inverse_state inverse_found_ = inverse_state::not_sought;
    bool is_incomplete_ = false;
    long sought_bits_ = 0;
    std::optional<condition_estimate> condition_by_solves_;
    solve_plan plan_;
    std::optional<condition_estimate> planned_condition_;
    long planned_trusted_bits_ = 0;
    long first_bits_ = 0;
};

}  // namespace residua
