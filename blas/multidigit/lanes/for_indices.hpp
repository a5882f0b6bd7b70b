#pragma once

#include <type_traits>

#include <residua/blas/base/simd.hpp>
#include <residua/blas/multidigit/elements.hpp>

/// Operations on several numbers at a time: eight on hosts with AVX-512 IFMA, four on hosts with AVX2 and FMA. Results
/// have the same bits as one number at a time. A function returns whether it has done its work: it does none on other
/// hosts, nor if an operand does not begin at a multiple of eight or four in its tile. x of spmv and all operands of
/// sum_rows may begin anywhere; the vectors of axpy have to begin at the same place of their tiles.
///
/// `one` computes a single element: one that is special, out of range or undecided by leading digits.
namespace residua::blas::detail::by_lanes {

template <class F>
using one_element = void (*)(const F&, index_t);
/// (rows, column, row, p)
using one_of_rows = void (*)(const multidigit_rows&, index_t, index_t, int);

/// Computes elements begin, ..., end - 1. begin is a multiple of eight; for axpy it may be any.
template <class F>
bool for_indices(const F&, index_t, index_t, int, one_element<F>)
{
    return false;
}
bool for_indices(const multidigit_axpy& f, index_t begin, index_t end, int p, one_element<multidigit_axpy> one);
template <bool Binary64>
bool for_indices(const multidigit_spmv<Binary64>& f, index_t begin, index_t end, int p,
                 one_element<multidigit_spmv<Binary64>> one);

/// The sum of terms first, ..., last - 1, first a multiple of eight, merged from the sums of multidigit_lanes lanes.
/// The result is the state of a multidigit_sum of `size` 64-bit digits.
bool sum(const multidigit_terms& terms, index_t first, index_t last, int p, std::uint64_t* units, int size,
         std::int64_t& top, int& special);

/// A product is computed in pieces of rows_of_piece rows and columns_of_piece columns, column after column of pieces.
inline constexpr index_t rows_of_piece = 32;
inline constexpr index_t columns_of_piece = 16;

/// Computes pieces begin, ..., end - 1 of a product with `columns` columns.
bool sum_rows(const multidigit_rows& rows, index_t columns, index_t begin, index_t end, int p, one_of_rows one);

#if defined(__x86_64__)
/// The operations for one instruction set each. Their files are compiled once for each set.
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

}  // namespace residua::blas::detail::by_lanes
