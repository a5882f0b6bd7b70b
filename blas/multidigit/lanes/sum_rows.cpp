#if defined(__x86_64__)

#include <algorithm>
#include <vector>

#include <residua/blas/multidigit/for_indices.hpp>
#include <residua/blas/multidigit/lanes/for_indices.hpp>
#include <residua/blas/multidigit/lanes/tiles.hpp>

namespace residua::blas::detail::by_lanes {
namespace {

using namespace RESIDUA_LANES_NAMESPACE;

struct digit_of_each {
    lane digit;
};

/// Factors unpacked into 52-bit digits, `count` at a time.
template <int M>
class unpacked {
public:
    RESIDUA_LANES unpacked(size_of_numbers<M> m, index_t packs)
        : m_(m), heads_(static_cast<std::size_t>(packs)), digits_(static_cast<std::size_t>(packs * m))
    {}

    RESIDUA_LANES void set(index_t k, const numbers<M>& x)
    {
        heads_[static_cast<std::size_t>(k)] = x;
        digit_of_each* const to = digits_.data() + k * m_;
        each<M>(0, m_, [&](int j) RESIDUA_LANES { to[j].digit = to_factor(x.d[j]); });
    }

    RESIDUA_LANES const heads& head(index_t k) const { return heads_[static_cast<std::size_t>(k)]; }
    RESIDUA_LANES own_digits digits(index_t k) const { return {&digits_[static_cast<std::size_t>(k * m_)].digit}; }

