#pragma once

#include <memory>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/exact/options.hpp>

namespace residua::blas {

/// y <- A x, every element summed exactly and rounded once
///
/// This is gemm_exact with x as a column, by long multiplications instead of residues.
///
/// shapes   A (m x k), x (k), y (m); y overlaps neither A nor x
/// errors   as gemm_exact
/// special  where row i or x has infinities or NaN: the sum of the products with these
/// cost     m k (q_a / 64) (q_x / 64) products of 64-bit words; fewer for numbers of few bits
/// order    the same bits on every machine, with any number of threads
/// throws   as gemm_exact
/// from     docs/error_bounds.md, theorem 22
template <class T>
void gemv_exact(const host_executor& exec, in_matrix<host_executor, T> a, in_vector<host_executor, T> x,
                vector_view<host_executor, T> y, const exact_options& options = {});

/// gemv_exact on a CUDA device, with the bits of the host: tensor cores multiply digits of 8 bits.
///
/// cost     A is moved four times, then as for exact_matrix
/// throws   also cuda_error where cuBLAS is not installed
template <class T>
void gemv_exact(const cuda_executor& exec, in_matrix<cuda_executor, T> a, in_vector<cuda_executor, T> x,
                vector_view<cuda_executor, T> y, const exact_options& options = {});

namespace detail {

/// The numbers of a matrix as integers, in the memory of an executor, for exact_matrix.
template <class Exec, class T>
struct exact_integers;
template <class Exec, class T>
using exact_integers_of = std::shared_ptr<exact_integers<Exec, T>>;

template <class T>
exact_integers_of<host_executor, T> make_integers(const host_executor& exec, in_matrix<host_executor, T> a,
                                                  const exact_options& options);
template <class T>
exact_integers_of<cuda_executor, T> make_integers(const cuda_executor& exec, in_matrix<cuda_executor, T> a,
                                                  const exact_options& options);

template <class T>
void multiply_by_integers(const host_executor& exec, exact_integers<host_executor, T>& a, in_vector<host_executor, T> x,
                          vector_view<host_executor, T> y);
template <class T>
void multiply_by_integers(const cuda_executor& exec, exact_integers<cuda_executor, T>& a, in_vector<cuda_executor, T> x,
                          vector_view<cuda_executor, T> y);

}  // namespace detail

/// A matrix for exact products with many vectors: its numbers become integers once. Copies share these.
///
/// shapes  A (m x k), which must outlive this object unchanged: infinities and NaN are looked up in it
/// memory  m k (q_a / 64 + 1) 64-bit words, and 24 bytes for each number; on a device m k (q_a + 9) / 8 bytes, and while
///         these are made 8 bytes for every 64 bits of a number. RNS floats take the memory of multi-digit floats as well
template <class Exec, class T>
class exact_matrix {
public:
    /// options  how many bits are kept of the numbers of A; multiply() keeps as many of the numbers of a vector
    ///
    /// throws  dimension_error if bits < 0; resource_error; on a device cuda_error
    exact_matrix(const Exec& exec, in_matrix<Exec, T> a, const exact_options& options = {})
        : rows_(a.rows), cols_(a.cols), integers_(detail::make_integers<T>(exec, a, options))
    {}

    index_t rows() const { return rows_; }
    index_t cols() const { return cols_; }

    /// y <- A x, as gemv_exact, without making integers of A again, with the same bits on host and device
    ///
    /// cost    on a device (q_a + 9) / 8 bytes of each number are read; 4 bytes are moved twice for each pair of a byte of
    ///         A's numbers and one of x's, in each row
    /// throws  as gemv_exact
    void multiply(const Exec& exec, in_vector<Exec, T> x, out_vector<Exec, T> y) const
    {
        require_equal("exact_matrix", "rows of A and size of y", rows_, y.size);
        require_equal("exact_matrix", "columns of A and size of x", cols_, x.size);
        if (y.size > 0) {
            detail::multiply_by_integers<T>(exec, *integers_, x, y);
        }
    }

private:
    index_t rows_;
    index_t cols_;
    detail::exact_integers_of<Exec, T> integers_;
};

/// result <- x' y, as gemv_exact for a single row
///
/// shapes   x (k), y (k), result (1)
template <class T>
void dot_exact(const host_executor& exec, in_vector<host_executor, T> x, in_vector<host_executor, T> y,
               vector_view<host_executor, T> result, const exact_options& options = {});

/// dot_exact on a CUDA device, with the bits of the host.
template <class T>
void dot_exact(const cuda_executor& exec, in_vector<cuda_executor, T> x, in_vector<cuda_executor, T> y,
               vector_view<cuda_executor, T> result, const exact_options& options = {});

}  // namespace residua::blas
