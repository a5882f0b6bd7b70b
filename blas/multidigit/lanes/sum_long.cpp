#include <residua/blas/base/simd.hpp>
#include <residua/blas/multidigit/lanes/run.hpp>

#if defined(__x86_64__)
#include <residua/blas/multidigit/lanes/tiles.hpp>
#endif

namespace residua::blas::detail::lanes {
#if defined(__x86_64__)
namespace {

using namespace residua::detail::lanes;

constexpr int at_once = 4;  // times eight lanes: those of a block

template <int M>
RESIDUA_IFMA_CALL void add(const multidigit_terms& terms, index_t first, index_t last, size_of_numbers<M> m, int p,
                           std::uint64_t* units, int size, std::int64_t& top, int& special)
{
    const int words = terms.x.start.digits;
    sums<M> sum[at_once] = {{m, p}, {m, p}, {m, p}, {m, p}};
    for (index_t i = first, k = 0; i < last; i += count, k = (k + 1) % at_once) {
        const lane_mask in = first_lanes(last - i);
        if (terms.magnitudes) {
            sum[k].add_magnitude(load<M>(neighbours(terms.x.start, i), words, m), in);
        } else {
            const numbers<M> x = load<M>(neighbours(terms.x.start, i), words, m.factors());
            const numbers<M> y = load<M>(neighbours(terms.y.start, i), words, m.factors());
            sum[k].add_product(x, own_digits{x.d}, y, own_digits{y.d}, in);
        }
    }
    merged(sum, at_once, units, size, top, special);
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
