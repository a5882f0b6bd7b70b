#include <residua/blas/base/simd.hpp>
#include <residua/blas/multidigit/lanes/run.hpp>

#if defined(__x86_64__)
#include <residua/blas/multidigit/lanes/tiles.hpp>
#endif

namespace residua::blas::detail::lanes {
#if defined(__x86_64__)
namespace {

using namespace residua::detail::lanes;
using residua::detail::load;

/// The same number eight times.
template <int M>
RESIDUA_IFMA inline numbers<M> repeated(const multidigit_scalar& a, int words, size_of_numbers<M> m)
{
    alignas(64) std::uint32_t tile[(multidigit_most_bits / 32 + 1) * residua::detail::words_apart];
    const residua::detail::multidigit_tiles<false> at{tile, 0, words};
    for (int i = 0; i < count; ++i) {
        residua::detail::store(at, i, a);
    }
    return load<M>(neighbours(at, 0), words, m);
}

template <int M>
RESIDUA_IFMA_CALL void axpy(const multidigit_axpy& f, index_t begin, index_t end, size_of_numbers<M> m,
                            void (*one)(const multidigit_axpy&, index_t))
{
    const rounding to(m, f.p);
    const int words = f.w.start.digits;
    const lane_mask flips_x = f.a.negative ? 0xff : 0;
    const lane shift = all(f.a.exponent - std::int64_t{1});
    const lane_mask flips_z = f.negates ? 0xff : 0;
    const numbers<M> a = repeated(f.a, words, m.factors());
    const index_t before = (f.w.start.first + begin) % count;  // numbers that lie together with the first
    for (index_t i = begin - before; i < end; i += count) {
        const auto in = static_cast<lane_mask>(first_lanes(end - i) & ~first_lanes(begin - i));
        const numbers<M> x = load<M>(neighbours(f.x.start, i), words, f.multiplies ? m.factors() : m);
        lane_mask special = x.not_finite;
        lane_mask has_x = x.regular;
        unrounded_results<M> r;
        if (f.multiplies) {
            r = unrounded_product(m, x, a);
            special |= a.not_finite;
            has_x &= a.regular;
        } else {
            r = unrounded_number(m, x);
            r.negative ^= flips_x;
            r.exponent = r.exponent + shift;
        }
        if (f.adds) {
            numbers<M> z = load<M>(neighbours(f.z.start, i), words, m);
            z.negative ^= flips_z;
            special |= z.not_finite;
            r = unrounded_sum(m, r, has_x, z);
        }
        results<M> w = rounded<M, 0>(m, r, to);
        w.open |= special;
        w.open &= in;
        store(f.w.start, i, m, w, in & ~w.open);
        for (unsigned open = w.open; open != 0; open &= open - 1) {
            one(f, i + __builtin_ctz(open));
        }
    }
}

}  // namespace

bool run(const multidigit_axpy& f, index_t begin, index_t end, int p, void (*one)(const multidigit_axpy&, index_t))
{
    const auto fits = [&](const auto& x) { return x.stride == 1 && (x.start.first - f.w.start.first) % count == 0; };
    if (!host_has_ifma() || !fits(f.w) || !fits(f.x) || (f.adds && !fits(f.z))) {
        return false;
    }
    with_lane_size(p, [&]<int M>(size_of_numbers<M> m) { axpy(f, begin, end, m, one); });
    return true;
}

#else

bool run(const multidigit_axpy&, index_t, index_t, int, void (*)(const multidigit_axpy&, index_t)) { return false; }

#endif
}  // namespace residua::blas::detail::lanes
