#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/options/solve_options.hpp>
#include <residua/solvers/space/long_vector.hpp>

namespace residua {

/// A right-hand side as it is given: numbers that are here, or numbers that several processes have in pieces. What it points
/// to outlives it.
class given_rhs {
public:
    explicit given_rhs(const std::vector<real>& here) : here_(&here) {}
    explicit given_rhs(std::shared_ptr<const long_vector> in_pieces) : in_pieces_(std::move(in_pieces)) {}
    /// That of a system.
    explicit given_rhs(const linear_system& system) : here_(&system.b), in_pieces_(system.b_in_pieces) {}

    bool is_in_pieces() const { return in_pieces_ != nullptr; }
    index_t size() const { return is_in_pieces() ? in_pieces_->size() : static_cast<index_t>(here_->size()); }
    bool is_finite() const;

    /// residua::norm2() and norm_inf() of the numbers
    real norm2() const;
    real norm_inf() const;

    /// long_vector::exactly() of the numbers, where they are.
    long_vector exactly() const { return is_in_pieces() ? *in_pieces_ : long_vector::exactly(*here_); }
    /// The numbers, here: those of pieces come when they are first asked for, and stay.
    const std::vector<real>& numbers() const;

private:
    const std::vector<real>* here_ = nullptr;
    std::shared_ptr<const long_vector> in_pieces_;
    mutable std::shared_ptr<const std::vector<real>> gathered_;
};

/// The initial guess of n unknowns for a right-hand side: zeros, where there is none. In MPFR with the precision that each number
/// has, or as long_vector::exactly(), where it is.
long_vector given_guess(const solve_options& options, index_t n, index_t right_hand_side, bool in_mpfr);

}  // namespace residua
