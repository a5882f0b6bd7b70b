#include <residua/blas/rns/for_indices.hpp>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/simd.hpp>

namespace residua::blas::detail {

template <class F>
void for_indices(const host_executor&, const rns_format& format, index_t n, const F& f, double multiply_adds)
{
    const auto& set = format.set();
    parallel_ranges(n, 1, array_traits<rns>::operations(format) * multiply_adds * static_cast<double>(n),
                    [&](index_t begin, index_t end) {
                        run_scalar([&]() __attribute__((always_inline)) {
                            for (index_t i = begin; i < end; ++i) {
                                f(set, i);
                            }
                        });
                    });
}

void merge(const host_executor& exec, const rns_format& format, reduction kind, index_t results, index_t chunks,
           rns_tiles<false> partial)
{
    for (index_t distance = 1; distance < chunks; distance *= 2) {
        const index_t pairs = (chunks - distance + 2 * distance - 1) / (2 * distance);
        for_indices(exec, format, results * pairs, merge_element{kind, results, distance, partial});
    }
}

rns_number fetched_number(const host_executor&, const rns_format& format, rns_tiles<true> a, index_t i)
{
    return {format, residua::detail::load(format.set(), a, i)};
}

template void for_indices(const host_executor&, const rns_format&, index_t, const combine_element&, double);
template void for_indices(const host_executor&, const rns_format&, index_t, const solve_column_element&, double);
template void for_indices(const host_executor&, const rns_format&, index_t, const to_binary64_element&, double);
template void for_indices(const host_executor&, const rns_format&, index_t, const from_binary64_element&, double);
template void for_indices(const host_executor&, const rns_format&, index_t, const reduce_element&, double);
template void for_indices(const host_executor&, const rns_format&, index_t, const spmv_element<true>&, double);
template void for_indices(const host_executor&, const rns_format&, index_t, const spmv_element<false>&, double);

}  // namespace residua::blas::detail
