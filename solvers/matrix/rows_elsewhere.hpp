#pragma once

#include <residua/solvers/base/scaled_double.hpp>
#include <residua/solvers/matrix/named_rhs.hpp>
#include <residua/solvers/matrix/numbers_elsewhere.hpp>
#include <residua/solvers/matrix/sparse_matrix.hpp>
#include <residua/solvers/matrix/structure.hpp>

namespace residua {

/// What is known of a matrix without its entries.
struct matrix_outline {
    matrix_structure structure;
    scaled_double norm_inf;         ///< matrix_norm_inf()
    index_t nonzeros = 0;           ///< stored entries
    bool needs_no_scaling = false;  ///< residua::needs_no_scaling()
    bool equals_transpose = false;  ///< explicit zeros and all
    bool floats = false;            ///< whether it has floating_components()
};

/// A matrix of binary64 numbers of which several processes have the rows, for the one that leads them.
class rows_elsewhere {
public:
    using numbers = numbers_elsewhere::numbers;

    virtual ~rows_elsewhere() = default;

    virtual const matrix_outline& outline() const = 0;
    /// The whole matrix.
    ///
    /// throws  resource_error if memory does not hold it
    virtual sparse_matrix whole() const = 0;
    /// Numbers that are here, in the pieces that the rows are in; null: zeros of the least precision.
    ///
    /// shapes  whole (n)
    virtual numbers_elsewhere::pointer handed_out(const numbers* whole) const = 0;
    /// b - A x, each element rounded once.
    ///
    /// shapes  b and x (n), in one format, which is that of the result
    virtual numbers_elsewhere::pointer residual(const numbers_elsewhere& b, const numbers_elsewhere& x) const = 0;
    /// largest_ratio() of r and residual_sizes() of b and x
    virtual scaled_double largest_ratio(const numbers_elsewhere& r, const numbers_elsewhere& b,
                                        const numbers_elsewhere& x) const = 0;
    /// A right-hand side, made where the rows are; null: multi-digit floats do not hold it.
    virtual numbers_elsewhere::pointer named(const named_rhs& which) const = 0;
};

}  // namespace residua
