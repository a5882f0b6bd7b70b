#pragma once

#include <residua/blas/level2/triangle.hpp>
#include <residua/solvers/dense_direct/native_blocks.hpp>

/// Steps of solves in binary64 with dense matrices, by one thread. Entries in binary32 become binary64 numbers when
/// they are read.
namespace residua::detail {

/// One vector, or eight of which all numbers i lie side by side. Each of eight gets the bits that it gets alone.
struct binary64_columns {
    static constexpr index_t most = 8;

    double* data;
    index_t size;
    index_t width;  ///< 1 or 8

    binary64_columns part(index_t begin, index_t end) const { return {data + begin * width, end - begin, width}; }
};

/// y <- y - A x
///
/// order   columns ascending, a product and a difference for each
template <native_number T>
void subtract(native_block<T> a, binary64_columns x, binary64_columns y);

/// y <- y - A' x
///
/// order   eight sums for each column, over rows l, l + 8, ...; the rows that are left go into the first of them. Then
///         sums four apart are added, then neighbours, then the last two
template <native_number T>
void subtract_transposed(native_block<T> a, binary64_columns x, binary64_columns y);

/// x <- inverse(T) x or inverse(T') x, T a triangle of A
///
/// order   each x_j is divided once the numbers found before it are subtracted from it: in their order; of T' those outside
///         its four columns, which begin at a multiple of four, as subtract_transposed does it, then the others in their
///         order
template <native_number T>
void solve_triangle(blas::uplo triangle, blas::diag diagonal, bool transposed, native_block<T> a, binary64_columns x);

}  // namespace residua::detail
