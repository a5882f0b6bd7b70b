#include <residua/blas/level1/sum_state.hpp>

#include <cstddef>
#include <limits>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/mapped_memory.cuh>
#include <residua/blas/level1/reduce.cuh>

namespace residua::blas {

template <number T>
sum_state<T> dot_state(const cuda_executor& exec, in_vector<cuda_executor, T> x, in_vector<cuda_executor, T> y,
                       const part_of_sum& part)
{
    using traits = detail::state_traits<T>;
    using sum_type = typename traits::sum_type;
    constexpr index_t words = sum_type::words;
    require_equal("dot_state", "sizes of x and y", x.size, y.size);
    sum_state<T> state("dot_state", {}, part, x.size);
    const index_t first = part.first / reduction_block;
    const index_t last = first + (x.size + reduction_block - 1) / reduction_block;
    if (first == last) {
        return state;
    }
    constexpr index_t most = detail::most_nodes(std::numeric_limits<index_t>::max() / reduction_block) * words;
    static thread_local detail::mapped_memory<double> box;  // kernels write the sums of nodes where the host reads them
    const device_guard current(exec);
    double* const sums = box.get(static_cast<std::size_t>(most));
    double* to = sums;
    detail::for_each_node(first, last, [&](index_t b, index_t blocks) {
        const index_t begin = (b - first) * reduction_block;
        const index_t end = begin + blocks * reduction_block;
        const auto of_node = [&](const vector_view<cuda_executor, const T>& v) {
            return v.part(begin, end < v.size ? end : v.size);
        };
        const vector_view<cuda_executor, const T> xs = of_node(x);
        const vector_view<cuda_executor, const T> ys = of_node(y);
        detail::sum_in_order<T, sum_type>(exec, "dot_state", xs.size, detail::add_products{},
                                          scalar_place<sum_type>{to}, xs, ys);
        to += words;
    });
    synchronize(exec);
    const double* from = sums;
    detail::for_each_node(first, last, [&](index_t b, index_t blocks) {
        std::uint64_t sum[words];
        for (std::uint64_t& word : sum) {
            word = std::bit_cast<std::uint64_t>(*from++);
        }
        state.push(b, blocks, sum);
    });
    return state;
}

#define RESIDUA_INSTANTIATE(...)                                                                           \
    template sum_state<__VA_ARGS__> dot_state(const cuda_executor&, in_vector<cuda_executor, __VA_ARGS__>, \
                                              in_vector<cuda_executor, __VA_ARGS__>, const part_of_sum&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
