#pragma once

#include <residua/arith/base/bits.hpp>
#include <residua/arith/base/eft.hpp>
#include <residua/solvers/sparse_direct/front_kernels.hpp>
#include <residua/solvers/sparse_direct/front_triangles.cuh>
#include <residua/solvers/sparse_direct/solve_steps.hpp>

/// A strip of a front at work in a block of threads. Each number is computed in the order that multifrontal_solve.hpp and
/// binary64_columns.hpp have for it.
namespace residua::detail {

inline constexpr int step_columns = static_cast<int>(columns_of_step);
inline constexpr int columns_of_thread = 8;  // that a thread loads at once

template <int Rows, int Groups>
struct strip_memory {
    double x[step_columns];  ///< numbers that were found
    double number[Rows];     ///< numbers of the strip
    double product[Groups == 1 ? 1 : Groups * columns_of_thread][Groups == 1 ? 1 : Rows];
};

/// Rows    the most numbers of a strip: a step of pivots in fronts of several steps
/// Groups  how many groups of Rows threads there are
template <int Rows, int Groups>
class front_strip {
public:
    static constexpr int threads = Rows * Groups;
    using memory = strip_memory<Rows, Groups>;

    /// waits  other blocks have strips of this front, which this one waits for
    __device__ front_strip(const fronts_at_work& work, const placed_front& front, memory& shared, bool waits)
        : w_(work), f_(front), s_(shared), waits_(waits)
    {}

    __device__ int steps() const { return static_cast<int>((f_.pivots + step_columns - 1) / step_columns); }
    __device__ int strips() const { return steps() + static_cast<int>((f_.order - f_.pivots + Rows - 1) / Rows); }

    /// Solves with L: each thread of the first group has a row.
    __device__ void up_by_l(int strip)
    {
        begin_strip(strip);
        double v = has_number() ? assembled(first_ + mine()) : 0.0;
        const index_t before = is_rest_ ? f_.pivots : first_;
        for (index_t j = 0; j < before; j += step_columns) {
            wait_for(f_.found, j / step_columns + 1);
            const int cols = at_most_a_step(before - j);
            load_pivots(j, cols);
            subtract_columns(column(j) + row(), f_.order, cols, v);
        }
        if (is_rest_) {
            if (has_number()) {
                w_.rest[f_.rest_begin + first_ - f_.pivots + mine()] = v;
            }
            return;
        }
        triangle().solve_lower(s_.x, v);
        if (has_number()) {
            w_.pivot[f_.pivot_begin + first_ + mine()] = v;
        }
        publish(f_.found, strip + 1);
    }

    /// Solves with U': eight threads have a column.
    __device__ void up_by_u(int strip)
    {
        begin_strip(strip);
        if (has_number()) {
            s_.number[mine()] = assembled(first_ + mine());
        }
        const index_t rows = is_rest_ ? f_.pivots : first_;
        double sum[rounds] = {};
        for (index_t i = 0; i < rows; i += step_columns) {
            wait_for(f_.found, i / step_columns + 1);
            const int count = at_most_a_step(rows - i);
            load_pivots(i, count);
            add_products(i, count, sum);
        }
        subtract_sums(sum);
        if (is_rest_) {
            if (has_number()) {
                w_.rest[f_.rest_begin + first_ - f_.pivots + mine()] = s_.number[mine()];
            }
            return;
        }
        triangle().template solve_transposed<false>(s_.number);
        if (has_number()) {
            w_.pivot[f_.pivot_begin + first_ + mine()] = s_.number[mine()];
        }
        publish(f_.found, strip + 1);
    }

    /// Solves with U: each thread of the first group has a row.
    __device__ void down_by_u(int strip)
    {
        begin_strip(strip);
        double v = has_number() ? __ldcg(w_.pivot + f_.pivot_begin + first_ + mine()) : 0.0;
        for (const bool right : {false, true}) {
            const index_t begin = right ? f_.columns : f_.pivots, end = right ? f_.order : f_.columns;
            for (index_t j = begin; j < end; j += step_columns) {
                __syncthreads();
                const int cols = at_most_a_step(end - j);
                load_rest(j - f_.pivots, cols);
                subtract_columns(column(j) + row(), right ? f_.columns : f_.order, cols, v);
            }
        }
        for (int last = steps() - 1, s = last; s > strip; --s) {
            wait_for(f_.found + 1, last - s + 1);
            const index_t j = index_t{s} * step_columns;
            const int cols = at_most_a_step(f_.pivots - j);
            load_pivots(j, cols);
            subtract_columns(column(j) + row(), f_.order, cols, v);
        }
        triangle().solve_upper(s_.x, v);
        if (has_number()) {
            give(mine(), v);
        }
        publish(f_.found + 1, steps() - strip);
    }

