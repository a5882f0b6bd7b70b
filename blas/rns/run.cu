#include <residua/blas/rns/run.hpp>

#include <residua/blas/rns/launch.cuh>

namespace residua::blas::detail {

template <class F>
void run(const cuda_executor& exec, const rns_format& format, index_t n, const F& f, double)
{
    if (n == 0) {
        return;  // an empty grid is a launch error
    }
    const rns_launch how = choose_launch(format);
    if (how.threads > 1) {
        with_threads(how.threads, [&]<int Threads>() { launch_shared<Threads>(exec, format, how.block, n, f); });
    } else if (format.count() <= residues_each) {
        launch_alone<residues_each>(exec, format, how.block, n, f);
    } else {
        launch_alone<residues_alone>(exec, format, how.block, n, f);
    }
}

namespace {

/// All levels of merging for one result, from `distance` on, by one block.
template <int Threads>
__global__ void __launch_bounds__(256) merge_kernel(const rns_set<rns_most_moduli>* set, index_t chunks, index_t distance,
                                                    merge_element f)
{
    const rns_lanes<Threads> lanes(set, static_cast<int>(threadIdx.x));
    for (; distance < chunks; distance *= 2) {
        const index_t pairs = (chunks + distance - 1) / (2 * distance);
        f.distance = distance;
        for (index_t p = threadIdx.x / Threads; p < pairs; p += blockDim.x / Threads) {
            f(lanes, p * f.results + blockIdx.x);
        }
        __syncthreads();
    }
}

__global__ void take_kernel(int count, rns_planes<true> a, index_t i, rns_scalar* to)
{
    const int k = static_cast<int>(threadIdx.x);
    if (k < count) {
        to->digit[k] = a.digit[k * a.plane + i];
    }
    if (k == 0) {
        static_cast<rns_head&>(*to) = residua::detail::load_head(a, i);
    }
}

}  // namespace

rns_number take(const cuda_executor& exec, const rns_format& format, rns_planes<true> a, index_t i)
{
    // The kernel writes into the host's memory: one wait, no copies.
    static thread_local rns_scalar* mailbox = nullptr;
    if (mailbox == nullptr) {
        require_cuda("memory for results", cudaMallocHost(&mailbox, sizeof(rns_scalar)));
        *mailbox = rns_zero<rns_most_moduli>();
    }
    take_kernel<<<1, 128, 0, exec.stream>>>(format.count(), a, i, mailbox);
    require_cuda("reading a result", cudaGetLastError());
    synchronize(exec);
    rns_scalar value = *mailbox;
    for (int k = format.count(); k < rns_most_moduli; ++k) {
        value.digit[k] = 0;
    }
    return {format, value};
}

void merge(const cuda_executor& exec, const rns_format& format, reduction kind, index_t results, index_t chunks,
           rns_planes<false> partial)
{
    if (results == 0) {
        return;
    }
    // Levels of many pairs by all blocks of the device, the others by one block a result.
    const int threads = least_threads(format);
    constexpr int block = 256;
    merge_element f{kind, results, 1, partial};
    index_t distance = 1;
    for (; distance < chunks && (chunks + distance - 1) / (2 * distance) > 2 * block / threads; distance *= 2) {
        f.distance = distance;
        run(exec, format, results * ((chunks + distance - 1) / (2 * distance)), f);
    }
    if (distance < chunks) {
        with_threads(threads, [&]<int Threads>() {
            merge_kernel<Threads><<<static_cast<unsigned>(results), block, 0, exec.stream>>>(
                on_device(exec, format), chunks, distance, f);
            require_cuda("RNS merge", cudaGetLastError());
        });
    }
}

template void run(const cuda_executor&, const rns_format&, index_t, const combine_element&, double);
template void run(const cuda_executor&, const rns_format&, index_t, const reduce_element&, double);
template void run(const cuda_executor&, const rns_format&, index_t, const spmv_element<true>&, double);
template void run(const cuda_executor&, const rns_format&, index_t, const spmv_element<false>&, double);

}  // namespace residua::blas::detail
