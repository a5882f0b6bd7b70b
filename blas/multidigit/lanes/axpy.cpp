#if defined(__x86_64__)

#include <residua/blas/multidigit/lanes/for_indices.hpp>
#include <residua/blas/multidigit/lanes/tiles.hpp>

namespace residua::blas::detail::by_lanes {
namespace {

using namespace RESIDUA_LANES_NAMESPACE;
using residua::detail::load;

/// The factor a, in all lanes.
template <int M>
RESIDUA_LANES inline numbers<M> repeated(const multidigit_scalar& a, int words, size_of_numbers<M> m)
{
    alignas(64) std::uint32_t tile[(multidigit_most_bits / 32 + 1) * residua::detail::words_apart];
    const residua::detail::multidigit_tiles<false> at{tile, 0, words};
    for (int i = 0; i < count; ++i) {
        residua::detail::store(at, i, a);
    }
    numbers<M> x = load<M>(neighbours(at, 0), words, m);
    make_factor(m, x);
    return x;
}

template <int M>
RESIDUA_LANES_CALL void axpy(const multidigit_axpy& f, index_t begin, index_t end, size_of_numbers<M> m,
                             one_element<multidigit_axpy> one)
{
    const rounding to(m, f.p);
    const int words = f.w.start.digits;
    const lane_mask flips_x = f.a.negative ? all_lanes() : no_lanes();
    const lane shift = all(f.a.exponent - std::int64_t{1});
    const lane_mask flips_z = f.negates ? all_lanes() : no_lanes();
    const numbers<M> a = repeated(f.a, words, m.factors());
    const index_t before = (f.w.start.first + begin) % count;  // numbers that lie together with the first
    for (index_t i = begin - before; i < end; i += count) {
        const auto in = static_cast<lane_mask>(first_lanes(end - i) & ~first_lanes(begin - i));
        fetch_next_tile<M>(f.x.start, i);
        numbers<M> x = load<M>(neighbours_in(f.x.start, i, in), words, f.multiplies ? m.factors() : m);
        lane_mask special = x.not_finite;
        lane_mask has_x = x.regular;
        unrounded_results<M> r;
        if (f.multiplies) {
            make_factor(m.factors(), x);
            multiply(m, x, a, r);
            special |= a.not_finite;
            has_x &= a.regular;
        } else {
            set(m, x, r);
            r.negative ^= flips_x;
            r.exponent = r.exponent + shift;
        }
        fetch_next_tile<M>(f.w.start, i);
        if (f.adds) {
            if (f.z.start.word != f.w.start.word) {
                fetch_next_tile<M>(f.z.start, i);
            }
            numbers<M> z = load<M>(neighbours_in(f.z.start, i, in), words, m);
            z.negative ^= flips_z;
            special |= z.not_finite;
            add(m, r, has_x, z);
        }
        results<M> w;
        round<M, 0>(m, r, to, w);
        w.open |= special;
        w.open &= in;
        store(f.w.start, i, m, w, in & ~w.open);
        for (unsigned open = bits(w.open); open != 0; open &= open - 1) {
            one(f, i + __builtin_ctz(open));
        }
    }
}

}  // namespace

bool axpy_on(this_set, const multidigit_axpy& f, index_t begin, index_t end, int p, one_element<multidigit_axpy> one)
{
    const auto fits = [&](const auto& x) { return x.stride == 1 && (x.start.first - f.w.start.first) % count == 0; };
    if (!fits(f.w) || !fits(f.x) || (f.adds && !fits(f.z))) {
        return false;
    }
    with_lane_size(digits_to_round(p), [&]<int M>(size_of_numbers<M> m) { axpy(f, begin, end, m, one); });
    return true;
}

}  // namespace residua::blas::detail::by_lanes

#endif
