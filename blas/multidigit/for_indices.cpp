#include <residua/blas/multidigit/for_indices.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/multidigit/lanes/for_indices.hpp>
#include <residua/blas/multidigit/matrix_elements.hpp>
#include <residua/io/interruption.hpp>

namespace residua::blas::detail {
namespace {

using digit = std::uint64_t;
constexpr index_t together = residua::detail::words_apart;  // numbers that lie together
constexpr index_t terms_unasked = 1 << 18;                  // terms of sums between two questions whether to stop

/// f.operator()<N>() for the size of the format.
template <class F>
void with_size(const multidigit_format& format, const F& f)
{
    with_multidigit_size<digit>(multidigit_count<digit>(format.bits()), f);
}

/// How many numbers lie before the first result in its tile: threads must not share a tile.
index_t numbers_before(const multidigit_axpy& f) { return f.w.start.first % together; }
template <class F>
index_t numbers_before(const F&)
{
    return 0;
}

/// The sum of terms first, ..., last - 1, which are a group.
template <int N>
multidigit_sum<digit, N> sum_of_group(index_t first, index_t last, const multidigit_terms& terms, int p)
{
    typename multidigit_sum<digit, N>::state sum;
    if (by_lanes::sum(terms, first, last, p, sum.digit, multidigit_sum<digit, N>::digits, sum.top, sum.special)) {
        return multidigit_sum<digit, N>(sum);
    }
    multidigit_sum<digit, N> lane[multidigit_lanes];
    for (index_t i = first; i < last; ++i) {
        terms.add_to(lane[(i - first) % multidigit_lanes], i, p);
    }
    return merged(lane, multidigit_lanes);
}

/// The sum of block b of n terms, in blocks of `length`.
template <int N>
multidigit_sum<digit, N> sum_of_block(index_t b, index_t length, index_t n, const multidigit_terms& terms, int p)
{
    const index_t last = std::min(n, (b + 1) * length);
    const index_t of_group = terms_of_group(length);
    multidigit_sum<digit, N> sums[multidigit_most_groups];
    index_t groups = 0;
    for (index_t first = b * length; first < last; first += of_group) {
        sums[groups++] = sum_of_group<N>(first, std::min(last, first + of_group), terms, p);
    }
    return merged(sums, groups);
}

/// The sums of all blocks of `results` sums of n terms each, one result after the other.
template <int N>
std::vector<multidigit_sum<digit, N>> sums_of_blocks(const multidigit_format& format, index_t length, index_t n,
                                                     index_t results, const multidigit_terms& terms)
{
    const index_t blocks = (n + length - 1) / length;
    std::vector<multidigit_sum<digit, N>> sums(static_cast<std::size_t>(results * blocks));
    parallel_ranges(
        results * blocks, 1,
        array_traits<multidigit>::operations(format) * static_cast<double>(n) * static_cast<double>(results),
        [&](index_t begin, index_t end) {
            for (index_t k = begin; k < end; ++k) {
                sums[static_cast<std::size_t>(k)] =
                    sum_of_block<N>(k % blocks, length, n, terms.of_result(k / blocks), format.bits());
            }
        });
    return sums;
}

/// The state at `words`, whose digits may be fewer than the N + 2 of the sum: then the sign takes the places above.
template <int N>
multidigit_sum<digit, N> sum_at(const std::uint64_t* words, index_t count)
{
    using sum = multidigit_sum<digit, N>;
    const auto digits = static_cast<int>(count - 2);
    typename sum::state s;
    for (int k = 0; k < sum::digits; ++k) {
        s.digit[k] = k < digits ? words[k] : digit{0} - (words[digits - 1] >> 63);
    }
    s.top = static_cast<std::int64_t>(words[digits]);
    s.special = static_cast<int>(words[digits + 1]);
    return sum(s);
}

/// Writes a state of `words` words and returns where the next one begins.
template <int N>
std::uint64_t* write_state(const multidigit_sum<digit, N>& sum, index_t words, std::uint64_t* to)
{
    to = std::copy_n(sum.get().digit, words - 2, to);
    *to++ = static_cast<std::uint64_t>(sum.get().top);
    *to++ = static_cast<std::uint64_t>(sum.get().special);
    return to;
}

/// Computes rows first, ..., last - 1 of column k of a product; there are at most as many as lie together.
template <int N>
void multiply_rows(const multidigit_rows& rows, index_t k, index_t first, index_t last, int p)
{
    const multidigit_operand x{rows.x.start.from(k * rows.x_step), rows.x.stride};
    const auto chunks = static_cast<std::size_t>((rows.cols + multidigit_chunk - 1) / multidigit_chunk);
    const auto rows_here = static_cast<std::size_t>(last - first);
    std::vector<multidigit_sum<digit, N>> sums(rows_here * std::max<std::size_t>(chunks, 1));
    for (std::size_t c = 0; c < chunks; ++c) {
        const index_t begin = static_cast<index_t>(c) * multidigit_chunk;
        const index_t end = std::min(rows.cols, begin + multidigit_chunk);
        for (index_t j = begin; j < end; ++j) {
            const auto factor = x.number<digit, N>(j);
            const auto column = rows.a.from(j * rows.ld);
            for (index_t i = first; i < last; ++i) {
                sums[static_cast<std::size_t>(i - first) * chunks + c].add_product(
                    residua::detail::load<digit, N>(column, i), factor, p);
            }
        }
    }
    const multidigit_result y{rows.y.start.from(k * rows.y_step), rows.y.stride};
    for (index_t i = first; i < last; ++i) {
        const auto* const own = sums.data() + static_cast<std::size_t>(i - first) * chunks;
        y.store(i, merged(own, static_cast<index_t>(chunks)).result(p));
    }
}

}  // namespace

template <class F>
void for_indices(const host_executor&, const char*, const multidigit_format& format, index_t n, const F& f,
                 double multiply_adds)
{
    with_size(format, [&]<int N>() {
        const auto one = [](const F& element, index_t i) { element.template operator()<digit, N>(i); };
        const index_t before = numbers_before(f);
        parallel_ranges(n + before, together,
                        array_traits<multidigit>::operations(format) * multiply_adds * static_cast<double>(n),
                        [&](index_t from, index_t to) {
                            const index_t begin = std::max<index_t>(from - before, 0);
                            const index_t end = to - before;
                            if (by_lanes::for_indices(f, begin, end, format.bits(), +one)) {
                                return;
                            }
                            for (index_t i = begin; i < end; ++i) {
                                one(f, i);
                            }
                        });
    });
}

template void for_indices(const host_executor&, const char*, const multidigit_format&, index_t, const multidigit_axpy&,
                          double);
template void for_indices(const host_executor&, const char*, const multidigit_format&, index_t,
                          const multidigit_scaling&, double);
template void for_indices(const host_executor&, const char*, const multidigit_format&, index_t,
                          const multidigit_combine&, double);
template void for_indices(const host_executor&, const char*, const multidigit_format&, index_t,
                          const multidigit_solve_column&, double);
template void for_indices(const host_executor&, const char*, const multidigit_format&, index_t,
                          const multidigit_from_terms&, double);
template void for_indices(const host_executor&, const char*, const multidigit_format&, index_t,
                          const multidigit_spmv<true>&, double);
template void for_indices(const host_executor&, const char*, const multidigit_format&, index_t,
                          const multidigit_spmv<false>&, double);

void sum_long(const host_executor&, const char*, const multidigit_format& format, index_t n, index_t results,
              const multidigit_terms& terms, const multidigit_result& y)
{
    const index_t length = terms_of_block(n);
    const index_t blocks = (n + length - 1) / length;
    with_size(format, [&]<int N>() {
        const std::vector<multidigit_sum<digit, N>> sums = sums_of_blocks<N>(format, length, n, results, terms);
        for (index_t j = 0; j < results; ++j) {
            y.store(j, merged(sums.data() + j * blocks, blocks).result(format.bits()));
        }
    });
}

void sum_blocks(const host_executor&, const char*, const multidigit_format& format, index_t length, index_t n,
                const multidigit_terms& terms, std::uint64_t* states)
{
    with_size(format, [&]<int N>() {
        for (const multidigit_sum<digit, N>& sum : sums_of_blocks<N>(format, length, n, 1, terms)) {
            states = write_state(sum, words_of_sum(format), states);
        }
    });
}

multidigit_number rounded_blocks(const multidigit_format& format, index_t count, const std::uint64_t* states)
{
    const host_executor host;
    const multidigit_result place = mailbox(host, format);
    const index_t words = words_of_sum(format);
    with_size(format, [&]<int N>() {
        std::vector<multidigit_sum<digit, N>> sums;
        for (index_t i = 0; i < count; ++i) {
            sums.push_back(sum_at<N>(states + i * words, words));
        }
        place.store(0, merged(sums.data(), count).result(format.bits()));
    });
    return fetch(host, format, place);
}

std::int64_t top_of_blocks(const multidigit_format& format, index_t count, const std::uint64_t* states)
{
    const index_t words = words_of_sum(format);
    std::int64_t top = multidigit_sum<digit, 1>::nothing;
    for (index_t i = 0; i < count; ++i) {
        top = std::max(top, static_cast<std::int64_t>(states[i * words + words - 2]));
    }
    return top;
}

void merge_blocks(const multidigit_format& format, index_t count, const std::uint64_t* states, std::int64_t top,
                  std::uint64_t* state)
{
    const index_t words = words_of_sum(format);
    with_size(format, [&]<int N>() {
        multidigit_sum<digit, N> total;
        total.raise(top);
        for (index_t i = 0; i < count; ++i) {
            multidigit_sum<digit, N> next = sum_at<N>(states + i * words, words);
            next.raise(top);
            total.add_same_units(next);
        }
        write_state(total, words, state);
    });
}

void sum_rows(const host_executor&, const char*, const multidigit_format& format, index_t results,
              const multidigit_rows& rows)
{
    const auto parts = [](index_t n, index_t each) { return (n + each - 1) / each; };
    const index_t down = parts(rows.rows, by_lanes::rows_of_piece);
    const index_t across = parts(results, by_lanes::columns_of_piece);
    const index_t terms_of_piece = by_lanes::rows_of_piece * by_lanes::columns_of_piece * rows.cols;
    const index_t at_once = std::max<index_t>(1, terms_unasked / std::max<index_t>(1, terms_of_piece));
    with_size(format, [&]<int N>() {
        const auto one = [](const multidigit_rows& all, index_t column, index_t row, int p) {
            multiply_rows<N>(all, column, row, row + 1, p);
        };
        const auto piece = [&](index_t k) {
            const index_t first = k % down * by_lanes::rows_of_piece;
            const index_t left = k / down * by_lanes::columns_of_piece;
            for (index_t column = left; column < std::min(results, left + by_lanes::columns_of_piece); ++column) {
                multiply_rows<N>(rows, column, first, std::min(rows.rows, first + by_lanes::rows_of_piece),
                                 format.bits());
            }
        };
        parallel_ranges(down * across, 1,
                        array_traits<multidigit>::operations(format) * static_cast<double>(rows.rows) *
                            static_cast<double>(rows.cols) * static_cast<double>(results),
                        [&](index_t begin, index_t end) {
                            for (index_t next = 0; begin < end; begin = next) {
                                io::ask_for_stop();
                                next = std::min(end, begin + at_once);
                                if (by_lanes::sum_rows(rows, results, begin, next, format.bits(), +one)) {
                                    continue;
                                }
                                for (index_t k = begin; k < next; ++k) {
                                    piece(k);
                                }
                            }
                        });
    });
}

void copy_words(const host_executor&, const multidigit_operand& x, index_t n, const multidigit_result& y)
{
    parallel_ranges(n, together, static_cast<double>(n) * x.start.digits, [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) {
            multidigit_copy{x, y}(i);
        }
    });
}

