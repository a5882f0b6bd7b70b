#include <residua/blas/level3/gemm.hpp>
#include <residua/blas/level3/gemm2.hpp>

#include <algorithm>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/row_sums.hpp>
#include <residua/blas/level1/update_rows.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/gemv2.hpp>
#include <residua/io/interruption.hpp>

namespace residua::blas {
namespace {

/// Rows and columns of C whose accumulators stay in registers; the registers of AVX-512 hold all of them.
constexpr index_t rows_at_once = 8;
template <class T>
constexpr int columns_at_once = number_traits<T>::terms == 2 ? 4 : 2;

/// The formats that are computed in tiles; the others are computed column by column, as in gemv. Packing A pays from
/// least_columns columns on, and a strip of A has most_words words at most.
template <class T>
inline constexpr bool has_tiles = number_traits<T>::terms > 1 && number_traits<T>::terms <= 4;
constexpr index_t least_columns = 16;
constexpr index_t most_words = 1 << 16;  // of strips, that stay in the second cache

template <class T>
struct tile {
    detail::row_sums<T, rows_at_once> column[columns_at_once<T>];
};

/// Words of a column of a strip: rows_at_once rows of A in the order in which the sums need them.
template <class T>
constexpr index_t strip_column = number_traits<T>::terms * rows_at_once;

/// Term t of row r, column j, of the strip is to[j * strip_column + t * rows_at_once + r]; zeros where there are no rows.
template <class T>
void pack_strip(const matrix_view<host_executor, const T>& a, index_t row, double* to)
{
    const index_t count = std::min(rows_at_once, a.rows - row);
    for (index_t j = 0; j < a.cols; ++j) {
        for (int t = 0; t < number_traits<T>::terms; ++t, to += rows_at_once) {
            const double* const from = a.plane(t) + j * a.ld + row;
            for (index_t r = 0; r < rows_at_once; ++r) {
                to[r] = r < count ? from[r] : 0.0;
            }
        }
    }
}

/// sums <- sums + a column of rows times a row of columns
template <bool Tidy, class T>
inline __attribute__((always_inline)) void add_products(tile<T>& sums, const double* a,
                                                        const T (&x)[columns_at_once<T>])
{
    for (int c = 0; c < columns_at_once<T>; ++c) {
        detail::for_lanes(
            rows_at_once, [&](index_t r) __attribute__((always_inline)) {
                detail::accumulator_of<T> sum = sums.column[c].load(r);
                T factor;
                residua::detail::unroll<number_traits<T>::terms>([&](int t) __attribute__((always_inline)) {
                    term(factor, t) = a[t * rows_at_once + r];
                });
                detail::add_product(sum, factor, x[c]);
                if constexpr (Tidy) {
                    detail::renormalize(sum);
                }
                sums.column[c].store(r, sum);
            });
    }
}

/// to <- columns first, ..., last - 1 of a strip times these rows of b, in the order of gemv.
template <class T>
inline __attribute__((always_inline)) void sum_chunk(tile<T>& to, const double* strip,
                                                     const vector_view<host_executor, const T>* b, index_t first,
                                                     index_t last)
{
    constexpr index_t period = detail::renormalization_period<T>;
    tile<T> sums;  // of its own, so that it stays in registers
    for (auto& column : sums.column) {
        column.clear();
    }
    for (index_t j = first; j < last; ++j) {
        const double* const a = strip + j * strip_column<T>;
        T x[columns_at_once<T>];
        for (int c = 0; c < columns_at_once<T>; ++c) {
            x[c] = b[c].load(j);
        }
        if ((j - first) % period == period - 1 || j == last - 1) {
            add_products<true, T>(sums, a, x);
        } else {
            add_products<false, T>(sums, a, x);
        }
    }
    to = sums;
}

/// A strip of `cols` columns times columns b.
template <class T>
void multiply_tile(const double* strip, index_t cols, const vector_view<host_executor, const T>* b,
                   const vector_view<host_executor, T>* to)
{
    tile<T> waiting[detail::most_chunk_levels];
    detail::run_simd([&]() __attribute__((always_inline)) {
        detail::sum_chunks(
            cols,
            [&](int place, index_t first, index_t last)
                __attribute__((always_inline)) { sum_chunk<T>(waiting[place], strip, b, first, last); },
            [&](int place) __attribute__((always_inline)) {
                for (int c = 0; c < columns_at_once<T>; ++c) {
                    detail::merge_rows(waiting[place].column[c], waiting[place + 1].column[c], rows_at_once);
                }
            });
        for (int c = 0; c < columns_at_once<T>; ++c) {
            detail::for_lanes(
                rows_at_once, [&](index_t r) __attribute__((always_inline)) {
                    to[c].store(r, waiting[0].column[c].load(r).result());
                });
        }
    });
}

/// C <- alpha A B + beta C, A of at least one column and C of one.
template <class T>
void multiply_by_tiles(const host_executor& exec, const detail::gemm_operands<host_executor, T>& o)
{
    const auto &a = o.a, &b = o.b;
    const matrix_view<host_executor, T>& c = o.c;
    constexpr index_t most_strips = 32;
    constexpr int columns = columns_at_once<T>;
    const index_t strip_words = a.cols * strip_column<T>;
    const index_t most = std::min(most_words / strip_words, most_strips);
    const double operations = detail::multiply_add_operations<T> * static_cast<double>(a.rows) *
                              static_cast<double>(a.cols) * static_cast<double>(b.cols);
    detail::parallel_ranges(c.rows, rows_at_once, operations, [&](index_t begin, index_t end) {
        const index_t strips = std::min(most, (end - begin + rows_at_once - 1) / rows_at_once);
        const index_t at_once = strips * rows_at_once;
        const index_t sums_apart = number_traits<T>::terms * at_once;  // from column to column
        buffer<host_executor, double> strip(strips * strip_words, exec, uninitialized{});
        buffer<host_executor, double> sums(columns * sums_apart, exec, uninitialized{});
        for (index_t row = begin; row < end; row += at_once) {
            const index_t rows = std::min(at_once, end - row);
            for (index_t r = 0; r < rows; r += rows_at_once) {
                pack_strip<T>(a, row + r, strip.data() + r / rows_at_once * strip_words);
            }
            for (index_t j = 0; j < c.cols; j += columns) {
                io::ask_for_stop();
                vector_view<host_executor, const T> from[columns];
                for (int k = 0; k < columns; ++k) {
                    from[k] = b.column(std::min(j + k, c.cols - 1));
                }
                for (index_t r = 0; r < rows; r += rows_at_once) {
                    vector_view<host_executor, T> to[columns];
                    for (int k = 0; k < columns; ++k) {
                        to[k] = {{sums.data() + k * sums_apart + r, at_once}, rows_at_once};
                    }
                    multiply_tile<T>(strip.data() + r / rows_at_once * strip_words, a.cols, from, to);
                }
                for (index_t k = 0; k < std::min<index_t>(columns, c.cols - j); ++k) {
                    const auto y = c.column(j + k);
                    detail::update_rows(o.alpha, {{sums.data() + k * sums_apart, at_once}, rows}, o.beta,
                                        y.part(row, row + rows));
                }
            }
        }
    });
}

}  // namespace

template <number T>
void detail::multiply(const host_executor& exec, const gemm_operands<host_executor, T>& o)
{
    if constexpr (has_tiles<T>) {
        if (o.a.cols > 0 && o.a.cols <= most_words / strip_column<T> && o.c.cols >= least_columns) {
            return multiply_by_tiles<T>(exec, o);
        }
    }
    for (index_t j = 0; j < o.c.cols; ++j) {
        io::ask_for_stop();
        multiply(exec, trans::no, gemv_operands<host_executor, T>{o.alpha, o.a, o.b.column(j), o.beta, o.c.column(j)});
    }
}

void gemm2(const host_executor& exec, double alpha, in_matrix<host_executor, double> a,
           in_matrix<host_executor, double> b, double beta, matrix_view<host_executor, double> c)
{
    detail::require_fitting("gemm2", trans::no, trans::no,
                            detail::gemm_operands<host_executor, double>{alpha, a, b, beta, c});
    for (index_t j = 0; j < c.cols; ++j) {
        gemv2(exec, alpha, a, b.column(j), beta, c.column(j));
    }
}

#define RESIDUA_INSTANTIATE(...) \
    template void detail::multiply(const host_executor&, const gemm_operands<host_executor, __VA_ARGS__>&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
