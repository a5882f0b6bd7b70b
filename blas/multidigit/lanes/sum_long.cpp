#if defined(__x86_64__)

#include <algorithm>
#include <vector>

#include <residua/blas/multidigit/for_indices.hpp>
#include <residua/blas/multidigit/lanes/for_indices.hpp>
#include <residua/blas/multidigit/lanes/tiles.hpp>

namespace residua::blas::detail::by_lanes {
namespace {

using namespace RESIDUA_LANES_NAMESPACE;

template <int M>
RESIDUA_LANES_CALL void add(const multidigit_terms& terms, index_t first, index_t last, size_of_numbers<M> m, int p,
                            std::uint64_t* units, int size, std::int64_t& top, int& special)
{
    const int words = terms.x.start.digits;
    const index_t packs = std::clamp<index_t>((last - first + count - 1) / count, 1, multidigit_lanes / count);
    std::vector<sums<M>> sum(static_cast<std::size_t>(packs), sums<M>(m, p));
    index_t next = 0;
    for (index_t i = first; i < last; i += count, next = next + 1 < packs ? next + 1 : 0) {
        sums<M>& own = sum[static_cast<std::size_t>(next)];
        const lane_mask in = first_lanes(last - i);
        fetch_next_tile<M>(terms.x.start, i);
        if (terms.magnitudes) {
            own.add_magnitude(load<M>(neighbours_in(terms.x.start, i, in), words, m), in);
        } else {
            fetch_next_tile<M>(terms.y.start, i);
            numbers<M> x = load<M>(neighbours_in(terms.x.start, i, in), words, m.factors());
            numbers<M> y = load<M>(neighbours_in(terms.y.start, i, in), words, m.factors());
            make_factor(m.factors(), x);
            make_factor(m.factors(), y);
            own.add_product(x, own_digits{x.d}, y, own_digits{y.d}, in);
        }
    }
    merged(sum.data(), static_cast<int>(packs), units, size, top, special);
}

}  // namespace

bool sum_on(this_set, const multidigit_terms& terms, index_t first, index_t last, int p, std::uint64_t* units, int size,
            std::int64_t& top, int& special)
{
    if (!are_neighbours(terms.x.start, terms.x.stride) ||
        (!terms.magnitudes && !are_neighbours(terms.y.start, terms.y.stride))) {
        return false;
    }
    with_lane_size(digits_for(p),
                   [&]<int M>(size_of_numbers<M> m) { add(terms, first, last, m, p, units, size, top, special); });
    return true;
}

}  // namespace residua::blas::detail::by_lanes

#endif
