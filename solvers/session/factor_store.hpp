#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <residua/solvers/assess/inverse.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/options/solve_report.hpp>
#include <residua/solvers/planning/facts.hpp>
#include <residua/solvers/precond/factorize.hpp>

namespace residua {

/// Factors of the scaled matrix in one precision, and what they show about its condition.
struct factor_level {
    factorization factors{};
    std::optional<condition_estimate> condition{};  ///< empty: not asked for, or the factors overflow
    std::optional<inverse_operator> inverse{};      ///< what applies inverse(A) by the factors, where it was made
    double weight = 1.0;                            ///< weight_of_growth() of the factors, where the condition is known
    bool suffice = false;                           ///< for the condition

    /// Whether the factors are precise enough to estimate errors with.
    bool trusted() const { return factors.exist() && suffice; }
};

/// Factors in binary64, dense ones on a device if one is given and they are worth it. Of the kinds of kinds_of_factors() the
/// first is taken that there is. The condition is estimated on request.
factor_level make_binary64_level(const linear_system& system, const scaled_matrix& matrix, preconditioner kind,
                                 bool estimate_condition, sparse_analyses& analyses,
                                 const factor_options& options = {});

/// Factors in more bits, and the condition.
///
/// throws  as factorize_long()
factor_level make_long_level(const linear_system& system, const scaled_matrix& matrix, const arithmetic& in,
                             const long_factor_options& options);

/// The condition of A in the 1-norm, and where it comes from.
struct known_condition {
    real value;
    condition_source source = condition_source::unknown;
};

/// The factors of one matrix that were made, by their bits, and what is known of its condition.
class factor_store {
public:
    /// The factors in binary64; there are none where nobody wanted them.
    const factor_level& binary64() const { return binary64_; }
    void keep_binary64(factor_level level) { binary64_ = std::move(level); }

    /// The factors in `bits` bits, more than binary64 has; null: they were not made, or are given up.
    factor_level* find(long bits);
    /// Keeps such factors.
    factor_level& keep(long bits, factor_level level);
    /// Gives up factors above binary64 in fewer bits than these that do not suffice.
    void give_up_below(long bits);
    /// Gives up all factors, for a reason. The condition by binary64 remains known. Returns false if there were none.
    bool release(const std::string& why);

    /// The bits of all factors that exist.
    std::vector<long> bits() const;
    /// The lowest precision, in bits, in which factors are known to suffice; 0: none is known.
    long trusted_bits() const;
    /// What applies inverse(A) by those factors; null: there are none. That of binary64 is made when it is first asked for.
    ///
    /// matrix  the scaled one
    const inverse_operator* trusted_inverse(const scaled_matrix& matrix);

    /// The condition by the best factors there are, even if they do not suffice for it, or by solves; null: unknown.
    const condition_estimate* condition() const;
    /// How many times condition() counts for what the factors of trusted_bits() lose.
    double weight() const { return trusted() != nullptr ? trusted()->weight : 1.0; }
    /// condition() for a report: a lower bound of the condition where nothing sufficed to estimate it. Empty: unknown.
    std::optional<known_condition> condition_for_report(const linear_system& system, const scaled_matrix& matrix) const;
    /// Takes a condition that was estimated by solves, because factors do not suffice for it.
    void set_condition(const condition_estimate& estimate) { condition_by_solves_ = estimate; }

    /// What plans know of factors in binary64.
    binary64_facts facts() const;

    /// The factors of A', of those in binary64.
    ///
    /// transposed, matrix  A', and as it is scaled
    factor_store transposed(const linear_system& system, const scaled_matrix& matrix) const;

private:
    const factor_level* trusted() const;

    factor_level binary64_{};
    std::map<long, factor_level> long_;  ///< by bits
    std::optional<condition_estimate> condition_by_solves_;
};

}  // namespace residua
