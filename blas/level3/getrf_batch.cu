#include <residua/blas/level3/getrf_batch.hpp>

#include <algorithm>
#include <string>

#include <residua/blas/base/launch.cuh>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level3/batch_team.cuh>

namespace residua::blas {
namespace {

using detail::all_lanes;
using detail::power_from;
using detail::team_shape;
using detail::warp;

/// A team with enough threads to keep a multiprocessor busy with the systems that its shared memory holds.
template <class T>
team_shape shape_of(int n)
{
    constexpr int terms = number_traits<T>::terms;
    team_shape shape = detail::rows_of_team(n);
    shape.columns = std::min(power_from((n * n * terms + warp * shape.rows - 1) / (warp * shape.rows)),
                             detail::most_threads / shape.rows);
    shape.systems = shape.threads() > warp ? 1 : detail::block_threads / shape.threads();
    shape.ld = n | 1;
    const int words = (shape.ld * n + n) * terms;
    shape.words = words + ((shape.rows - words) % 16 + 16) % 16;  // neighbours in a warp begin in different banks
    return shape;
}

/// Numbers in shared memory, in planes.
template <class T>
struct shared_numbers {
    double* word;
    int plane;

    __device__ T load(int e) const
    {
        T x;
        residua::detail::unroll<number_traits<T>::terms>([&](int k) { term(x, k) = word[k * plane + e]; });
        return x;
    }
    __device__ void store(int e, const T& x) const
    {
        residua::detail::unroll<number_traits<T>::terms>([&](int k) { word[k * plane + e] = term(x, k); });
    }
    __device__ double first(int e) const { return word[e]; }
};

__device__ void wait_for_team(const team_shape& shape)
{
    if (shape.threads() > warp) {
        __syncthreads();
    } else {
        __syncwarp();
    }
}

/// A system as one thread of its team sees it.
template <class T>
struct system_in_team {
    team_shape shape;
    int n;
    int row;    ///< the first row of the thread, from 0
    int group;  ///< the group that takes its columns
    shared_numbers<T> a;
    shared_numbers<T> minus;  ///< the negative of the pivot row

    __device__ int at(int i, int j) const { return j * shape.ld + i; }

    /// Whether row q is a better pivot than row p in column k; -1 is no row.
    __device__ bool is_better(int p, double size_p, int q, double size_q, int k) const
    {
        if (q < 0 || p == q) {
            return false;
        }
        if (p < 0) {
            return true;
        }
        if constexpr (number_traits<T>::terms > 1) {
            const auto size = detail::compare_sizes<T>(size_q, size_p);
            if (size == detail::first_terms::near) {
                const T x = abs(a.load(at(p, k)));
                const T y = abs(a.load(at(q, k)));
                return x < y || (q < p && !(y < x));
            }
            return size == detail::first_terms::larger;
        } else {
            return size_p < size_q || (size_p == size_q && q < p);
        }
    }

    /// The row of the pivot of column k, the same in all threads. A NaN is one only where it lies in row k.
    __device__ int find_pivot(int k) const
    {
        int place = -1;
        double largest = 0.0;
        for (int i = row; i < n; i += shape.rows) {
            const double size = fabs(a.first(at(i, k)));
            if (i >= k && !isnan(size) && is_better(place, largest, i, size, k)) {
                place = i;
                largest = size;
            }
        }
        for (int step = shape.rows / 2; step > 0; step /= 2) {
            const int other = __shfl_xor_sync(all_lanes, place, step);
            const double size = __shfl_xor_sync(all_lanes, largest, step);
            if (is_better(place, largest, other, size, k)) {
                place = other;
                largest = size;
            }
        }
        return isnan(a.first(at(k, k))) ? k : place;
    }

    /// Rows k and p change places; minus <- -u_k
    __device__ void swap_rows(int k, int p) const
    {
        for (int j = group * shape.rows + row; j < n; j += shape.threads()) {
            T x = a.load(at(k, j));
            if (p != k) {
                const T y = a.load(at(p, j));
                a.store(at(p, j), x);
                a.store(at(k, j), y);
                x = y;
            }
            if (j > k) {
                minus.store(j, T{-1.0} * x);
            }
        }
    }

    __device__ void scale_column(int k) const
    {
        if (group == 0) {
            const T factor = T{1.0} / a.load(at(k, k));
            for (int i = row; i < n; i += shape.rows) {
                if (i > k) {
                    a.store(at(i, k), detail::scal_element(factor, a.load(at(i, k))));
                }
            }
        }
    }

