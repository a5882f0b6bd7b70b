#include <residua/blas/level1/sum_state.hpp>

#include <algorithm>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level1/dot.hpp>

namespace residua::blas {

template <number T>
sum_state<T> dot_state(const host_executor&, in_vector<host_executor, T> x, in_vector<host_executor, T> y,
                       const part_of_sum& part)
{
    using traits = detail::state_traits<T>;
    require_equal("dot_state", "sizes of x and y", x.size, y.size);
    sum_state<T> state("dot_state", {}, part, x.size);
    const index_t first = part.first / reduction_block;
    const index_t blocks = (x.size + reduction_block - 1) / reduction_block;
    detail::for_each_node(first, first + blocks, [&](index_t b, index_t count) {
        const index_t begin = (b - first) * reduction_block;
        const index_t size = std::min(count * reduction_block, x.size - begin);
        const auto of_node = [&](const vector_view<host_executor, const T>& v) { return v.part(begin, begin + size); };
        const double operations = detail::multiply_add_operations<T> * static_cast<double>(size);
        std::uint64_t sum[traits::sum_type::words];
        traits::store(detail::ordered_dot<T>(of_node(x), of_node(y), operations), sum);
        state.push(b, count, sum);
    });
    return state;
}

#define RESIDUA_INSTANTIATE(...)                                                                           \
    template sum_state<__VA_ARGS__> dot_state(const host_executor&, in_vector<host_executor, __VA_ARGS__>, \
                                              in_vector<host_executor, __VA_ARGS__>, const part_of_sum&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
