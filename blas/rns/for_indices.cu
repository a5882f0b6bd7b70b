#include <residua/blas/rns/for_indices.hpp>

#include <residua/blas/rns/launch.cuh>

namespace residua::blas::detail {

template <class F>
void for_indices(const cuda_executor& exec, const rns_format& format, index_t n, const F& f, double)
{
    if (n == 0) {
        return;  // an empty grid is a launch error
    }
    const device_guard current(exec);
    const int block = choose_block(format);
    if (format.count() <= residues_each) {
        launch_alone<residues_each>(exec, format, block, n, f);
    } else if (format.count() <= residues_alone) {
        launch_alone<residues_alone>(exec, format, block, n, f);
    } else {
        with_threads(format, [&]<int Threads>() { launch_shared<Threads>(exec, format, block, n, f); });
    }
}

namespace {

constexpr int merge_block = 256;

/// Merges levels `first`, 2 first, ... of `span` partials that lie `first` apart; a block merges `each` results.
template <int Threads>
__global__ void __launch_bounds__(merge_block) merge_kernel(const rns_set<rns_most_moduli>* set, index_t chunks,
                                                            index_t first, index_t span, index_t each, merge_element f)
{
    const rns_lanes<Threads> lanes(set, static_cast<int>(threadIdx.x));
    const auto [part, group] = divide(blockIdx.x, (f.results + each - 1) / each);
    const index_t begin = part * first * span;
    const index_t length = (begin + first * span < chunks ? begin + first * span : chunks) - begin;
    const index_t left = f.results - group * each;
    const index_t results = left < each ? left : each;
    for (index_t distance = first; distance < first * span && distance < length; distance *= 2) {
        f.distance = distance;
        const index_t pairs = divide(length + distance - 1, 2 * distance).quotient;
        const index_t earlier = divide(begin, 2 * distance).quotient;
        for (index_t w = threadIdx.x / Threads; w < pairs * results; w += merge_block / Threads) {
            const auto [pair, result] = divide(w, results);
            f(lanes, (earlier + pair) * f.results + group * each + result);
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

__global__ void fetch_kernel(int count, rns_tiles<true> a, index_t i, rns_scalar* to)
{
    const int k = static_cast<int>(threadIdx.x);
    if (k < count) {
        to->digit[k] = a.digit[residua::detail::digit_at(a.first + i, k, count, a.tile_bits)];
    }
    if (k == 0) {
        static_cast<rns_head&>(*to) = residua::detail::load_head(a, i);
    }
}

}  // namespace

rns_number fetched_number(const cuda_executor& exec, const rns_format& format, rns_tiles<true> a, index_t i)
{
    // The kernel writes into the host's memory: one wait, no copies.
    const device_guard current(exec);
    static thread_local result_box box;
    rns_scalar* const mailbox = box.get();
    fetch_kernel<<<1, 128, 0, exec.stream>>>(format.count(), a, i, mailbox);
    require_cuda("reading a result", cudaGetLastError());
    synchronize(exec);
    rns_scalar value = *mailbox;
    for (int k = format.count(); k < rns_most_moduli; ++k) {
        value.digit[k] = 0;
    }
    return {format, value};
}

void merge(const cuda_executor& exec, const rns_format& format, reduction kind, index_t results, index_t chunks,
           rns_tiles<false> partial)
{
    if (results == 0) {
        return;
    }
    const device_guard current(exec);
    with_threads(format, [&]<int Threads>() {
        constexpr index_t span = 2 * merge_block / Threads;
        const index_t each = chunks < span ? span / chunks : 1;
        for (index_t first = 1; first < chunks; first *= span) {
            const index_t parts = (chunks + first * span - 1) / (first * span);
            const auto blocks = static_cast<unsigned>((results + each - 1) / each * parts);
            merge_kernel<Threads><<<blocks, merge_block, 0, exec.stream>>>(
                on_device(exec, format), chunks, first, span, each, merge_element{kind, results, 1, partial});
            require_cuda("RNS merge", cudaGetLastError());
        }
    });
}

template void for_indices(const cuda_executor&, const rns_format&, index_t, const combine_element&, double);
template void for_indices(const cuda_executor&, const rns_format&, index_t, const solve_column_element&, double);
template void for_indices(const cuda_executor&, const rns_format&, index_t, const to_binary64_element&, double);
template void for_indices(const cuda_executor&, const rns_format&, index_t, const from_binary64_element&, double);
template void for_indices(const cuda_executor&, const rns_format&, index_t, const reduce_element&, double);
template void for_indices(const cuda_executor&, const rns_format&, index_t, const spmv_element<true>&, double);
template void for_indices(const cuda_executor&, const rns_format&, index_t, const spmv_element<false>&, double);

}  // namespace residua::blas::detail
