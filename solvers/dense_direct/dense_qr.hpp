#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include <residua/blas/base/view.hpp>
#include <residua/solvers/dense_direct/block_elimination.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// A = Q R in the format and the memory of a space, Q orthogonal and R upper triangular, by Householder's reflections.
/// The reflections of a block of columns are I - V inverse(M) V': the vectors of the reflections are the columns of V, with a
/// one as their first number, and M is the upper triangle of V'V with half of its diagonal, so that M + M' = V'V makes the
/// product orthogonal whatever V is. The columns of a block are taken by halves until eight are left.
///
/// On a device there are multi-digit floats and expansions of up to 8 terms; what is one launch there waits once for
/// each column. All is one text for host and device.
///
/// shapes   A (m x n), m >= n
/// errors   A + E = Q R with an orthogonal Q, ||e_j||_2 <= c u ||a_j||_2 for each column, u = 2^-p: docs/error_bounds.md,
///          theorem 34, which has c too. Columns are not exchanged, and their scales do not matter
/// cost     m n^2 - n^3 / 3 multiply-adds, most of them in products; in place, but for blocks: M (b x n), V twice (m x b)
///          and what a product takes
/// order    sums in a fixed order and exact products: the same bits for any number of threads, and on every executor. In
///          binary64 the BLAS multiplies
/// reports  failure() if a column is not finite
/// stops    by io::ask_for_stop() at each column, and inside products
/// throws   dimension_error if m < n; unsupported_error on a device if m is above 131056; resource_error, and cuda_error if a
///          device fails
/// from     [Higham02, Alg. 19.5 and Sec. 19.5]; V and M [Puglisi92], [JQO06]
template <array_space S>
class dense_qr {
public:
    using scalar = typename S::scalar;
    using element = typename S::element;
    using matrix = typename S::matrix;
    using executor = std::remove_cv_t<decltype(S::exec)>;
    using view = matrix_view<executor, element>;
    using entries = matrix_view<executor, const element>;
    using column = vector_view<executor, element>;

    dense_qr(const S& space, matrix a, const elimination_options& options = {});

    const std::string& failure() const { return failure_; }

    /// How many products a device computed.
    index_t products_on_device() const { return products_on_device_; }

    /// R in and above the diagonal, and below it V without its ones.
    const matrix& factors() const { return a_; }

    /// R', with zeros above its diagonal: L of L L' = A'A.
    matrix lower_triangle() const;

    /// X <- Q X, or Q'X, Q (m x m)
    ///
    /// shapes   X (m x k)
    /// errors   (Q + F) X for each column of X, ||F||_2 <= c u with c of theorem 34
    /// cost     (2 m n - n^2) k multiply-adds; V twice, and what products take
    /// order    as the factors; but for binary64 a column does not depend on those beside it
    void apply_q(view x, bool transposed) const;

    /// X <- inverse(R) X, or inverse(R') X, by blas::trsm
    ///
    /// shapes   X (n x k)
    /// reports  a zero in the diagonal of R gives numbers that are not finite
    void solve_r(view x, bool transposed) const;

private:
    static constexpr index_t least_columns = 8;  ///< no fewer are cut
    /// Columns of one product, as in block_elimination.
    static constexpr index_t columns_at_once = S::on_host ? 512 : 4096;

    index_t blocks() const { return (a_.cols() + block_ - 1) / block_; }
    index_t end_of(index_t block) const { return std::min((block + 1) * block_, a_.cols()); }
    /// Reflects columns begin, ..., end - 1 of a block, and fills these columns of V and M.
    bool reflect(view a, view v, view m, index_t begin, index_t end);
    bool reflect_columns(view a, view v, view m, index_t begin, index_t end);
    /// Makes the reflection that takes x to a multiple of its first number, and its vector v; x gets both.
    bool reflect_column(column x, column v);
    /// X <- (I - V inverse(M) V') X, or with the transpose of M.
    void apply(view v, matrix v_t, entries m, view x, bool transposed, index_t& on_device) const;
    matrix transposed(view v) const;

    S space_;
    elimination_options options_;
    matrix a_;
    index_t exact_from_ = 0;  ///< terms of a sum from which on products are exact
    index_t block_ = 0;       ///< columns of a block
    matrix m_;                ///< M of each block, below its first column
    index_t products_on_device_ = 0;
    std::string failure_;
};

}  // namespace residua
