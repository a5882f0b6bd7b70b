#pragma once

#include <optional>
#include <string>
#include <vector>

#include "read.hpp"

namespace residua {

/// The most unknowns of `--reference eigen`: for solutions of 424 bits it takes 6 s then, on one core.
inline constexpr index_t most_eigen_unknowns = 256;

/// Whether --reference names a file: the word that it takes does not. A file of that name is ./eigen.
inline bool is_reference_file(const std::string& reference) { return reference != "eigen"; }

/// The x that a comparison measures errors against: of a file, by Eigen, or the one that the right-hand side comes from.
class reference_solution {
public:
    /// throws  as load_columns; unsupported_error where Eigen's LU is not for the matrix; error if it looks singular
    reference_solution(const asked_system& asked, const std::string& reference);

    /// Whether there is an x*.
    bool is_known() const { return by_eigen_ || x_.has_value(); }

    /// ||x - x*||_inf / ||x*||_inf if there is an x*. Eigen's x* is made longer first where x needs that.
    ///
    /// throws  error if two solutions do not agree to more digits than x has
    std::optional<real> error_of(const std::vector<real>& x);

private:
    void compute(long bits);

    const asked_system& asked_;
    bool by_eigen_;
    std::optional<std::vector<real>> x_;
    std::vector<real> probe_;  ///< the solution for a random right-hand side
    long bits_ = 0;            ///< of the last LU
    long right_bits_ = 0;      ///< in which the last two solutions agree
};

}  // namespace residua
