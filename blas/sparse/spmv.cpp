#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/spmv2.hpp>

#include <algorithm>
#include <span>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/row_sums.hpp>
#include <residua/blas/level1/update_rows.hpp>
#include <residua/blas/sparse/slice_pieces.hpp>
#include <residua/blas/sparse/stored_rows.hpp>

namespace residua::blas {
namespace {

using detail::slice_piece;
using detail::slice_rows;

constexpr index_t tile_slices = 8;  // that update_rows gets at once

template <class T>
using slice_sums = detail::row_sums<T, slice_rows>;

/// Adds the entries of a piece, of V, to the sums of its rows, of T; x has numbers of X.
template <class V, class X, class T>
inline __attribute__((always_inline)) void add_piece(slice_sums<T>& sums, const slice_piece<V>& a,
                                                     vector_view<host_executor, const X> x)
{
    alignas(64) double gathered[number_traits<X>::terms * slice_rows];
    const vector_view<host_executor, X> copies{{gathered, slice_rows}, slice_rows};
    for (index_t k = a.first; k < a.last; ++k) {
        const index_t p = (k - a.first) * slice_rows;
        const vector_view<host_executor, const V> value = a.value.part(p, p + slice_rows);
        const column_t* const col = a.col + p;
        const auto place = static_cast<std::int32_t>(k);
        vector_view<host_executor, const X> xs = x.part(col[0], col[0] + slice_rows);
        if (a.is_run == nullptr || a.is_run[k - a.first] == 0) {
            // A loop of its own: a choice in the same loop would keep it from being vectorised.
            detail::for_lanes(
                slice_rows, [&](index_t l) __attribute__((always_inline)) { copies.store(l, x.load(col[l])); });
            xs = copies;
        }
        detail::for_lanes(
            slice_rows, [&](index_t l) __attribute__((always_inline)) {
                const auto before = sums.load(l);
                auto after = before;
                detail::add_product(after, value.load(l), xs.load(l));
                if constexpr (detail::renormalization_period<T> == 1) {
                    detail::renormalize(after);
                }
                sums.store(l, place < a.length[l], after, before);
            });
        if (detail::renormalization_period<T> > 1 && (k + 1) % detail::renormalization_period<T> == 0) {
            detail::for_lanes(
                slice_rows, [&](index_t l) __attribute__((always_inline)) {
                    const auto before = sums.load(l);
                    auto after = before;
                    detail::renormalize(after);
                    sums.store(l, place < a.length[l], after, before);
                });
        }
    }
}

/// Rounds the sums of all rows to the format.
template <class T>
void finish(std::span<const slice_sums<T>> sums, vector_view<host_executor, T> t)
{
    detail::run_simd([&]() __attribute__((always_inline)) {
        for (std::size_t s = 0; s < sums.size(); ++s) {
            const index_t row = static_cast<index_t>(s) * slice_rows;
            detail::for_lanes(
                slice_rows, [&](index_t l)
                                __attribute__((always_inline)) { t.store(row + l, sums[s].load(l).result()); });
        }
    });
}

/// Adds slices first, first + 1, ... of A x to `sums`.
template <class X, class T, class A>
void add_slices(std::span<slice_sums<T>> sums, const A& a, index_t first, vector_view<host_executor, const X> x)
{
    using piece_type = slice_piece<typename A::value_type>;
    detail::run_simd([&]() __attribute__((always_inline)) {
        for (slice_sums<T>& sum : sums) {
            detail::for_pieces(
                a, first++, a.entries(), [&](const piece_type& piece) __attribute__((always_inline)) {
                    add_piece<typename A::value_type, X, T>(sum, piece, x);
                });
        }
    });
}

template <class T, class X, class A>
void multiply_rows(const detail::spmv_operands<host_executor, X, A>& o)
{
    constexpr index_t tile = tile_slices * slice_rows;
    const index_t slices = (o.a.rows() + slice_rows - 1) / slice_rows;
    const double operations = detail::multiply_add_operations<T> * static_cast<double>(o.a.entries() + o.a.rows());
    const auto range = [&](index_t begin, index_t end) {
        alignas(64) double product[number_traits<T>::terms * tile];
        const vector_view<host_executor, T> t{{product, tile}, tile};
        slice_sums<T> sums[tile_slices];
        for (index_t s = begin; s < end; s += tile_slices) {
            const index_t count = std::min(tile_slices, end - s);
            const std::span<slice_sums<T>> used(sums, static_cast<std::size_t>(count));
            for (slice_sums<T>& slice : used) {
                slice.clear();
            }
            add_slices<X, T>(used, o.a, s, o.x);
            finish<T>(used, t);
            const index_t row = s * slice_rows;
            const index_t rows = std::min(count * slice_rows, o.a.rows() - row);
            detail::update_rows(o.alpha, vector_view<host_executor, T>{{product, tile}, rows}, o.beta,
                                o.y.part(row, row + rows));
        }
    };
    const detail::stored_rows rows = detail::rows_of(o.a);
    const auto before = [&](index_t s) { return rows.before(std::min(s * slice_rows, o.a.rows())); };
    detail::parallel_weighted_ranges(slices, before, operations, range);
}

}  // namespace

template <number T, class A>
void detail::multiply(const host_executor&, const spmv_operands<host_executor, T, A>& o)
{
    multiply_rows<T>(o);
}

template <class A>
    requires sparse_for<A, host_executor, double>
void spmv2(const host_executor&, double alpha, const A& a, in_vector<host_executor, double> x, double beta,
           vector_view<host_executor, double> y)
{
    const detail::spmv_operands<host_executor, double, A> o{alpha, a, x, beta, y};
    detail::require_fitting("spmv2", o);
    multiply_rows<expansion<double, 2>>(o);
}

#define RESIDUA_INSTANTIATE(V, T)                                                                  \
    template void detail::multiply(const host_executor&,                                           \
                                   const spmv_operands<host_executor, T, csr<host_executor, V>>&); \
    template void detail::multiply(const host_executor&,                                           \
                                   const spmv_operands<host_executor, T, sliced_ell<host_executor, V>>&);
RESIDUA_FOR_EACH_PAIR(RESIDUA_INSTANTIATE)

#define RESIDUA_INSTANTIATE_TWOFOLD(Storage)                                                 \
    template void spmv2(const host_executor&, double, const Storage<host_executor, double>&, \
                        in_vector<host_executor, double>, double, vector_view<host_executor, double>);
RESIDUA_INSTANTIATE_TWOFOLD(csr)
RESIDUA_INSTANTIATE_TWOFOLD(sliced_ell)

}  // namespace residua::blas
