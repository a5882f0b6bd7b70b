#pragma once

#include <optional>
#include <type_traits>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/native/double.hpp>
#include <residua/blas/base/diagonals.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level2/triangle.hpp>

/// The two steps that operations on matrices of every format are made of, beside products and sums.
namespace residua::blas::detail {

/// Numbers that stand for the entries of a matrix: entry (i, j) is number i row + j col from `start` on.
template <class T>
struct entry_places {
    typename array_traits<T>::template start<true> start;
    index_t row = 0;
    index_t col = 0;
};

/// a(i, j), and a(j, i) if it is transposed
template <class Matrix>
auto places_of(const Matrix& a, trans op = trans::no)
{
    using places = entry_places<typename Matrix::value_type>;
    return op == trans::no ? places{a.start, 1, a.ld} : places{a.start, a.ld, 1};
}

/// x_i, and x_j
template <class Vector>
entry_places<typename Vector::value_type> places_by_row(const Vector& x)
{
    return {x.start, x.stride, 0};
}
template <class Vector>
entry_places<typename Vector::value_type> places_by_col(const Vector& x)
{
    return {x.start, 0, x.stride};
}

/// x(i, j), or its product with a number or with an entry, or its magnitude, which RNS floats do not have.
template <class Exec, class T>
struct entry_term {
    entry_places<T> x;
    std::optional<factor_of<Exec, T>> number = std::nullopt;
    std::optional<entry_places<T>> entry = std::nullopt;
    bool magnitude = false;
};

/// to(i, j) <- first, or first + second, for the entries that `of` has. An operand may be `to` itself, entry by entry.
template <class Exec, class T>
struct entry_sum {
    matrix_view<Exec, T> to;
    entry_term<Exec, T> first;
    std::optional<entry_term<Exec, T>> second = std::nullopt;
    diagonals of = {};
};

/// Computes all entries.
///
/// errors  the product of `first` as by scal; the sum as by axpy
/// cost    one launch on a device; reads each operand and writes `to` once
template <number T>
void combine_entries(const host_executor& exec, const char* op, const entry_sum<host_executor, T>& sum);
template <number T>
void combine_entries(const cuda_executor& exec, const char* op, const entry_sum<cuda_executor, T>& sum);
template <class Exec>
void combine_entries(const Exec& exec, const char* op, const entry_sum<Exec, multidigit>& sum);
template <class Exec>
void combine_entries(const Exec& exec, const char* op, const entry_sum<Exec, rns>& sum);

/// X <- inverse(T) X, T a small triangle of A: each column by substitution, by one thread or the threads of one number.
///
/// shapes  A (n x n), X (n x k)
/// errors  as the solves of each format by trsv
/// cost    n^2 k / 2 multiply-adds; one launch on a device
/// order   each row starts from its right-hand side and goes towards the diagonal
template <number T>
void solve_columns(const host_executor& exec, uplo triangle, diag diagonal, in_matrix<host_executor, T> a,
                   matrix_view<host_executor, T> x);
template <number T>
void solve_columns(const cuda_executor& exec, uplo triangle, diag diagonal, in_matrix<cuda_executor, T> a,
                   matrix_view<cuda_executor, T> x);
template <class Exec>
void solve_columns(const Exec& exec, uplo triangle, diag diagonal, in_matrix<Exec, multidigit> a,
                   matrix_view<Exec, multidigit> x);
template <class Exec>
void solve_columns(const Exec& exec, uplo triangle, diag diagonal, in_matrix<Exec, rns> a, matrix_view<Exec, rns> x);

/// Entries on and below the diagonal, or on and above it; without the diagonal if it is taken to be ones.
inline diagonals triangle_of(uplo triangle, diag diagonal = diag::non_unit)
{
    const index_t nearest = diagonal == diag::unit ? 1 : 0;
    return triangle == uplo::lower ? diagonals{.least = nearest} : diagonals{.most = -nearest};
}

inline uplo other(uplo triangle) { return triangle == uplo::lower ? uplo::upper : uplo::lower; }
inline trans other(trans op) { return op == trans::no ? trans::yes : trans::no; }

/// x in the format of a view.
template <class View>
auto constant_of(const View& like, double x)
{
    return View::traits::constant(like.format, x);
}

}  // namespace residua::blas::detail
