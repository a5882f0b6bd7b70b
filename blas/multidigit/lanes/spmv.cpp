#if defined(__x86_64__)

#include <residua/blas/multidigit/lanes/for_indices.hpp>
#include <residua/blas/multidigit/lanes/tiles.hpp>

namespace residua::blas::detail::by_lanes {
namespace {

using namespace RESIDUA_LANES_NAMESPACE;

/// Loads elements i_0, i_1, ... of x. If they lie side by side, as with the matrix of a grid, that takes half the time.
template <int M>
RESIDUA_LANES inline numbers<M> load_elements(const multidigit_operand& x, lane i, lane_mask in, size_of_numbers<M> m)
{
    const index_t first = first_of(i);
    const lane_mask behind = equal(i, all(first) + ascending());
    const index_t in_tile = (x.start.first + first) % residua::detail::words_apart;
    if (!any(~(behind & in)) && x.stride == 1 && in_tile <= residua::detail::words_apart - count) {
        fetch_next_tile<M>(x.start, first);
        return load<M>(neighbours(x.start, first), x.start.digits, m);
    }
    return load<M>(scattered(x.start, product(i, all(x.stride))), x.start.digits, m);
}

template <int M, bool Binary64>
RESIDUA_LANES_CALL void multiply(const multidigit_spmv<Binary64>& f, index_t begin, index_t end, size_of_numbers<M> m,
                                 int p, one_element<multidigit_spmv<Binary64>> one)
{
    const rounding to(m, p);
    const int words = f.x.start.digits;
    sums<M> sum(m, p);
    for (index_t i = begin; i < end; i += count) {
        const lane_mask in = first_lanes(end - i);
        alignas(64) std::int64_t first[count] = {};
        alignas(64) std::int64_t length[count] = {};
        for (index_t r = i; r < end && r < i + count; ++r) {
            first[r - i] = f.rows.first(r);
            length[r - i] = f.rows.count(r);
        }
        const lane lengths = load_lanes(length);
        lane at = load_lanes(first);
        sum.clear();
        for (std::int64_t k = 0;; ++k, at = at + all(f.rows.step())) {
            const lane_mask there = greater(lengths, all(k));
            if (!any(there)) {
                break;
            }
            numbers<M> x = load_elements<M>(f.x, gather(f.rows.col, at, there), there, Binary64 ? m : m.factors());
            if constexpr (Binary64) {
                sum.add_product(x, to_numbers(gather(f.binary64, at, there)), there);
            } else {
                const scattered place(f.value.start, product(only(there, at), all(f.value.stride)));
                numbers<M> value = load<M>(place, words, m.factors());
                make_factor(m.factors(), x);
                make_factor(m.factors(), value);
                sum.add_product(x, own_digits{x.d}, value, own_digits{value.d}, there);
            }
        }
        results<M> w;
        round(sum, to, w);
        w.open &= in;
        store(f.y.start, i, m, w, in & ~w.open);
        for (unsigned open = bits(w.open); open != 0; open &= open - 1) {
            one(f, i + __builtin_ctz(open));
        }
    }
}

}  // namespace

template <bool Binary64>
bool spmv_on(this_set, const multidigit_spmv<Binary64>& f, index_t begin, index_t end, int p,
             one_element<multidigit_spmv<Binary64>> one)
{
    if (!are_neighbours(f.y.start, f.y.stride)) {
        return false;
    }
    with_lane_size(digits_for(p), [&]<int M>(size_of_numbers<M> m) { multiply(f, begin, end, m, p, one); });
    return true;
}

template bool spmv_on(this_set, const multidigit_spmv<true>&, index_t, index_t, int,
                      one_element<multidigit_spmv<true>>);
template bool spmv_on(this_set, const multidigit_spmv<false>&, index_t, index_t, int,
                      one_element<multidigit_spmv<false>>);

}  // namespace residua::blas::detail::by_lanes

#endif
