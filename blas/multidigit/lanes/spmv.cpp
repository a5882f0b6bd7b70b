#include <residua/blas/base/simd.hpp>
#include <residua/blas/multidigit/lanes/run.hpp>

#if defined(__x86_64__)
#include <residua/blas/multidigit/lanes/tiles.hpp>
#endif

namespace residua::blas::detail::lanes {
#if defined(__x86_64__)
namespace {

using namespace residua::detail::lanes;

/// Elements i_0, i_1, ... of x; where they lie side by side, as in the matrix of a grid, in half of the time.
template <int M>
RESIDUA_IFMA inline numbers<M> load_elements(const multidigit_operand& x, lane i, lane_mask in, size_of_numbers<M> m)
{
    const index_t first = _mm_cvtsi128_si64(_mm512_castsi512_si128(i));
    const lane_mask behind = _mm512_cmpeq_epi64_mask(i, all(first) + ascending());
    const index_t in_tile = (x.start.first + first) % residua::detail::words_apart;
    if ((behind & in) == 0xff && x.stride == 1 && in_tile <= residua::detail::words_apart - count) {
        return load<M>(neighbours(x.start, first), x.start.digits, m);
    }
    return load<M>(scattered(x.start, _mm512_mullo_epi64(i, all(x.stride))), x.start.digits, m);
}

template <int M, bool Binary64>
RESIDUA_IFMA_CALL void multiply(const multidigit_spmv<Binary64>& f, index_t begin, index_t end, size_of_numbers<M> m,
                                int p, void (*one)(const multidigit_spmv<Binary64>&, index_t))
{
    const rounding to(m, p);
    const int words = f.x.start.digits;
    sums<M> sum(m, p);
    for (index_t i = begin; i < end; i += count) {
        const lane_mask in = first_lanes(end - i);
        alignas(64) std::int64_t first[count] = {};
        alignas(64) std::int64_t length[count] = {};
        for (index_t r = i; r < end && r < i + count; ++r) {
            first[r - i] = f.first(r);
            length[r - i] = f.count(r);
        }
        const lane lengths = _mm512_load_si512(length);
        lane at = _mm512_load_si512(first);
        sum.clear();
        for (std::int64_t k = 0;; ++k, at = at + all(f.step())) {
            const lane_mask there = _mm512_cmpgt_epi64_mask(lengths, all(k));
            if (there == 0) {
                break;
            }
            const lane col = _mm512_cvtepi32_epi64(
                _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), there, at, f.col, sizeof(std::int32_t)));
            const numbers<M> x = load_elements<M>(f.x, col, there, Binary64 ? m : m.factors());
            if constexpr (Binary64) {
                const lane value =
                    _mm512_mask_i64gather_epi64(zeros(), there, at, f.binary64, sizeof(double));
                sum.add_product(x, to_numbers(value), there);
            } else {
                const scattered place(f.value.start, _mm512_mullo_epi64(only(there, at), all(f.value.stride)));
                const numbers<M> value = load<M>(place, words, m.factors());
                sum.add_product(x, own_digits{x.d}, value, own_digits{value.d}, there);
            }
        }
        results<M> w = rounded(sum, to);
        w.open &= in;
        store(f.y.start, i, m, w, in & ~w.open);
        for (unsigned open = w.open; open != 0; open &= open - 1) {
            one(f, i + __builtin_ctz(open));
        }
    }
}

}  // namespace

template <bool Binary64>
bool run(const multidigit_spmv<Binary64>& f, index_t begin, index_t end, int p,
         void (*one)(const multidigit_spmv<Binary64>&, index_t))
{
    if (!host_has_ifma() || !are_neighbours(f.y.start, f.y.stride)) {
        return false;
    }
    with_lane_size(p, [&]<int M>(size_of_numbers<M> m) { multiply(f, begin, end, m, p, one); });
    return true;
}

#else

template <bool Binary64>
bool run(const multidigit_spmv<Binary64>&, index_t, index_t, int, void (*)(const multidigit_spmv<Binary64>&, index_t))
{
    return false;
}

#endif

template bool run(const multidigit_spmv<true>&, index_t, index_t, int,
                  void (*)(const multidigit_spmv<true>&, index_t));
template bool run(const multidigit_spmv<false>&, index_t, index_t, int,
                  void (*)(const multidigit_spmv<false>&, index_t));

}  // namespace residua::blas::detail::lanes
