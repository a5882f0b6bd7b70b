#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <residua/arith/expansion/accumulator.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/reduction_order.hpp>
#include <residua/blas/base/view.hpp>
#include <residua/blas/level1/sum_nodes.hpp>

/// Long sums whose parts are computed apart, by processes or devices, with the bits of the sum in one go:
/// dot_state(), then merge(), then rounded(). multidigit/sum_state.hpp and rns/sum_state.hpp have the other formats.
namespace residua::blas {

/// Which part of two vectors of n elements in all: the elements from `first` on, as many as are given.
struct part_of_sum {
    index_t first = 0;
    index_t n = 0;
};

namespace detail {

/// What a sum_state of format F consists of:
///
/// format_type, number_type     the run-time format, and what a sum is rounded to
/// family                       1 binary64 and expansions, 2 multi-digit floats, 3 RNS floats
/// bits(format)                 its precision
/// words(format)                how many words the sum of a node has
/// block(n)                     the length of the blocks of a sum of n terms
/// joins_nodes                  whether the nodes of neighbours are merged as soon as both are known
/// merge(format, left, right)   left <- left + right, for nodes that are joined
/// rounded(format, nodes)       the sum of all nodes
template <class F>
struct state_traits;

}  // namespace detail

/// The length of the blocks of a sum of n terms: parts begin and end at its multiples. It is reduction_block, but for
/// multi-digit floats, whose blocks become longer with n.
template <class F>
constexpr index_t block_of_sum(index_t n)
{
    return detail::state_traits<F>::block(n);
}

/// What the terms first(), ..., last() - 1 of a long sum of n() terms add up to, not rounded yet.
///
/// It is a list of nodes of the tree by which blocks are merged (reduction_order.hpp): as few nodes as its blocks
/// allow, at most 2 log2(blocks) + 2. For multi-digit floats it has every block, since all of them are cut to common
/// units together. So merge() is associative bit for bit, and the state of all terms is rounded to the number that the
/// sum in one go has.
template <class F>
class sum_state {
public:
    using traits = detail::state_traits<F>;
    using format_type = typename traits::format_type;
    using number_type = typename traits::number_type;

    /// The part of `size` terms, with no nodes yet: functions like dot_state() add them.
    ///
    /// throws  dimension_error unless the part lies in the sum, begins at a multiple of block_of_sum, and ends at one
    ///         or at the end of the sum. An empty part may lie at the end of the sum
    sum_state(const char* op, const format_type& format, const part_of_sum& part, index_t size)
        : format_(format), part_(part), last_(part.first + size), nodes_(traits::words(format))
    {
        detail::require_part(op, part.first, size, part.n, block_of_sum<F>(part.n));
    }

    const format_type& format() const { return format_; }
    index_t n() const { return part_.n; }
    index_t first() const { return part_.first; }
    index_t last() const { return last_; }
    const detail::sum_nodes& nodes() const { return nodes_; }

    /// Adds the sum of `blocks` blocks from block b on, a node of the tree; nodes come from left to right.
    void push(index_t b, index_t blocks, const std::uint64_t* sum)
    {
        nodes_.push(b, blocks, sum);
        if constexpr (traits::joins_nodes) {
            nodes_.join([&](std::uint64_t* left, const std::uint64_t* right) { traits::merge(format_, left, right); });
        }
    }

