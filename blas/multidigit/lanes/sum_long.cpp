#include <algorithm>
#include <vector>

#include <residua/blas/base/simd.hpp>
#include <residua/blas/multidigit/lanes/run.hpp>
#include <residua/blas/multidigit/run.hpp>

#if defined(__x86_64__)
#include <residua/blas/multidigit/lanes/tiles.hpp>
#endif

namespace residua::blas::detail::lanes {
#if defined(__x86_64__)
namespace {

using namespace residua::detail::lanes;

template <int M>
RESIDUA_IFMA_CALL void add(const multidigit_terms& terms, index_t first, index_t last, size_of_numbers<M> m, int p,
                           std::uint64_t* units, int size, std::int64_t& top, int& special)
{
    const int words = terms.x.start.digits;
    const index_t eights = std::clamp<index_t>((last - first + count - 1) / count, 1, multidigit_lanes / count);
    std::vector<sums<M>> sum(static_cast<std::size_t>(eights), sums<M>(m, p));
    index_t next = 0;
    for (index_t i = first; i < last; i += count, next = next + 1 < eights ? next + 1 : 0) {
        sums<M>& own = sum[static_cast<std::size_t>(next)];
        const lane_mask in = first_lanes(last - i);
        if (terms.magnitudes) {
            own.add_magnitude(load<M>(neighbours(terms.x.start, i), words, m), in);
        } else {
            const numbers<M> x = load<M>(neighbours(terms.x.start, i), words, m.factors());
            const numbers<M> y = load<M>(neighbours(terms.y.start, i), words, m.factors());
            own.add_product(x, own_digits{x.d}, y, own_digits{y.d}, in);
        }
    }
    merged(sum.data(), static_cast<int>(eights), units, size, top, special);
}

}  // namespace

bool sum(const multidigit_terms& terms, index_t first, index_t last, int p, std::uint64_t* units, int size,
         std::int64_t& top, int& special)
{
    if (!host_has_ifma() || !are_neighbours(terms.x.start, terms.x.stride) ||
        (!terms.magnitudes && !are_neighbours(terms.y.start, terms.y.stride))) {
        return false;
    }
    with_lane_size(p, [&]<int M>(size_of_numbers<M> m) { add(terms, first, last, m, p, units, size, top, special); });
    return true;
}

#else

bool sum(const multidigit_terms&, index_t, index_t, int, std::uint64_t*, int, std::int64_t&, int&) { return false; }

#endif
}  // namespace residua::blas::detail::lanes
