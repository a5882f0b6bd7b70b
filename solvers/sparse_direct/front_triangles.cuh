#pragma once

#include <residua/arith/base/eft.hpp>
#include <residua/io/error.hpp>

/// Triangles of the pivots of one step, in a block of threads. Each number is computed in the order that solve_triangle of
/// binary64_columns.hpp has for it.
namespace residua::detail {

inline constexpr int warp_threads = 32;
inline constexpr unsigned whole_warp = 0xffffffffu;
inline constexpr int sums_of_dot = 8;  // as subtract_transposed has them

/// ((s_0 + s_4) + (s_1 + s_5)) + ((s_2 + s_6) + (s_3 + s_7)), in each of eight threads. The whole warp calls it.
__device__ inline double sum_of_eight(double s)
{
    s = s + __shfl_xor_sync(whole_warp, s, 4);
    s = s + __shfl_xor_sync(whole_warp, s, 1);
    return s + __shfl_xor_sync(whole_warp, s, 2);
}

/// The triangle of the first `count` rows and columns of T, at most `Rows`, whose columns are ld numbers apart. All threads
/// of a block call its functions; the first `Rows` of them have a row each.
template <int Rows>
class step_triangle {
public:
    const double* t;
    index_t ld;
    int count;
    bool divides;  ///< whether to divide by the diagonal; otherwise it is ones

    /// v <- inverse(T) v, T lower, column by column. A warp finds the numbers of 32 columns, then the rows below take
    /// their products. The numbers are handed over in x (Rows).
    __device__ void solve_lower(double* x, double& v) const
    {
        const int i = static_cast<int>(threadIdx.x), lane = i % warp_threads;
        __syncthreads();
        for (int q = 0; q < count; q += warp_threads) {
            const int n = size_of_tile(q);
            const bool takes_part = i >= q && i < count;
            double a[warp_threads];
#pragma unroll
            for (int u = 0; u < warp_threads; ++u) {
                a[u] = takes_part && u < n && q + u <= i ? t[(q + u) * ld + i] : 1.0;
            }
            if (i / warp_threads == q / warp_threads) {
#pragma unroll
                for (int u = 0; u < warp_threads; ++u) {
                    if (u < n) {
                        const double found = __shfl_sync(whole_warp, divides ? v / a[u] : v, u);
                        v = lane == u ? found : lane > u ? v - mul_rn(a[u], found) : v;
                    }
                }
                x[i] = v;
            }
            __syncthreads();
            if (takes_part && i >= q + warp_threads) {
#pragma unroll
                for (int u = 0; u < warp_threads; ++u) {
                    v = v - mul_rn(a[u], x[q + u]);
                }
            }
        }
    }

    /// v <- inverse(T) v, T upper, column by column, the last one first.
    __device__ void solve_upper(double* x, double& v) const
    {
        const int i = static_cast<int>(threadIdx.x), lane = i % warp_threads;
        __syncthreads();
        for (int q = (count - 1) / warp_threads * warp_threads; q >= 0; q -= warp_threads) {
            const int n = size_of_tile(q);
            const bool takes_part = i < q + n;
            double a[warp_threads];
#pragma unroll
            for (int u = 0; u < warp_threads; ++u) {
                a[u] = takes_part && u < n && q + u >= i ? t[(q + u) * ld + i] : 1.0;
            }
            if (i / warp_threads == q / warp_threads) {
#pragma unroll
                for (int u = warp_threads - 1; u >= 0; --u) {
                    if (u < n) {
                        const double found = __shfl_sync(whole_warp, divides ? v / a[u] : v, u);
                        v = lane == u ? found : lane < u ? v - mul_rn(a[u], found) : v;
                    }
                }
                x[i] = v;
            }
            __syncthreads();
            if (i < q) {
#pragma unroll
                for (int u = warp_threads - 1; u >= 0; --u) {
                    if (u < n) {
                        v = v - mul_rn(a[u], x[q + u]);
                    }
                }
            }
        }
    }

