#include <residua/solvers/session/given_rhs.hpp>

#include <algorithm>
#include <utility>

#include <residua/solvers/space/true_residual.hpp>

namespace residua {

bool given_rhs::is_finite() const
{
    return is_in_pieces() ||
           std::all_of(here_->begin(), here_->end(), [](const real& x) { return residua::is_finite(x); });
}

real given_rhs::norm2() const { return is_in_pieces() ? norm2_in_order(*in_pieces_) : residua::norm2(*here_); }

real given_rhs::norm_inf() const { return is_in_pieces() ? in_pieces_->norm_inf() : residua::norm_inf(*here_); }

const std::vector<real>& given_rhs::numbers() const
{
    if (is_in_pieces() && gathered_ == nullptr) {
        gathered_ = std::make_shared<const std::vector<real>>(in_pieces_->numbers());
    }
    return gathered_ != nullptr ? *gathered_ : *here_;
}

long_vector given_guess(const solve_options& options, index_t n, index_t right_hand_side, bool in_mpfr)
{
    if (!options.guess_in_pieces.empty()) {
        const long_vector& there = *options.guess_in_pieces[static_cast<std::size_t>(right_hand_side)];
        return in_mpfr ? long_vector(there.numbers()) : there;
    }
    if (options.initial_guess.empty()) {
        return in_mpfr ? long_vector(std::vector<real>(static_cast<std::size_t>(n), real(0.0))) : long_vector::zeros(n);
    }
    const auto first = options.initial_guess.begin() + n * right_hand_side;
    std::vector<real> x(first, first + n);
    return in_mpfr ? long_vector(std::move(x)) : long_vector::exactly(x);
}

}  // namespace residua