    /// Adds the terms of the part that follows this one.
    ///
    /// throws  dimension_error unless they do follow, in a sum of as many terms; error if formats differ
    void append(const sum_state& next)
    {
        if (!(format_ == next.format_)) {
            throw error("merge: sums of different formats");
        }
        require_equal("merge", "sizes of the vectors", n(), next.n());
        require_equal("merge", "end of the first part and begin of the second", last_, next.first());
        for (index_t i = 0; i < next.nodes_.count(); ++i) {
            push(next.nodes_.block(i), next.nodes_.blocks(i), next.nodes_.sum(i));
        }
        last_ = next.last_;
    }

private:
    format_type format_;
    part_of_sum part_;
    index_t last_;
    detail::sum_nodes nodes_;
};

/// The state of two neighbouring parts, a before b.
///
/// order    associative: any order of merging gives the same bits
/// throws   dimension_error unless b begins where a ends, in a sum of as many terms; error if formats differ
template <class F>
sum_state<F> merge(const sum_state<F>& a, const sum_state<F>& b)
{
    sum_state<F> both = a;
    both.append(b);
    return both;
}

/// The number that a state stands for: of all terms the sum in one go, with its bits.
template <class F>
typename sum_state<F>::number_type rounded(const sum_state<F>& sum)
{
    return detail::state_traits<F>::rounded(sum.format(), sum.nodes());
}

/// The bytes of the longest state of a sum of n terms, for buffers that hold any of them.
template <class F>
std::size_t most_bytes(const typename sum_state<F>::format_type& format, index_t n)
{
    using traits = detail::state_traits<F>;
    const index_t blocks = (n + traits::block(n) - 1) / traits::block(n);
    return detail::bytes_of_state(traits::words(format), traits::joins_nodes ? detail::most_nodes(blocks) : blocks);
}

/// A state as bytes: words of 64 bits in the byte order of the machine. The first six are the family of the format, its
/// bits, n, first, last and the number of nodes; each node is its first block, how many blocks it has, and its sum.
template <class F>
std::vector<std::byte> to_bytes(const sum_state<F>& sum)
{
    using traits = detail::state_traits<F>;
    return detail::state_to_bytes(
        {traits::family, traits::bits(sum.format()), sum.n(), sum.first(), sum.last(), sum.nodes().count()},
        sum.nodes());
}

/// The state that to_bytes() made bytes of; there may be more bytes behind it, which are not read.
///
/// throws  error if these are not the bytes of a state of this format; dimension_error as sum_state
template <class F>
sum_state<F> sum_from_bytes(const typename sum_state<F>::format_type& format, std::span<const std::byte> bytes)
{
    using traits = detail::state_traits<F>;
    const detail::state_header header = detail::header_of_state(bytes, traits::family, traits::bits(format));
    sum_state<F> sum("sum_from_bytes", format, {header.first, header.n}, header.last - header.first);
    const detail::sum_nodes nodes =
        detail::nodes_of_state(bytes, header, traits::words(format), traits::block(header.n), traits::joins_nodes);
    for (index_t i = 0; i < nodes.count(); ++i) {
        sum.push(nodes.block(i), nodes.blocks(i), nodes.sum(i));
    }
    return sum;
}

/// x'y of a part of two vectors, as a state: for the whole vectors rounded(dot_state(x, y)) has the bits of dot(x, y).
///
/// shapes   x, y: the elements part.first, ..., part.first + x.size - 1 of vectors of part.n
/// errors   as dot, once the state of all elements is rounded
/// cost     as dot
/// order    reduction_order.hpp
/// throws   dimension_error if sizes differ, or as sum_state if the part does not fit the blocks
template <number T>
sum_state<T> dot_state(const host_executor& exec, in_vector<host_executor, T> x, in_vector<host_executor, T> y,
                       const part_of_sum& part);

/// dot_state of vectors on a CUDA device, with the bits of the host; waits for the result.
template <number T>
sum_state<T> dot_state(const cuda_executor& exec, in_vector<cuda_executor, T> x, in_vector<cuda_executor, T> y,
                       const part_of_sum& part);

namespace detail {

/// The format of binary64 and of expansions, which their type says.
struct format_of_type {
    friend bool operator==(const format_of_type&, const format_of_type&) = default;
};

template <number T>
struct state_traits<T> {
    using format_type = format_of_type;
    using number_type = T;
    using sum_type = accumulator<number_traits<T>::terms>;
    static constexpr index_t family = 1;
    static constexpr bool joins_nodes = true;

    static constexpr index_t bits(format_type) { return number_traits<T>::precision_bits; }
    static constexpr index_t words(format_type) { return sum_type::words; }
    static constexpr index_t block(index_t) { return reduction_block; }

    static sum_type load(const std::uint64_t* words)
    {
        sum_type sum;
        for (int k = 0; k < sum_type::words; ++k) {
            sum.w[k] = std::bit_cast<double>(words[k]);
        }
        return sum;
    }

    static void store(const sum_type& sum, std::uint64_t* words)
    {
        for (int k = 0; k < sum_type::words; ++k) {
            words[k] = std::bit_cast<std::uint64_t>(sum.w[k]);
        }
    }

    static void merge(format_type, std::uint64_t* left, const std::uint64_t* right)
    {
        sum_type sum = load(left);
        sum.merge(load(right));
        store(sum, left);
    }

    static T rounded(format_type format, const sum_nodes& nodes)
    {
        return load(nodes.total([&](std::uint64_t* left, const std::uint64_t* right) { merge(format, left, right); })
                        .data())
            .result();
    }
};

}  // namespace detail
}  // namespace residua::blas