    /// x <- inverse(T') x, T its lower or upper triangle: four columns at a time, by the first warp.
    template <bool Lower>
    __device__ void solve_transposed(double* x) const
    {
        __syncthreads();
        if (threadIdx.x < warp_threads) {
            four_columns held = load_four<Lower>(0);
            for (int done = 0, after = 0; done < count; done = after) {
                after = done + size_of_four<Lower>(done);
                const four_columns next = load_four<Lower>(after < count ? after : done);
                solve_four<Lower>(done, held, x);
                held = next;
            }
        }
        __syncthreads();
    }

private:
    /// Four columns, each of which eight threads hold.
    struct four_columns {
        double a[Rows / sums_of_dot];  ///< rows outside the four
        double tail;                   ///< a row that the first sum takes
        double own[4];                 ///< the rows of the four
    };

    __device__ int size_of_tile(int q) const { return count - q < warp_threads ? count - q : warp_threads; }

    /// Where the four columns after `done` begin: columns ascend in an upper triangle, and descend in a lower one. At
    /// the end of the triangle there may be fewer.
    template <bool Lower>
    __device__ int begin_of_four(int done) const
    {
        return Lower ? (count - done - 1) / 4 * 4 : done;
    }
    template <bool Lower>
    __device__ int size_of_four(int done) const
    {
        return Lower ? count - done - begin_of_four<true>(done) : (count - done < 4 ? count - done : 4);
    }

    template <bool Lower>
    __device__ four_columns load_four(int done) const
    {
        const int begin = begin_of_four<Lower>(done), size = size_of_four<Lower>(done);
        const int c = static_cast<int>(threadIdx.x) / sums_of_dot, l = static_cast<int>(threadIdx.x) % sums_of_dot;
        const int full = done / sums_of_dot * sums_of_dot;
        const double* const own = t + (begin + (c < size ? c : 0)) * ld;
        const double* const a = own + (Lower ? begin + size : 0);
        four_columns held;
#pragma unroll
        for (int u = 0; u < Rows / sums_of_dot; ++u) {
            held.a[u] = u * sums_of_dot < full ? a[u * sums_of_dot + l] : 0.0;
        }
        held.tail = full + l < done ? a[full + l] : 0.0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            held.own[k] = k < size ? own[begin + k] : 1.0;
        }
        return held;
    }

    template <bool Lower>
    __device__ void solve_four(int done, const four_columns& held, double* x) const
    {
        const int begin = begin_of_four<Lower>(done), size = size_of_four<Lower>(done);
        const int c = static_cast<int>(threadIdx.x) / sums_of_dot, l = static_cast<int>(threadIdx.x) % sums_of_dot;
        const int full = done / sums_of_dot * sums_of_dot;
        const double* const found = x + (Lower ? begin + size : 0);
        double sum = 0.0;
#pragma unroll
        for (int u = 0; u < Rows / sums_of_dot; ++u) {
            if (u * sums_of_dot < full) {
                sum = sum + mul_rn(held.a[u], found[u * sums_of_dot + l]);
            }
        }
        const double product = full + l < done ? mul_rn(held.tail, found[full + l]) : 0.0;
        for (int k = 0; k < done - full; ++k) {
            const double of_row = __shfl_sync(whole_warp, product, c * sums_of_dot + k);
            sum = l == 0 ? sum + of_row : sum;
        }
        const double all = sum_of_eight(sum);
        double v = c < size ? x[begin + c] - all : 0.0;
#pragma unroll
        for (int turn = 0; turn < 4; ++turn) {
            const int k = Lower ? 3 - turn : turn;
            if (k < size) {
                const double x_k = __shfl_sync(whole_warp, divides ? v / held.own[k] : v, k * sums_of_dot);
                const bool later = Lower ? c < k : c > k;
                v = c == k ? x_k : later ? v - mul_rn(held.own[k], x_k) : v;
            }
        }
        __syncwarp();
        if (c < size && l == 0) {
            x[begin + c] = v;
        }
        __syncwarp();
    }
};

}  // namespace residua::detail
