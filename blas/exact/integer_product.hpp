#pragma once

#include <functional>
#include <vector>

#include <residua/arith/residue/moduli_set.hpp>
#include <residua/arith/slices/slices.hpp>
#include <residua/blas/base/buffer.hpp>
#include <residua/io/error.hpp>

/// Exact products of matrices of integers on the host, by products of residues in binary64.
namespace residua::blas::detail {

/// An m x n matrix of integers of `words` 64-bit words in two's complement. Word w of element (i, j) is
/// data[w * m * n + i + j * m].
class integer_matrix {
public:
    integer_matrix(index_t rows, index_t cols, int words)
        : rows_(rows), cols_(cols), words_(words), data_(rows * cols * words)
    {}

    index_t rows() const { return rows_; }
    index_t cols() const { return cols_; }
    index_t size() const { return rows_ * cols_; }
    int words() const { return words_; }

    /// Element k = i + j * rows. All elements are zero at first.
    long_integer at(index_t k) { return {data_.data() + k, size(), words_}; }
    const std::uint64_t* data() const { return data_.data(); }

private:
    index_t rows_;
    index_t cols_;
    int words_;
    buffer<host_executor, std::uint64_t> data_;
};

/// The number of terms in a sum of products of residues that binary64 adds up exactly.
inline constexpr index_t residue_terms = 1024;
inline constexpr int residue_bits = slice_bits(53, residue_terms);  // 22

/// The most bits of the product of all moduli in multiply_integers. 500 moduli have them; sums of 511 parts are exact.
inline constexpr long most_product_bits = 10900;

/// The centred residues of some columns of a matrix: residue i of element (r, c) is plane(i)[r + c * rows].
class residue_matrix {
public:
    /// Makes the residues of columns first, ..., first + count - 1 of x.
    ///
    /// cost  rows count (bits / 24) moduli multiply-adds of binary64
    residue_matrix(const host_executor& exec, const integer_matrix& x, index_t first, index_t count,
                   const moduli_set& moduli);

    index_t rows() const { return rows_; }
    index_t cols() const { return cols_; }
    const double* plane(int i) const { return data_.data() + i * rows_ * cols_; }

private:
    index_t rows_;
    index_t cols_;
    buffer<host_executor, double> data_;
};

/// Elements first, ..., first + count - 1 of a block of a product, column by column.
struct integer_elements {
    index_t row, column;  ///< where the block begins
    index_t rows;         ///< of the block
    index_t first;
    index_t count;
    long_integer number;

    /// Where the k-th of the elements is in the product.
    index_t row_of(index_t k) const { return row + (first + k) % rows; }
    index_t column_of(index_t k) const { return column + (first + k) / rows; }
    long_integer at(index_t k) const { return {number.word + k, number.stride, number.words}; }
};

/// Makes the elements of A B, |c_ij| < M / 4, in parts, and calls `use` for each part, on several threads at once. A may
/// be multiplied by many matrices. If `lower`, elements above the diagonal may be left out. The moduli have residue_bits bits, and their product has most_product_bits at most.
///
/// cost  moduli m n k multiply-adds of binary64, and (k n + 2 m n) (bits / 24) moduli ones
void multiply_integers(const host_executor& exec, const residue_matrix& a, const integer_matrix& b,
                       const moduli_set& moduli, const std::function<void(const integer_elements&)>& use,
                       bool lower = false);

}  // namespace residua::blas::detail
