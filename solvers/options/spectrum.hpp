#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace residua {

class state_archive;

/// The ends of what a Krylov method saw of its operator's spectrum.
struct spectrum_ends {
    double smallest = 0.0;
    double largest = 0.0;
};

/// What a Krylov method for symmetric A learns of the spectrum of M A on its way, in binary64.
///
/// cg's numbers are the factors of Lanczos's tridiagonal matrix T = L D L', D = diag(1 / alpha_k), with sqrt(beta_k) below
/// the diagonal of L. Relative errors of these factors change an eigenvalue of T, a Ritz value, by little more, however
/// small it is [DK90]: so they tell conditions that binary64 does not hold, if alpha and beta come from more bits. minres
/// has the pivots of the rotated tridiagonal matrix, whose sizes lie between its singular values.
///
/// Both lie between the extreme eigenvalues (for minres their sizes) of M A in exact arithmetic, so that largest / smallest
/// is a lower bound of its condition in the 2-norm: rounding that makes iterations many leaves it about right, and with
/// few iterations it may be far below.
class seen_spectrum {
public:
    /// Adds alpha, the step of cg along a direction, and beta, the share of this direction in the next one.
    void add_step(double alpha);
    void add_direction(double beta);

    /// A pivot of minres.
    void add_pivot(double pivot);

    /// How many numbers there are.
    std::size_t size() const { return steps_.size() + pivots_; }

    /// Ritz values by bisection to 2^-10 of themselves; empty if there are none, or beyond binary64's range.
    ///
    /// cost  some 35 divisions for each step of cg
    /// from  [Saad03, Sec. 6.7.3]; the count of smaller eigenvalues by the stationary qd algorithm [FP94]
    std::optional<spectrum_ends> ends() const;

    void archive(state_archive& io);

private:
    std::size_t values_below(double shift) const;

    std::vector<double> steps_;      // 1 / alpha_k, the diagonal of D
    std::vector<double> couplings_;  // beta_{k+1} / alpha_k
    std::size_t pivots_ = 0;
    spectrum_ends of_pivots_;
};

}  // namespace residua
