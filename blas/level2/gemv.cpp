#include <residua/blas/level2/gemv.hpp>

#include <algorithm>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/lane_window.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/row_sums.hpp>
#include <residua/blas/base/update_rows.hpp>

namespace residua::blas {
namespace {

/// Rows that a SIMD loop runs over, and how many of these strips a thread takes at once: so many
/// that their accumulators stay in the first cache while columns stream through it, bench/blas/host_bench.
constexpr index_t strip = 32;
template <class T>
constexpr index_t strips = std::max<index_t>(1, 16 / number_traits<T>::terms);

/// Columns that are added to an accumulator before it is tidied and goes back to memory.
template <class T>
constexpr index_t columns_at_once = detail::tidy_period<T>;
constexpr index_t columns_ahead = 4;

template <class T>
using tile_sums = detail::row_sums<T, strip * strips<T>>;

/// Up to columns_at_once columns of a strip of rows. Where the matrix ends, rows and columns are
/// filled up with zeros in a copy: adding a zero product changes no bit.
template <class V, class T>
class column_group {
public:
    static constexpr index_t columns = columns_at_once<T>;
    static constexpr int terms = number_traits<V>::terms;

    column_group(matrix_view<host_executor, const V> a, index_t row, index_t rows, index_t col,
                 index_t cols)
    {
        if (rows == strip && cols == columns) {
            data_ = a.data + col * a.ld + row;
            ld_ = a.ld;
            plane_stride_ = a.plane_stride;
        } else {
            copy_in(a, row, rows, col, cols);
        }
    }

    column_group(const column_group&) = delete;
    column_group& operator=(const column_group&) = delete;

    vector_view<host_executor, const V> column(index_t c) const
    {
        return {data_ + c * ld_, strip, plane_stride_};
    }

    /// Asks for the same rows `ahead` columns later; processors do not guess across columns.
    /// Always inlined: GCC drops calls of a function that does nothing but prefetch.
    __attribute__((always_inline)) void prefetch(index_t ahead) const
    {
        for (int k = 0; k < terms; ++k) {
            for (index_t c = ahead; c < ahead + columns; ++c) {
                for (index_t l = 0; l < strip; l += 8) {
                    __builtin_prefetch(data_ + k * plane_stride_ + c * ld_ + l);
                }
            }
        }
    }

private:
    __attribute__((noinline, cold)) void copy_in(matrix_view<host_executor, const V> a, index_t row,
                                                 index_t rows, index_t col, index_t cols)
    {
        for (int k = 0; k < terms; ++k) {
            for (index_t c = 0; c < columns; ++c) {
                for (index_t r = 0; r < strip; ++r) {
                    copy_[k][c][r] = c < cols && r < rows ? a.data[k * a.plane_stride +
                                                                   (col + c) * a.ld + row + r]
                                                          : 0.0;
                }
            }
        }
        data_ = copy_[0][0];
        ld_ = strip;
        plane_stride_ = columns * strip;
    }