    /// Solves with L': eight threads have a column.
    __device__ void down_by_l(int strip)
    {
        begin_strip(strip);
        if (has_number()) {
            s_.number[mine()] = __ldcg(w_.pivot + f_.pivot_begin + first_ + mine());
        }
        double sum[rounds] = {};
        for (index_t i = f_.pivots; i < f_.order; i += step_columns) {
            __syncthreads();
            const int count = at_most_a_step(f_.order - i);
            load_rest(i - f_.pivots, count);
            add_products(i, count, sum);
        }
        subtract_sums(sum);
        const index_t own = first_ / columns_of_stretch * columns_of_stretch;
        for (index_t i = (f_.pivots - 1) / columns_of_stretch * columns_of_stretch; i > own; i -= columns_of_stretch) {
            subtract_stretch(i, i + columns_of_stretch);
        }
        subtract_stretch(first_ + step_columns, own + columns_of_stretch);
        triangle().template solve_transposed<true>(s_.number);
        if (has_number()) {
            give(mine(), s_.number[mine()]);
        }
        publish(f_.found + 1, steps() - strip);
    }

private:
    static constexpr int slots = threads / sums_of_dot;  ///< columns at a time
    static constexpr int rounds = Rows / slots;          ///< turns that take all columns
    static_assert(Rows % slots == 0 && Rows % warp_threads == 0 && Rows <= step_columns);

    __device__ static int at_most_a_step(index_t count)
    {
        return static_cast<int>(count < step_columns ? count : step_columns);
    }

    /// The number of the strip that a thread works on. It belongs to a thread of the first group; others help with it.
    __device__ static int mine() { return static_cast<int>(threadIdx.x) % Rows; }
    __device__ static int group() { return static_cast<int>(threadIdx.x) / Rows; }
    __device__ bool has_number() const { return static_cast<int>(threadIdx.x) < count_; }

    /// A row of the strip to read, also for a thread that has none.
    __device__ index_t row() const { return first_ + (mine() < count_ ? mine() : count_ - 1); }

    __device__ void begin_strip(int strip)
    {
        is_rest_ = strip >= steps();
        first_ = is_rest_ ? f_.pivots + index_t{strip - steps()} * Rows : index_t{strip} * step_columns;
        const index_t left = (is_rest_ ? f_.order : f_.pivots) - first_;
        count_ = static_cast<int>(left < Rows ? left : Rows);
    }

    /// Where column j begins, of P or of R.
    __device__ const double* column(index_t j) const
    {
        return w_.values + f_.values +
               (j < f_.columns ? j * f_.order : f_.columns * f_.order + (j - f_.columns) * f_.columns);
    }

    /// Number i of the front before its pivots are found: the right-hand side, and what children leave.
    __device__ double assembled(index_t i) const
    {
        double sum = 0.0;
        if (i < f_.pivots) {
            const index_t k = f_.pivot_begin + i;
            sum = w_.x[w_.end.at[k]] * w_.end.factor[k];
        }
        const std::uint32_t* const begin = w_.places.source_begin + f_.pivot_begin + f_.rest_begin + i;
        for (std::uint32_t k = begin[0]; k < begin[1]; ++k) {
            sum = sum + w_.rest[w_.places.source[k]];
        }
        return sum;
    }

    /// Stores the last value of a pivot of the strip.
    __device__ void give(int i, double v) const
    {
        const index_t k = f_.pivot_begin + first_ + i;
        w_.pivot[k] = v;
        w_.x[w_.end.at[k]] = v * w_.end.factor[k];
    }

    /// All threads wait until other blocks, or this one, have found `count` steps.
    __device__ void wait_for(index_t counter, index_t count) const
    {
        if (waits_ && threadIdx.x == 0) {
            const volatile unsigned* const found = w_.counter + counter;
            while (*found < static_cast<unsigned>(count)) {
                __nanosleep(20);
            }
            __threadfence();
        }
        __syncthreads();
    }

    /// Subtracts the products of pivots begin, ..., end - 1 by L' from the numbers of the strip, once they are found.
    __device__ void subtract_stretch(index_t begin, index_t end)
    {
        end = end < f_.pivots ? end : f_.pivots;
        if (begin >= end) {
            return;
        }
        double sum[rounds] = {};
        wait_for(f_.found + 1, steps() - begin / step_columns);
        for (index_t i = begin; i < end; i += step_columns) {
            __syncthreads();
            const int count = at_most_a_step(end - i);
            load_pivots(i, count);
            add_products(i, count, sum);
        }
        subtract_sums(sum);
    }

    /// Shows the other blocks that `count` steps are found.
    __device__ void publish(index_t counter, int count) const
    {
        __syncthreads();
        if (waits_ && threadIdx.x == 0) {
            __threadfence();
            atomicExch(w_.counter + counter, static_cast<unsigned>(count));
        }
    }

