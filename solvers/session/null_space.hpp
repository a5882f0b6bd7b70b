#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/matrix/components.hpp>

namespace residua {

/// The vectors that a matrix takes to zero, as a basis that is orthonormal to `bits` bits.
class null_space {
public:
    null_space() = default;
    /// One vector for each of these components, which is constant on it and 0 elsewhere.
    null_space(const matrix_components& components, const std::vector<std::int32_t>& which);
    /// The space of vectors that are known within `error` in the 2-norm, all together. No combination of them with
    /// coefficients of norm 1 is shorter than 1.
    ///
    /// cost   2 n k^2 multiply-adds of MPFR for k vectors of n numbers
    /// stops  by io::ask_for_stop()
    null_space(std::vector<std::vector<real>> vectors, real error, long bits);

    index_t dimension() const { return static_cast<index_t>(basis_.size() + sizes_.size()); }
    /// Bound on the 2-norm of the error of v - take_from(v) for a v of norm 1, rounding apart.
    const real& error() const { return error_; }

    /// The 2-norm of the part of v in the space, with sums in `bits` bits.
    real norm_of_part(const std::vector<real>& v, long bits) const;
    /// Subtracts from v its part in the space, with sums in `bits` bits.
    void take_from(std::vector<real>& v, long bits) const;

    /// The vectors, whose 2-norms are 1, with numbers of `bits` bits.
    std::vector<std::vector<real>> vectors(long bits) const;

private:
    /// The sum of v over each component.
    std::vector<real> sums(const std::vector<real>& v, long bits) const;

    std::vector<std::vector<real>> basis_;
    std::vector<std::int32_t> vector_of_;  ///< of each unknown, the vector that is constant there; -1: none
    std::vector<std::int32_t> sizes_;      ///< how many unknowns have it
    real error_ = 0.0;
};

/// Orthonormal complex vectors in real form, and how far they are from the span of the vectors that they were made of.
struct complex_vectors {
    std::vector<std::vector<real>> vectors;
    real distance;  ///< the 2-norm of the part outside of that span, of any of their combinations of norm 1, at most
};

/// Half as many complex vectors as there are real ones, with the same span: an even number of orthonormal vectors whose span has i
/// times each of its vectors.
///
/// order  the vector with the largest part that is left comes next
/// cost   4 n k^2 multiply-adds of MPFR for k vectors of n numbers
/// stops  by io::ask_for_stop()
complex_vectors complex_basis(const std::vector<std::vector<real>>& form, long bits);

}  // namespace residua
