#pragma once

#include <memory>

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

/// A matrix for exact products with many vectors: its numbers become integers once.
template <class Exec, class T>
class exact_matrix;

/// shapes  A (m x k), which must outlive this object unchanged: infinities and NaN are looked up in it
/// memory  m k (q_a / 64 + 1) 64-bit words, and 24 bytes for each number
template <class T>
class exact_matrix<host_executor, T> {
public:
    /// options  the bits that are kept of the numbers of A, and later of those of vectors
    ///
    /// throws  dimension_error if bits < 0; resource_error
    exact_matrix(const host_executor& exec, in_matrix<host_executor, T> a, const exact_options& options = {});
    exact_matrix(exact_matrix&&) noexcept;
    exact_matrix& operator=(exact_matrix&&) noexcept;
    ~exact_matrix();

    index_t rows() const;
    index_t cols() const;

    /// y <- A x, as gemv_exact, without making integers of A again
    void multiply(const host_executor& exec, in_vector<host_executor, T> x, vector_view<host_executor, T> y) const;

private:
    struct integers;
    std::unique_ptr<integers> integers_;
};

/// exact_matrix on a CUDA device, with the bits of the host.
///
/// memory  m k (q_a + 9) / 8 bytes, and while these are made 8 bytes for every 64 bits of a number. RNS floats, here
///         and on the host, take the memory of multi-digit floats as well
template <class T>
class exact_matrix<cuda_executor, T> {
public:
    /// throws  also cuda_error
    exact_matrix(const cuda_executor& exec, in_matrix<cuda_executor, T> a, const exact_options& options = {});
    exact_matrix(exact_matrix&&) noexcept;
    exact_matrix& operator=(exact_matrix&&) noexcept;
    ~exact_matrix();

    index_t rows() const;
    index_t cols() const;

    /// cost    (q_a + 9) / 8 bytes of each number are read; 4 bytes are moved twice for each pair of a byte of A's
    ///         numbers and one of x's, in each row
    /// throws  as gemv_exact on a device
    void multiply(const cuda_executor& exec, in_vector<cuda_executor, T> x, vector_view<cuda_executor, T> y) const;

private:
    struct integers;
    std::unique_ptr<integers> integers_;
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