    /// The head of number i, in all lanes.
    RESIDUA_LANES heads head_of_one(index_t i) const
    {
        const heads& h = head(i / count);
        const index_t l = i % count;
        return {all(reinterpret_cast<const std::int64_t*>(&h.exponent)[l]), of_lane(h.negative, l),
                of_lane(h.regular, l), of_lane(h.not_finite, l), of_lane(h.nan, l)};
    }
    RESIDUA_LANES shared_digits digits_of_one(index_t i) const
    {
        return {reinterpret_cast<const std::int64_t*>(digits_.data() + i / count * m_) + i % count};
    }

private:
    size_of_numbers<M> m_;
    std::vector<heads> heads_;
    std::vector<digit_of_each> digits_;
};

/// Merges the sums of the chunks of some rows, of which chunk k is sum[k * step], into the first one.
template <int M>
RESIDUA_LANES inline void merge(sums<M>* sum, index_t chunks, index_t step)
{
    lane most = sum[0].top();
    for (index_t k = 1; k < chunks; ++k) {
        most = larger(most, sum[k * step].top());
    }
    for (index_t k = 0; k < chunks; ++k) {
        sum[k * step].raise(greater(most, sum[k * step].top()), most);
        if (k > 0) {
            sum[0].add_same_units(sum[k * step]);
        }
    }
}

/// Stores w in these lanes as rows first, first + 1, ... of y.
template <int M>
RESIDUA_LANES inline void store_anywhere(const multidigit_result& y, index_t first, size_of_numbers<M> m,
                                         const results<M>& w, lane_mask in)
{
    if (are_neighbours(y.start, y.stride)) {
        store(y.start, first, m, w, in);
        return;
    }
    alignas(64) std::uint32_t tile[(multidigit_most_bits / 32 + 1) * residua::detail::words_apart];
    const multidigit_tiles<false> packed{tile, 0, y.start.digits};
    store(packed, 0, m, w, in);
    for (unsigned there = bits(in); there != 0; there &= there - 1) {
        const int i = __builtin_ctz(there);
        multidigit_copy{{packed.from(i), 1}, {y.start.from((first + i) * y.stride), 1}}(0);
    }
}

/// Numbers i, i + 1, ... of the n numbers of x. Lanes beyond them get the last one, or zero.
template <int M>
RESIDUA_LANES inline numbers<M> load_anywhere(const multidigit_operand& x, index_t i, index_t n, size_of_numbers<M> m)
{
    if (are_neighbours(x.start, x.stride)) {
        return load<M>(neighbours_in(x.start, i, first_lanes(n - i)), x.start.digits, m);
    }
    const lane index = lesser(ascending() + all(i), all(n - 1));
    return load<M>(scattered(x.start, product(index, all(x.stride))), x.start.digits, m);
}

template <int M>
RESIDUA_LANES inline void unpack(const multidigit_operand& x, index_t n, size_of_numbers<M> m, unpacked<M>& to,
                                 index_t place)
{
    for (index_t j = 0; j < n; j += count) {
        to.set(place + j / count, load_anywhere<M>(x, j, n, m));
    }
}

template <int M>
RESIDUA_LANES_CALL void multiply(const multidigit_rows& rows, index_t columns, index_t begin, index_t end,
                                 size_of_numbers<M> m, int p, one_of_rows one)
{
    constexpr index_t packs_of_rows = rows_of_piece / count;
    const rounding to(m, p);
    const index_t down = (rows.rows + rows_of_piece - 1) / rows_of_piece;
    const index_t chunks = std::max<index_t>(1, (rows.cols + multidigit_chunk - 1) / multidigit_chunk);
    const index_t packs = (rows.cols + count - 1) / count;  // of a column
    const index_t together = std::min(columns, columns_of_piece);
    unpacked<M> a(m.factors(), std::min(multidigit_chunk, rows.cols) * packs_of_rows);
    unpacked<M> x(m.factors(), together * packs);
    std::vector<sums<M>> sum(static_cast<std::size_t>(together * packs_of_rows * chunks), sums<M>(m, p));
    // sums of a chunk lie side by side for all columns; far apart, they would share few lines of the first cache
    const auto sum_at = [&](index_t k, index_t r, index_t c)
                            RESIDUA_LANES { return sum.data() + (r * chunks + c) * together + k; };
    index_t unpacked_from = -1;
    for (index_t piece = begin; piece < end; ++piece) {
        const index_t first = piece % down * rows_of_piece;
        const index_t left = piece / down * columns_of_piece;
        const index_t width = std::min(columns_of_piece, columns - left);
        const index_t height = (std::min(rows_of_piece, rows.rows - first) + count - 1) / count;
        if (left != unpacked_from) {
            for (index_t k = 0; k < width; ++k) {
                unpack({rows.x.start.from((left + k) * rows.x_step), rows.x.stride}, rows.cols, m.factors(), x,
                       k * packs);
            }
            unpacked_from = left;
        }
        for (index_t c = 0; c < chunks; ++c) {
            const index_t from = c * multidigit_chunk;
            const index_t until = std::min(rows.cols, from + multidigit_chunk);
            for (index_t j = from; j < until; ++j) {
                const multidigit_operand column{rows.a.from(j * rows.ld), 1};
                for (index_t r = 0; r < height; ++r) {
                    a.set((j - from) * packs_of_rows + r,
                          load_anywhere<M>(column, first + r * count, rows.rows, m.factors()));
                }
            }
            for (index_t r = 0; r < height; ++r) {
                for (index_t j = from; j < until; j += count) {  // `count` columns of these rows stay in L1
                    for (index_t k = 0; k < width; ++k) {
                        sums<M>& chunk = *sum_at(k, r, c);
                        if (j == from) {
                            chunk.clear();
                        }
                        for (index_t l = j; l < std::min(until, j + count); ++l) {
                            const index_t at = (l - from) * packs_of_rows + r;
                            const index_t of_x = k * packs * count + l;
                            chunk.add_product(a.head(at), a.digits(at), x.head_of_one(of_x), x.digits_of_one(of_x),
                                              all_lanes());
                        }
                    }
                }
            }
        }
        for (index_t k = 0; k < width; ++k) {
            for (index_t r = 0; r < height; ++r) {
                sums<M>* const total = sum_at(k, r, 0);
                merge(total, chunks, together);
                const index_t row = first + r * count;
                const lane_mask in = first_lanes(rows.rows - row);
                results<M> w;
                round(*total, to, w);
                w.open &= in;
                store_anywhere({rows.y.start.from((left + k) * rows.y_step), rows.y.stride}, row, m, w, in & ~w.open);
                for (unsigned open = bits(w.open); open != 0; open &= open - 1) {
                    one(rows, left + k, row + __builtin_ctz(open), p);
                }
            }
        }
    }
}

}  // namespace

bool sum_rows_on(this_set, const multidigit_rows& rows, index_t columns, index_t begin, index_t end, int p,
                 one_of_rows one)
{
    with_lane_size(digits_for(p), [&]<int M>(size_of_numbers<M> m) { multiply(rows, columns, begin, end, m, p, one); });
    return true;
}

}  // namespace residua::blas::detail::by_lanes

#endif
