#include <residua/blas/rns/sum_state.hpp>

#include <algorithm>
#include <vector>

#include <residua/blas/base/executors.hpp>
#include <residua/blas/rns/operands.hpp>

namespace residua::blas {

rns_number detail::state_traits<rns>::load(const rns_format& format, const std::uint64_t* words)
{
    const auto exponent = static_cast<std::int64_t>(words[0]);
    const rns_tiles<true> head{nullptr, &exponent, words + 1, 0, 0};
    rns_scalar sum = rns_zero<rns_most_moduli>();
    static_cast<rns_head&>(sum) = residua::detail::load_head(head, 0);
    for (int k = 0; k < format.count(); ++k) {
        sum.digit[k] = static_cast<std::uint32_t>(words[2 + k / 2] >> (32 * (k % 2)));
    }
    return {format, sum};
}

void detail::state_traits<rns>::store(const rns_number& sum, std::uint64_t* words)
{
    const rns_scalar& value = sum.value();
    const bool has_residues = !is_zero(value) && residua::is_finite(value);
    std::int64_t exponent = 0;
    residua::detail::store_head({nullptr, &exponent, words + 1, 0, 0}, 0, value);
    words[0] = static_cast<std::uint64_t>(exponent);
    std::fill(words + 2, words + state_traits<rns>::words(sum.format()), 0);
    for (int k = 0; has_residues && k < sum.format().count(); ++k) {
        words[2 + k / 2] |= std::uint64_t{value.digit[k]} << (32 * (k % 2));
    }
}

void detail::state_traits<rns>::merge(const rns_format& format, std::uint64_t* left, const std::uint64_t* right)
{
    store(load(format, left) + load(format, right), left);
}

rns_number detail::state_traits<rns>::rounded(const rns_format& format, const sum_nodes& nodes)
{
    const auto add = [&](std::uint64_t* left, const std::uint64_t* right) { merge(format, left, right); };
    return load(format, nodes.total(add).data());
}

template <class Exec>
sum_state<rns> dot_state(const Exec& exec, in_vector<Exec, rns> x, in_vector<Exec, rns> y, const part_of_sum& part)
{
    using traits = detail::state_traits<rns>;
    require_equal("dot_state", "sizes of x and y", x.size, y.size);
    require_formats("dot_state", x, y);
    sum_state<rns> state("dot_state", x.format, part, x.size);
    const index_t first = part.first / reduction_block;
    const index_t blocks = (x.size + reduction_block - 1) / reduction_block;
    std::vector<std::uint64_t> words(static_cast<std::size_t>(traits::words(x.format)));
    detail::for_each_node(first, first + blocks, [&](index_t b, index_t count) {
        const index_t begin = (b - first) * reduction_block;
        const index_t end = std::min(begin + count * reduction_block, x.size);
        const rns_number sum = detail::reduce_vectors<Exec>(exec, detail::reduction::products, x.part(begin, end),
                                                            y.part(begin, end), detail::long_sum(part.n));
        traits::store(sum, words.data());
        state.push(b, count, words.data());
    });
    return state;
}

#define RESIDUA_INSTANTIATE(Exec) \
    template sum_state<rns> dot_state(const Exec&, in_vector<Exec, rns>, in_vector<Exec, rns>, const part_of_sum&);
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