template <class F>
void words_for_indices(const host_executor&, const char*, const multidigit_format& format, index_t n, const F& f)
{
    parallel_ranges(n, together, static_cast<double>(n) * (4.0 * format.digits() + 20.0),
                    [&](index_t begin, index_t end) {
                        for (index_t i = begin; i < end; ++i) {
                            f(i);
                        }
                    });
}

template void words_for_indices(const host_executor&, const char*, const multidigit_format&, index_t,
                                const multidigit_resize&);
template void words_for_indices(const host_executor&, const char*, const multidigit_format&, index_t,
                                const multidigit_to_terms&);

void fill_words(const host_executor&, const multidigit_scalar& a, index_t n, const multidigit_result& y)
{
    for (index_t i = 0; i < n; ++i) {
        y.store(i, a);
    }
}

index_t place_of_largest(const host_executor&, const multidigit_operand& x, index_t n)
{
    index_t place = 0;
    for (index_t i = 1; i < n; ++i) {
        place = is_larger(x, i, place) ? i : place;
    }
    return place;
}

multidigit_result mailbox(const host_executor&, const multidigit_format& format)
{
    constexpr int most = multidigit_most_bits / 32;
    thread_local std::uint32_t words[(most + 1) * together];
    return {{words, 0, format.digits()}, 1};
}

multidigit_number fetch(const host_executor&, const multidigit_format& format, const multidigit_result& from)
{
    return {format, residua::detail::load<digit, multidigit_scalar::digits>(from.start, 0)};
}

}  // namespace residua::blas::detail
