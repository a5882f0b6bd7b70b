#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <residua/arith/complex/complex.hpp>
#include <residua/solvers/base/permutation.hpp>
#include <residua/solvers/dense_direct/block_elimination.hpp>

namespace residua {

/// Eliminates a complex matrix, given by its real form, in complex arithmetic by halves of the columns, as block_elimination
/// does a real one. Products of blocks are three real ones each, so factors take 3 n^3 / 3 real multiply-adds, or half of them,
/// where the real form itself takes 8; where terms are few they are one of real forms. The complex matrix takes half of
/// the memory of its real form. At the end its factors are written as factors of the real form. Solves, estimates and
/// refinement use these.
///
/// errors   |P K - L U| as docs/error_bounds.md, theorem 35, has it
/// order    as block_elimination
/// stops    as block_elimination
/// throws   resource_error, and cuda_error if a device fails
template <array_space S>
    requires(S::on_host)
class complex_elimination {
public:
    using scalar = typename S::scalar;
    using element = typename S::element;
    using view = matrix_view<host_executor, element>;

    explicit complex_elimination(const S& space, const elimination_options& options = {})
        : space_(space), options_(options)
    {}

    /// L and U of the real form K, as those of block_elimination::lu() lie there. The complex pivot of a column is the entry with the
    /// largest part, re or im, so entries of the complex L are at most sqrt(2), and those of L at most 2.
    ///
    /// shapes   K (2n x 2n)
    /// reports  fewer than 2n pivots, an even number of them, if a complex column has none. The first one without is column
    ///          count / 2, and K is lost
    /// from     [Higham02, Sec. 23.2.4] the products
    lu_pivots lu(view k);

    /// L of L L' = K: the real form of the complex L, whose diagonal is real. What is above the diagonal of K is not read.
    ///
    /// shapes   K (2n x 2n), the real form of a hermitian matrix
    /// reports  false if a pivot is not positive or not finite; K is lost then
    bool cholesky(view k);

    index_t products_on_device() const { return products_on_device_; }  ///< how many products a device computed

    /// From how many complex columns on products were exact in the last elimination; n, if none was.
    index_t panel() const { return panel_; }

private:
    using matrix = typename S::matrix;
    static constexpr bool is_native = detail::native_number<element>;
    /// Columns of one product: as in block_elimination, and in binary64 as many as stay in a cache.
    static constexpr index_t columns_at_once = is_native ? 128 : 512;
    /// From how many terms on three products take less than one of real forms, which needs no other sums.
    static constexpr index_t least_terms_of_three = number<element> ? 64 : 1;

    /// Real and imaginary parts of a complex matrix, which lie in every other column of one of the same rows.
    struct parts {
        view re, im;

        parts() = default;
        parts(view r, view i) : re(r), im(i) {}
        explicit parts(view both)
            : re(both.start, both.rows, both.cols / 2, 2 * both.ld, both.format),
              im(both.start.from(both.ld), both.rows, both.cols / 2, 2 * both.ld, both.format)
        {}

        index_t rows() const { return re.rows; }
        index_t cols() const { return re.cols; }
        view both() const { return {re.start, re.rows, 2 * re.cols, re.ld / 2, re.format}; }
        parts block(index_t i, index_t j, index_t rows, index_t cols) const
        {
            return {re.block(i, j, rows, cols), im.block(i, j, rows, cols)};
        }
    };

    struct column_parts {
        vector_view<host_executor, element> re, im;
    };

    /// How the rows of a complex pivot become those of two real ones.
    struct real_pivots {
        std::vector<scalar> quotient;
        residua::vector<host_executor, element> minus_quotient;
        std::vector<index_t> first, second;  ///< where they are in a column of real parts above imaginary ones
    };

    /// Brings the complex matrix into the first half of the rows of its real form, if is_cholesky without what is above
    /// the diagonal.
    parts take(view k, bool is_cholesky);
    /// These make the factors of the real form out of the complex ones.
    void give_lower(view k, parts a);
    std::vector<index_t> give_factors(view k, parts a, const std::vector<index_t>& order);
    void give_columns(view k, parts a, index_t begin, index_t end, const real_pivots& by);

    bool cholesky(parts a, index_t begin, index_t end);
    bool cholesky_columns(parts a, index_t begin, index_t end);
    bool lu(parts a, index_t begin, index_t end);
    bool lu_columns(parts a, index_t begin, index_t end);
    /// Whether column k has a pivot, which then is in row k.
    bool bring_pivot(parts a, index_t k, index_t begin, index_t end);
    /// Swaps rows k and row_swap_[k], for k = begin, ..., end - 1. X has all rows.
    void swap_rows(parts x, index_t begin, index_t end);
    /// C <- C - x y'
    void subtract_outer(const column_parts& x, const column_parts& y, parts c);
    /// X <- inverse(L) X, L unit lower triangular.
    void solve_unit_lower(parts l, parts x);
    /// F <- [re U, im U; -im U, re U], its rows and columns in turn: the parts of L U are those of L times F.
    void store_form(parts u, view form);
    /// C <- C - L U by three real products for each `width` columns, or by one of real forms; if `lower`, at least what
    /// is in and below the diagonal.
    void subtract(parts l, parts u, parts c, index_t width = columns_at_once, bool lower = false);

    S space_;
    elimination_options options_;
    index_t panel_ = 0;
    index_t products_on_device_ = 0;
    std::vector<index_t> row_swap_;
    index_t count_ = 0;  ///< pivots found
};

namespace detail {

/// The complex number c + id of which a row of [c, -d; d, c] is `first` and `second`: the first row, or the second if is_swapped.
inline complex_number<real> complex_pivot(const real& first, const real& second, bool is_swapped)
{
    return is_swapped ? complex_number<real>(second, first) : complex_number<real>(first, -second);
}

/// A product of complex numbers, each part rounded to `bits` bits after each of them.
struct complex_product {
    explicit complex_product(long to) : bits(to), value(real(1.0, to)) {}

    void multiply(const complex_number<real>& by)
    {
        value *= by;
        value = {value.real().with_precision(bits), value.imag().with_precision(bits)};
    }
    /// With the sign of the permutation that takes k to rows_k.
    complex_number<real> signed_by(std::vector<std::int32_t> rows) const
    {
        return sign_of(std::move(rows)) < 0 ? -value : value;
    }

    long bits;
    complex_number<real> value;
};

/// The determinant of the complex matrix with these L and U of its real form, as complex_elimination::lu() makes them.
///
/// order    rows of the real form: what is in row order[k] moves to row k
/// upper    upper(i, j) is number (i, j) of U
///
/// errors   6 n roundings to `bits` bits, relative to its modulus
template <class Upper>
complex_number<real> complex_determinant(const std::vector<index_t>& order, long bits, const Upper& upper)
{
    std::vector<std::int32_t> rows;
    complex_product product(bits);
    for (std::size_t k = 0; k + 1 < order.size(); k += 2) {
        const auto place = static_cast<index_t>(k);
        const real first = upper(place, place).with_precision(bits),
                   second = upper(place, place + 1).with_precision(bits);
        product.multiply(complex_pivot(first, second, order[k] % 2 != 0));
        rows.push_back(static_cast<std::int32_t>(order[k] / 2));
    }
    return product.signed_by(std::move(rows));
}

}  // namespace detail
}  // namespace residua