    const double* data_;
    index_t ld_;
    index_t plane_stride_;
    alignas(64) double copy_[terms][columns][strip];
};

/// Adds columns first, ..., last - 1, at most a chunk, of rows row, ..., row + rows - 1.
template <class V, class T>
inline __attribute__((always_inline)) void add_chunk(tile_sums<T>& sums,
                                                     matrix_view<host_executor, const V> a,
                                                     index_t row, index_t rows, index_t first,
                                                     index_t last,
                                                     vector_view<host_executor, const T> x)
{
    using acc = detail::accumulator_of<T>;
    constexpr index_t columns = columns_at_once<T>;
    for (index_t j = first; j < last; j += columns) {
        const index_t cols = std::min(columns, last - j);
        T xj[columns];
        for (index_t c = 0; c < columns; ++c) {
            xj[c] = c < cols ? x.load(j + c) : T{0.0};
        }
        for (index_t r = 0; r < rows; r += strip) {
            const column_group<V, T> group(a, row + r, std::min(strip, rows - r), j, cols);
            if (j + columns_ahead + columns <= a.cols) {
                group.prefetch(columns_ahead);
            }
            detail::for_lanes<T>(strip, [&](index_t l) __attribute__((always_inline)) {
                acc sum = sums.load(r + l);
                residua::detail::unroll<columns>([&](int c) __attribute__((always_inline)) {
                    detail::add_product(sum, group.column(c).load(l), xj[c]);
                });
                detail::tidy(sum);
                sums.store(r + l, sum);
            });
        }
    }
}

/// left <- left + right
template <class T>
inline __attribute__((always_inline)) void merge(tile_sums<T>& left, const tile_sums<T>& right,
                                                 index_t rows)
{
    for (index_t r = 0; r < rows; r += strip) {
        detail::for_lanes<T>(strip, [&](index_t l) __attribute__((always_inline)) {
            auto sum = left.load(r + l);
            sum.merge(right.load(r + l));
            left.store(r + l, sum);
        });
    }
}

/// A tile of rows of A x; chunks of columns are merged pairwise as pairwise_sum does it.
template <class V, class T>
void multiply_tile(matrix_view<host_executor, const V> a, index_t row, index_t rows,
                   vector_view<host_executor, const T> x, vector_view<host_executor, T> t)
{
    constexpr int most_levels = 32;  // 2^31 chunks
    tile_sums<T> waiting[most_levels];
    int depth = 0;
    detail::run_simd<T>([&]() __attribute__((always_inline)) {
        const index_t chunks = (a.cols + gemv_chunk - 1) / gemv_chunk;
        for (index_t chunk = 0; chunk < chunks; ++chunk) {
            const index_t j = chunk * gemv_chunk;
            waiting[depth].clear();
            add_chunk<V, T>(waiting[depth], a, row, rows, j, std::min(j + gemv_chunk, a.cols), x);
            ++depth;
            const bool last = chunk + 1 == chunks;
            for (index_t c = chunk; depth > 1 && (last || c % 2 == 1); c /= 2) {
                merge<T>(waiting[depth - 2], waiting[depth - 1], rows);
                --depth;
            }
        }
        for (index_t r = 0; r < rows; r += strip) {
            const index_t count = std::min(strip, rows - r);
            const detail::lane_window<T, strip> to(t, r, count);
            detail::for_lanes<T>(strip, [&](index_t l) __attribute__((always_inline)) {
                to.view().store(l, depth > 0 ? waiting[0].load(r + l).result() : T{0.0});
            });
            to.write_back(t, r, count);
        }
    });
}

template <class V, class T>
void multiply(const T& alpha, matrix_view<host_executor, const V> a,
              vector_view<host_executor, const T> x, const T& beta,
              vector_view<host_executor, T> y)
{
    require_equal("gemv", "rows of A and size of y", a.rows, y.size);
    require_equal("gemv", "columns of A and size of x", a.cols, x.size);

    constexpr index_t tile = tile_sums<T>::rows;
    const T scale = alpha;  // either may be an element of y
    const T keep = beta;
    const double operations = detail::multiply_add_operations<T> * static_cast<double>(a.rows) *
                              static_cast<double>(a.cols);
    detail::parallel_ranges(a.rows, strip, operations, [&](index_t begin, index_t end) {
        double product[number_traits<T>::terms * tile];
        for (index_t row = begin; row < end; row += tile) {
            const index_t rows = std::min(tile, end - row);
            const vector_view<host_executor, T> t{product, rows, tile};
            multiply_tile<V, T>(a, row, rows, x, t);
            detail::update_rows<T>(scale, t, keep, {y.data + row, rows, y.plane_stride});
        }
    });
}

}  // namespace

template <number T>
void gemv(const host_executor&, const std::type_identity_t<T>& alpha,
          matrix_view<host_executor, const double> a, in_vector<host_executor, T> x,
          const std::type_identity_t<T>& beta, vector_view<host_executor, T> y)
{
    multiply<double, T>(alpha, a, x, beta, y);
}

template <number T>
    requires(number_traits<T>::terms > 1)
void gemv(const host_executor&, const std::type_identity_t<T>& alpha, in_matrix<host_executor, T> a,
          in_vector<host_executor, T> x, const std::type_identity_t<T>& beta,
          vector_view<host_executor, T> y)
{
    multiply<T, T>(alpha, a, x, beta, y);
}

#define RESIDUA_INSTANTIATE(...)                                                              \
    template void gemv<__VA_ARGS__>(const host_executor&, const __VA_ARGS__&,                 \
                                    in_matrix<host_executor, double>,                         \
                                    in_vector<host_executor, __VA_ARGS__>, const __VA_ARGS__&, \
                                    vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

#define RESIDUA_INSTANTIATE_OWN(...)                                                          \
    template void gemv<__VA_ARGS__>(const host_executor&, const __VA_ARGS__&,                 \
                                    in_matrix<host_executor, __VA_ARGS__>,                    \
                                    in_vector<host_executor, __VA_ARGS__>, const __VA_ARGS__&, \
                                    vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_EXPANSION(RESIDUA_INSTANTIATE_OWN)

}  // namespace residua::blas
