#pragma once

#include <type_traits>

#include <residua/blas/base/simd.hpp>
#include <residua/blas/multidigit/elements.hpp>

/// Operations with several numbers at a time, eight on hosts that have AVX-512 IFMA, four on those with AVX2 and FMA,
/// with the same bits as without. Each tells whether it has done its work: not on other hosts, nor for operands that do
/// not lie at multiples of so many in their tiles; spmv takes x, and sum_rows x and y, from anywhere, and axpy vectors
/// that lie alike.
///
/// `one` does a single element, for the few that are special, out of range or not decided by leading digits.
namespace residua::blas::detail::lanes {

template <class F>
using one_element = void (*)(const F&, index_t);
/// (rows, column, row, p)
using one_of_rows = void (*)(const multidigit_rows&, index_t, index_t, int);

/// Elements begin, ..., end - 1, begin a multiple of eight, for axpy any.
template <class F>
bool run(const F&, index_t, index_t, int, one_element<F>)
{
    return false;
}
bool run(const multidigit_axpy& f, index_t begin, index_t end, int p, one_element<multidigit_axpy> one);
template <bool Binary64>
bool run(const multidigit_spmv<Binary64>& f, index_t begin, index_t end, int p,
         one_element<multidigit_spmv<Binary64>> one);

/// The sum of terms first, ..., last - 1, first a multiple of eight, merged from those of multidigit_lanes lanes: the
/// state of a multidigit_sum of `size` 64-bit digits.
bool sum(const multidigit_terms& terms, index_t first, index_t last, int p, std::uint64_t* units, int size,
         std::int64_t& top, int& special);

/// A piece of a product: so many rows of so many columns. Those of the first columns come first.
inline constexpr index_t rows_of_piece = 32;
inline constexpr index_t columns_of_piece = 16;

/// Pieces begin, ..., end - 1 of a product of so many columns.
bool sum_rows(const multidigit_rows& rows, index_t columns, index_t begin, index_t end, int p, one_of_rows one);

#if defined(__x86_64__)
/// The same on one instruction set. The files of these are compiled once for each.
using avx2_set = std::integral_constant<isa, isa::avx2>;
using avx512_set = std::integral_constant<isa, isa::avx512>;

bool axpy_on(avx2_set, const multidigit_axpy& f, index_t begin, index_t end, int p, one_element<multidigit_axpy> one);
bool axpy_on(avx512_set, const multidigit_axpy& f, index_t begin, index_t end, int p, one_element<multidigit_axpy> one);

template <bool Binary64>
bool spmv_on(avx2_set, const multidigit_spmv<Binary64>& f, index_t begin, index_t end, int p,
             one_element<multidigit_spmv<Binary64>> one);
template <bool Binary64>
bool spmv_on(avx512_set, const multidigit_spmv<Binary64>& f, index_t begin, index_t end, int p,
             one_element<multidigit_spmv<Binary64>> one);

bool sum_on(avx2_set, const multidigit_terms& terms, index_t first, index_t last, int p, std::uint64_t* units, int size,
            std::int64_t& top, int& special);
bool sum_on(avx512_set, const multidigit_terms& terms, index_t first, index_t last, int p, std::uint64_t* units,
            int size, std::int64_t& top, int& special);

bool sum_rows_on(avx2_set, const multidigit_rows& rows, index_t columns, index_t begin, index_t end, int p,
                 one_of_rows one);
bool sum_rows_on(avx512_set, const multidigit_rows& rows, index_t columns, index_t begin, index_t end, int p,
                 one_of_rows one);
#endif

}  // namespace residua::blas::detail::lanes