    __device__ void update(int k) const
    {
        for (int i = row; i < n; i += shape.rows) {
            if (i > k) {
                const T below = a.load(at(i, k));
                for (int j = k + 1 + group; j < n; j += shape.columns) {
                    a.store(at(i, j), detail::axpy_element(minus.load(j), below, a.load(at(i, j))));
                }
            }
        }
    }
};

template <class T>
__global__ void __launch_bounds__(detail::most_threads)
    getrf_kernel(matrix_batch_view<cuda_executor, T> a, std::int32_t* pivots, std::int32_t* info, team_shape shape)
{
    extern __shared__ double words_of_block[];
    detail::wait_and_trigger();
    const int n = static_cast<int>(a.n);
    const int team = static_cast<int>(threadIdx.x) / shape.threads();
    const int me = static_cast<int>(threadIdx.x) % shape.threads();
    const index_t own = index_t{blockIdx.x} * shape.systems + team;
    const bool is_there = own < a.count;
    const index_t s = is_there ? own : a.count - 1;  // a team without a system repeats the last, and writes nothing
    double* const words = words_of_block + team * shape.words;
    const int plane = shape.ld * n;
    const system_in_team<T> system{
        shape, n, me % shape.rows, me / shape.rows, {words, plane}, {words + plane * number_traits<T>::terms, n}};

    for (int j = system.group; j < n; j += shape.columns) {
        const auto column = a.column(s, j);
        for (int i = system.row; i < n; i += shape.rows) {
            system.a.store(system.at(i, j), column.load(i));
        }
    }
    wait_for_team(shape);
    std::int32_t failed = 0;
    for (int k = 0; k < n; ++k) {
        const int p = system.find_pivot(k);
        wait_for_team(shape);
        system.swap_rows(k, p);
        wait_for_team(shape);
        if (me == 0 && is_there) {
            const double size = fabs(system.a.first(system.at(k, k)));
            failed = failed == 0 && !(size > 0.0 && isfinite(size)) ? k + 1 : failed;
            pivots[s * n + k] = p + 1;
        }
        system.scale_column(k);
        wait_for_team(shape);
        system.update(k);
        wait_for_team(shape);
    }
    for (int j = system.group; j < n && is_there; j += shape.columns) {
        const auto column = a.column(s, j);
        for (int i = system.row; i < n; i += shape.rows) {
            column.store(i, system.a.load(system.at(i, j)));
        }
    }
    if (me == 0 && is_there) {
        info[s] = failed;
    }
}

/// Allows the kernel to use `bytes` bytes of shared memory.
///
/// throws  unsupported_error if a block of this device has less
void allow_shared(const cuda_executor& exec, const void* kernel, index_t n, std::string_view format, int bytes)
{
    int most = 0;
    require_cuda("getrf_batch", cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, exec.device));
    if (bytes > most) {
        throw unsupported_error("getrf_batch: a system of order " + std::to_string(n) + " in " + std::string(format) +
                                " needs " + std::to_string(bytes) + " bytes of shared memory, and the device has " +
                                std::to_string(most));
    }
    detail::allow_shared_memory(exec, "getrf_batch", kernel, bytes);
}

}  // namespace

template <number T>
void getrf_batch(const cuda_executor& exec, matrix_batch_view<cuda_executor, T> a, std::span<std::int32_t> pivots,
                 std::span<std::int32_t> info)
{
    detail::require_factors("getrf_batch", a, pivots.size(), info.size());
    if (a.count == 0) {
        return;
    }
    const device_guard current(exec);
    const team_shape shape = shape_of<T>(static_cast<int>(a.n));
    const unsigned blocks = detail::blocks_for_teams("getrf_batch", a.count, shape.systems);
    const int bytes = shape.systems * shape.words * static_cast<int>(sizeof(double));
    allow_shared(exec, reinterpret_cast<const void*>(getrf_kernel<T>), a.n, number_traits<T>::name, bytes);
    const auto threads = static_cast<unsigned>(shape.systems * shape.threads());
    getrf_kernel<T>
        <<<blocks, threads, static_cast<std::size_t>(bytes), exec.stream>>>(a, pivots.data(), info.data(), shape);
    require_cuda("getrf_batch", cudaGetLastError());
}

#define RESIDUA_INSTANTIATE(...)                                                                                \
    template void getrf_batch<__VA_ARGS__>(const cuda_executor&, matrix_batch_view<cuda_executor, __VA_ARGS__>, \
                                           std::span<std::int32_t>, std::span<std::int32_t>);
RESIDUA_FOR_EACH_BATCH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
