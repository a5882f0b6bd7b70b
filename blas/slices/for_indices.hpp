#pragma once

#include <cstdint>
#include <limits>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/slices/elements.hpp>
#include <residua/blas/slices/rows.hpp>

/// The operations that a product of slices needs from an executor.
namespace residua::blas::detail {

/// The type of sums of products of slices of T. Sums of integers are exact below 2^exact_bits.
template <class T>
struct slice_sum {
    using type = T;
    static constexpr int exact_bits = std::numeric_limits<T>::digits;
};
template <>
struct slice_sum<std::int8_t> {
    using type = std::int32_t;
    static constexpr int exact_bits = 31;
};

/// Calls f(k) for all k < calls.
template <class F>
void for_indices(const host_executor& exec, const char* op, index_t calls, const F& f);
template <class F>
void for_indices(const cuda_executor& exec, const char* op, index_t calls, const F& f);

/// Finds the exponents of vectors of n elements, 0 for a zero vector. Returns the most bits from the exponent of a
/// vector down to the last bit of a number in it.
int find_exponents(const host_executor& exec, const sliced_vectors& x, index_t n, const slice_exponents& to);
int find_exponents(const cuda_executor& exec, const sliced_vectors& x, index_t n, const slice_exponents& to);

/// C <- A' B, or C + A' B, of slices: `length` numbers in each column of A and B, which lie `ld` apart. All ld rows of
/// C are written, and more columns on a device, up to a whole group.
///
/// throws  resource_error if sizes are too large for the integers of the BLAS
template <class T>
void multiply_slices(const host_executor& exec, const sliced_product& shape, index_t length, const T* a, const T* b,
                     index_t ld, typename slice_sum<T>::type* c, bool adds);
template <class T>
void multiply_slices(const cuda_executor& exec, const sliced_product& shape, index_t length, const T* a, const T* b,
                     index_t ld, typename slice_sum<T>::type* c, bool adds);

/// The maximum of `count` numbers, none of them negative; 0 if there is none.
int max_of(const host_executor& exec, const int* x, index_t count);
int max_of(const cuda_executor& exec, const int* x, index_t count);

/// Reads back an int from the executor's memory.
int fetch(const host_executor& exec, const int* x);
int fetch(const cuda_executor& exec, const int* x);

}  // namespace residua::blas::detail
