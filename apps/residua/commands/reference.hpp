#pragma once

#include <optional>
#include <string>
#include <vector>

#include "read.hpp"

namespace residua {

/// The most unknowns of `--reference eigen`: solutions of 424 bits then take 6 s on one core.
inline constexpr index_t most_eigen_unknowns = 256;

/// Whether --reference names a file: its only other value is the word eigen. A file of that name is given as ./eigen.
inline bool is_reference_file(const std::string& reference) { return reference != "eigen"; }

/// The x* that a comparison measures errors against: from a file, by Eigen, or the x that b was made from.
class reference_solution {
public:
    /// throws  as load_columns; unsupported_error where Eigen's LU is not for the matrix; error if it looks singular
    reference_solution(const asked_system& asked, const std::string& reference);

    /// Whether there is an x*.
    bool is_known() const { return by_eigen_ || x_.has_value(); }

    /// ||x - x*||_inf / ||x*||_inf if there is an x*. Eigen's x* is first computed in higher precision if x needs that.
    ///
    /// throws  error if two solutions do not agree to more digits than x has
    std::optional<real> error_of(const std::vector<real>& x);

private:
    void compute(long bits);

    const asked_system& asked_;
    bool by_eigen_;
    std::optional<std::vector<real>> x_;
    std::vector<real> probe_;  ///< the solution for a random right-hand side
    long bits_ = 0;            ///< the precision of the last LU
    long right_bits_ = 0;      ///< the bits in which the last two solutions agree
};

}  // namespace residua