    /// Loads the numbers of pivots i, ... past the cache of the multiprocessor, since they were found in this launch.
    __device__ void load_pivots(index_t i, int count)
    {
        for (int k = static_cast<int>(threadIdx.x); k < count; k += threads) {
            s_.x[k] = __ldcg(w_.pivot + f_.pivot_begin + i + k);
        }
        __syncthreads();
    }

    /// Loads numbers i, ... of the rest, which are pivots of fronts above.
    __device__ void load_rest(index_t i, int count)
    {
        for (int k = static_cast<int>(threadIdx.x); k < count; k += threads) {
            s_.x[k] = w_.pivot[w_.places.pivot[f_.rest_begin + i + k]];
        }
        __syncthreads();
    }

    /// v <- v - a_0 x_0 - a_1 x_1 - ..., in this order, in the first group. Each thread computes the products of some
    /// columns, and loads two times eight of their numbers ahead.
    __device__ void subtract_columns(const double* a, index_t ld, int cols, double& v)
    {
        constexpr int tile = Groups * columns_of_thread;
        double even[columns_of_thread], odd[columns_of_thread];
        load_columns(a, ld, 0, cols, even);
        load_columns(a, ld, tile, cols, odd);
        for (int j = 0; j < cols; j += 2 * tile) {
            subtract_tile(a, ld, j, cols, even, v);
            if (j + tile < cols) {
                subtract_tile(a, ld, j + tile, cols, odd, v);
            }
        }
    }

    __device__ static void load_columns(const double* a, index_t ld, int j, int cols, double* to)
    {
        const int begin = j + group() * columns_of_thread;
#pragma unroll
        for (int u = 0; u < columns_of_thread; ++u) {
            to[u] = begin + u < cols ? a[(begin + u) * ld] : 0.0;
        }
    }

    /// Subtracts the products of columns j, ..., whose numbers are loaded; then loads those of the tile after the next.
    __device__ void subtract_tile(const double* a, index_t ld, int j, int cols, double* held, double& v)
    {
        constexpr int tile = Groups * columns_of_thread;
        double product[columns_of_thread];
#pragma unroll
        for (int u = 0; u < columns_of_thread; ++u) {
            const int c = j + group() * columns_of_thread + u;
            product[u] = c < cols ? mul_rn(held[u], s_.x[c]) : 0.0;
        }
        load_columns(a, ld, j + 2 * tile, cols, held);
        if constexpr (Groups == 1) {
#pragma unroll
            for (int u = 0; u < columns_of_thread; ++u) {
                if (j + u < cols) {
                    v = v - product[u];
                }
            }
        } else {
#pragma unroll
            for (int u = 0; u < columns_of_thread; ++u) {
                s_.product[group() * columns_of_thread + u][mine()] = product[u];
            }
            __syncthreads();
            if (group() == 0) {
                const int count = cols - j < tile ? cols - j : tile;
                for (int u = 0; u < count; ++u) {
                    v = v - s_.product[u][mine()];
                }
            }
            __syncthreads();
        }
    }

    /// Adds rows i, ... to the sums of the strip's columns. `rows` is a multiple of eight, unless they are the last.
    __device__ void add_products(index_t i, int rows, double* sum) const
    {
        const int l = static_cast<int>(threadIdx.x) % sums_of_dot, full = rows / sums_of_dot * sums_of_dot;
#pragma unroll
        for (int k = 0; k < rounds; ++k) {
            const int c = static_cast<int>(threadIdx.x) / sums_of_dot + k * slots;
            if (c < count_) {
                const double* const a = column(first_ + c) + i;
#pragma unroll 16
                for (int r = l; r < full; r += sums_of_dot) {
                    sum[k] = sum[k] + mul_rn(a[r], s_.x[r]);
                }
                for (int r = full; r < rows && l == 0; ++r) {
                    sum[k] = sum[k] + mul_rn(a[r], s_.x[r]);
                }
            }
        }
    }

    /// Subtracts these sums from the numbers of the strip.
    __device__ void subtract_sums(const double* sum)
    {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < rounds; ++k) {
            const double all = sum_of_eight(sum[k]);
            const int c = static_cast<int>(threadIdx.x) / sums_of_dot + k * slots;
            if (c < count_ && threadIdx.x % sums_of_dot == 0) {
                s_.number[c] = s_.number[c] - all;
            }
        }
        __syncthreads();
    }

    /// The triangle of the strip's pivots, which are one step.
    __device__ step_triangle<Rows> triangle() const { return {column(first_) + first_, f_.order, count_, w_.divides}; }

    const fronts_at_work& w_;
    const placed_front& f_;
    memory& s_;
    bool waits_;
    bool is_rest_ = false;
    index_t first_ = 0;  ///< the first number of the strip
    int count_ = 0;      ///< how many numbers the strip has
};

}  // namespace residua::detail
