#include <residua/blas/rns/run.hpp>

#include <residua/blas/rns/launch.cuh>

namespace residua::blas::detail {

template <class F>
void run(const cuda_executor& exec, const rns_format& format, index_t n, const F& f, double)
{
    if (n == 0) {
        return;  // an empty grid is a launch error
    }
    const device_guard current(exec);
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

constexpr int merge_block = 256;

/// Levels `first`, 2 first, ... of merging for one result, over `span` partials that lie `first` apart: a block each.
template <int Threads>
__global__ void __launch_bounds__(merge_block)
    merge_kernel(const rns_set<rns_most_moduli>* set, index_t chunks, index_t first, index_t span, merge_element f)
{
    const rns_lanes<Threads> lanes(set, static_cast<int>(threadIdx.x));
    const auto [part, result] = divide(blockIdx.x, f.results);
    const index_t begin = part * first * span;
    const index_t end = begin + first * span < chunks ? begin + first * span : chunks;
    for (index_t distance = first; distance < first * span && begin + distance < end; distance *= 2) {
        f.distance = distance;
        for (index_t c = begin + threadIdx.x / Threads * 2 * distance; c + distance < end;
             c += merge_block / Threads * 2 * distance) {
            f(lanes, c / (2 * distance) * f.results + result);
        }
        __syncthreads();
    }
}

/// Host memory that every device can write to.
class result_box {
public:
    result_box() = default;
    result_box(const result_box&) = delete;
    result_box& operator=(const result_box&) = delete;
    ~result_box() { (void)cudaFreeHost(memory_); }

    rns_scalar* get()
    {
        if (memory_ == nullptr) {
            require_cuda("memory for results", cudaHostAlloc(&memory_, sizeof(rns_scalar), cudaHostAllocPortable));
            *memory_ = rns_zero<rns_most_moduli>();
        }
        return memory_;
    }

private:
    rns_scalar* memory_ = nullptr;
};

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
    const device_guard current(exec);
    static thread_local result_box box;
    rns_scalar* const mailbox = box.get();
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
    const device_guard current(exec);
    with_threads(least_threads(format), [&]<int Threads>() {
        constexpr index_t span = 2 * merge_block / Threads;
        for (index_t first = 1; first < chunks; first *= span) {
            const index_t parts = (chunks + first * span - 1) / (first * span);
            merge_kernel<Threads><<<static_cast<unsigned>(results * parts), merge_block, 0, exec.stream>>>(
                on_device(exec, format), chunks, first, span, merge_element{kind, results, 1, partial});
            require_cuda("RNS merge", cudaGetLastError());
        }
    });
}

template void run(const cuda_executor&, const rns_format&, index_t, const combine_element&, double);
template void run(const cuda_executor&, const rns_format&, index_t, const reduce_element&, double);
template void run(const cuda_executor&, const rns_format&, index_t, const spmv_element<true>&, double);
template void run(const cuda_executor&, const rns_format&, index_t, const spmv_element<false>&, double);

}  // namespace residua::blas::detail
