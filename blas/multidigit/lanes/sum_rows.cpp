#include <residua/blas/base/simd.hpp>
#include <residua/blas/multidigit/lanes/run.hpp>

#include <algorithm>
#include <vector>

#include <residua/blas/multidigit/run.hpp>

#if defined(__x86_64__)
#include <residua/blas/multidigit/lanes/tiles.hpp>
#endif

namespace residua::blas::detail::lanes {
#if defined(__x86_64__)
namespace {

using namespace residua::detail::lanes;

struct eight_digits {
    lane digit;
};

/// Numbers unpacked into 52-bit digits, eight at a time.
template <int M>
class unpacked {
public:
    RESIDUA_IFMA unpacked(size_of_numbers<M> m, index_t eights)
        : m_(m), heads_(static_cast<std::size_t>(eights)), digits_(static_cast<std::size_t>(eights * m))
    {}

    RESIDUA_IFMA void set(index_t k, const numbers<M>& x)
    {
        heads_[static_cast<std::size_t>(k)] = x;
        eight_digits* const to = digits_.data() + k * m_;
        each<M>(0, m_, [&](int j) RESIDUA_IFMA { to[j].digit = x.d[j]; });
    }

    RESIDUA_IFMA const heads& head(index_t k) const { return heads_[static_cast<std::size_t>(k)]; }
    RESIDUA_IFMA own_digits digits(index_t k) const { return {&digits_[static_cast<std::size_t>(k * m_)].digit}; }

    /// Number i of all, for all lanes.
    RESIDUA_IFMA heads head_of_one(index_t i) const
    {
        const heads& h = head(i / count);
        const auto lane_of = [&](lane_mask mask) RESIDUA_IFMA {
            return static_cast<lane_mask>(-(mask >> i % count & 1));
        };
        return {all(reinterpret_cast<const std::int64_t*>(&h.exponent)[i % count]), lane_of(h.negative),
                lane_of(h.regular), lane_of(h.not_finite), lane_of(h.nan)};
    }
    RESIDUA_IFMA shared_digits digits_of_one(index_t i) const
    {
        return {reinterpret_cast<const std::int64_t*>(digits_.data() + i / count * m_) + i % count};
    }

private:
    size_of_numbers<M> m_;
    std::vector<heads> heads_;
    std::vector<eight_digits> digits_;
};

/// The sums of chunks, until they are merged.
template <int M>
class chunk_sums {
public:
    RESIDUA_IFMA chunk_sums(size_of_numbers<M> m, int p, index_t chunks)
        : sum_(static_cast<std::size_t>(chunks), sums<M>(m, p))
    {}
    RESIDUA_IFMA sums<M>& operator[](index_t k) { return sum_[static_cast<std::size_t>(k)]; }

    RESIDUA_IFMA sums<M>& merged(index_t chunks)
    {
        lane most = sum_[0].top();
        for (index_t k = 1; k < chunks; ++k) {
            most = _mm512_max_epi64(most, (*this)[k].top());
        }
        for (index_t k = 0; k < chunks; ++k) {
            sums<M>& sum = (*this)[k];
            sum.raise(_mm512_cmplt_epi64_mask(sum.top(), most), most);
            if (k > 0) {
                sum_[0].add_same_units(sum);
            }
        }
        return sum_[0];
    }

private:
    std::vector<sums<M>> sum_;
};

template <int M>
RESIDUA_IFMA_CALL void multiply(const multidigit_rows& rows, index_t results_wanted, index_t begin, index_t end,
                                size_of_numbers<M> m, int p,
                                void (*one)(const multidigit_rows&, index_t, index_t, int))
{
    const rounding to(m, p);
    const int words = rows.a.digits;
    const index_t chunks = (rows.cols + multidigit_chunk - 1) / multidigit_chunk;
    const bool keeps = results_wanted > 1;  // unpacked rows of A
    unpacked<M> a(m.factors(), keeps ? rows.cols : multidigit_chunk);
    unpacked<M> x(m.factors(), (rows.cols + count - 1) / count);
    chunk_sums<M> sum(m, p, std::max<index_t>(chunks, 1));
    const auto unpack_a = [&](index_t first, index_t from, index_t until) RESIDUA_IFMA {
        for (index_t j = from; j < until; ++j) {
            a.set(keeps ? j : j - from, load<M>(neighbours(rows.a.from(j * rows.ld), first), words, m.factors()));
        }
    };
    index_t unpacked_row = -1, unpacked_column = -1;
    for (index_t piece = begin; piece < end; ++piece) {
        const index_t first = piece / results_wanted * count;
        const index_t column = piece % results_wanted;
        if (column != unpacked_column) {
            const multidigit_tiles<true> start = rows.x.start.from(column * rows.x_step);
            for (index_t j = 0; j < rows.cols; j += count) {
                const lane index = _mm512_min_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0) + all(j),
                                                    all(rows.cols - 1));
                x.set(j / count, are_neighbours(start, rows.x.stride)
                                     ? load<M>(neighbours(start, j), words, m.factors())
                                     : load<M>(scattered(start, _mm512_mullo_epi64(index, all(rows.x.stride))),
                                               words, m.factors()));
            }
            unpacked_column = column;
        }
        if (keeps && first != unpacked_row) {
            unpack_a(first, 0, rows.cols);
            unpacked_row = first;
        }
        const lane_mask in = first_lanes(rows.rows - first);
        sum[0].clear();
        for (index_t c = 0; c < chunks; ++c) {
            const index_t from = c * multidigit_chunk;
            const index_t until = std::min(rows.cols, from + multidigit_chunk);
            if (!keeps) {
                unpack_a(first, from, until);
            }
            sum[c].clear();
            for (index_t j = from; j < until; ++j) {
                const index_t k = keeps ? j : j - from;
                sum[c].add_product(a.head(k), a.digits(k), x.head_of_one(j), x.digits_of_one(j), in);
            }
        }
        results<M> w = rounded(sum.merged(chunks), to);
        w.open &= in;
        const multidigit_result y{rows.y.start.from(column * rows.y_step), rows.y.stride};
        if (are_neighbours(y.start, y.stride)) {
            store(y.start, first, m, w, in & ~w.open);
        } else {
            alignas(64) std::uint32_t tile[(multidigit_most_bits / 32 + 1) * residua::detail::words_apart];
            const multidigit_tiles<false> packed{tile, 0, words};
            store(packed, 0, m, w, in & ~w.open);
            for (unsigned there = in & ~w.open; there != 0; there &= there - 1) {
                const int i = __builtin_ctz(there);
                multidigit_copy{{packed.from(i), 1}, {y.start.from((first + i) * y.stride), 1}}(0);
            }
        }
        for (unsigned open = w.open; open != 0; open &= open - 1) {
            one(rows, column, first + __builtin_ctz(open), p);
        }
    }
}

}  // namespace

bool sum_rows(const multidigit_rows& rows, index_t results, index_t begin, index_t end, int p,
              void (*one)(const multidigit_rows&, index_t, index_t, int))
{
    if (!host_has_ifma() || rows.a.first % count != 0 || rows.ld % count != 0) {
        return false;
    }
    with_lane_size(p, [&]<int M>(size_of_numbers<M> m) { multiply(rows, results, begin, end, m, p, one); });
    return true;
}

#else

bool sum_rows(const multidigit_rows&, index_t, index_t, index_t, int,
              void (*)(const multidigit_rows&, index_t, index_t, int))
{
    return false;
}

#endif
}  // namespace residua::blas::detail::lanes
