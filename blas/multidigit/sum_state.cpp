#include <residua/blas/multidigit/sum_state.hpp>

#include <residua/blas/base/executors.hpp>

namespace residua::blas {

multidigit_number detail::state_traits<multidigit>::rounded(const multidigit_format& format, const sum_nodes& nodes)
{
    return rounded_blocks(format, nodes.count(), nodes.sum(0));
}

template <class Exec>
sum_state<multidigit> dot_state(const Exec& exec, in_vector<Exec, multidigit> x, in_vector<Exec, multidigit> y,
                                const part_of_sum& part)
{
    require_equal("dot_state", "sizes of x and y", x.size, y.size);
    require_formats("dot_state", x, y);
    sum_state<multidigit> state("dot_state", x.format, part, x.size);
    if (x.size == 0) {
        return state;
    }
    const index_t length = block_of_sum<multidigit>(part.n);
    const index_t blocks = (x.size + length - 1) / length;
    const index_t words = detail::words_of_sum(x.format);
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(blocks * words));
    detail::sum_blocks(exec, "dot_state", x.format, length, x.size,
                       {{x.start, x.stride}, 0, {y.start, y.stride}, false}, sums.data());
    for (index_t b = 0; b < blocks; ++b) {
        state.push(part.first / length + b, 1, sums.data() + b * words);
    }
    return state;
}

#define RESIDUA_INSTANTIATE(Exec)                                                                                   \
    template sum_state<multidigit> dot_state(const Exec&, in_vector<Exec, multidigit>, in_vector<Exec, multidigit>, \
                                             const part_of_sum&);
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
