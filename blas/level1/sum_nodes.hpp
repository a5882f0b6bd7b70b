#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <residua/blas/base/check.hpp>

/// What states of sums of all formats have in common: lists of nodes of the tree by which blocks are merged.
namespace residua::blas::detail {

/// Nodes of that tree from left to right. A node is the sum of `blocks` blocks from block() on; blocks() is a power of
/// two that divides block(). Sums are words of 64 bits, whose meaning the format knows.
class sum_nodes {
public:
    explicit sum_nodes(index_t words) : words_(words) {}

    index_t words() const { return words_; }
    index_t count() const { return static_cast<index_t>(node_.size()); }
    index_t block(index_t i) const { return node_[static_cast<std::size_t>(i)].block; }
    index_t blocks(index_t i) const { return node_[static_cast<std::size_t>(i)].blocks; }
    const std::uint64_t* sum(index_t i) const { return word_.data() + i * words_; }

    void push(index_t block, index_t blocks, const std::uint64_t* sum)
    {
        node_.push_back({block, blocks});
        word_.insert(word_.end(), sum, sum + words_);
    }

    /// Merges the last two nodes while they are the halves of another one; merge(left, right) adds right to left.
    template <class Merge>
    void join(const Merge& merge)
    {
        while (node_.size() > 1) {
            const place& right = node_.back();
            place& left = node_[node_.size() - 2];
            if (left.blocks != right.blocks || left.block % (2 * left.blocks) != 0) {
                return;
            }
            std::uint64_t* const to = word_.data() + (count() - 2) * words_;
            merge(to, to + words_);
            left.blocks *= 2;
            node_.pop_back();
            word_.resize(word_.size() - static_cast<std::size_t>(words_));
        }
    }

    /// The sum of all nodes, each merged with what is right of it; words that are zero without nodes.
    template <class Merge>
    std::vector<std::uint64_t> total(const Merge& merge) const
    {
        std::vector<std::uint64_t> right(static_cast<std::size_t>(words_), 0);
        for (index_t i = count() - 1; i >= 0; --i) {
            std::vector<std::uint64_t> left(sum(i), sum(i) + words_);
            if (i < count() - 1) {
                merge(left.data(), right.data());
            }
            right.swap(left);
        }
        return right;
    }

private:
    struct place {
        index_t block;
        index_t blocks;
    };

    index_t words_;
    std::vector<place> node_;
    std::vector<std::uint64_t> word_;
};

/// The largest number of nodes that the sum of `blocks` neighbouring blocks can have.
constexpr index_t most_nodes(index_t blocks)
{
    index_t nodes = 0;
    for (; blocks > 0; blocks /= 2) {
        nodes += 2;
    }
    return nodes;
}

/// Calls f(b, blocks) for the largest nodes that blocks first, ..., last - 1 consist of, from left to right.
template <class F>
void for_each_node(index_t first, index_t last, const F& f)
{
    for (index_t b = first; b < last;) {
        index_t blocks = 1;
        while (b % (2 * blocks) == 0 && 2 * blocks <= last - b) {
            blocks *= 2;
        }
        f(b, blocks);
        b += blocks;
    }
}

/// throws  dimension_error "op: ..." unless terms first, ..., first + size - 1 of n are whole blocks; the last block of
///         the sum may be shorter
void require_part(const char* op, index_t first, index_t size, index_t n, index_t block);

/// What stands before the nodes of a state that was made bytes.
struct state_header {
    index_t family = 0;
    index_t bits = 0;
    index_t n = 0;
    index_t first = 0;
    index_t last = 0;
    index_t nodes = 0;
};

std::size_t bytes_of_state(index_t words, index_t nodes);
std::vector<std::byte> state_to_bytes(const state_header& header, const sum_nodes& nodes);

/// throws  error unless the bytes begin with a header of this family and these bits
state_header header_of_state(std::span<const std::byte> bytes, index_t family, index_t bits);

/// throws  error if the nodes do not belong to the part that the header names
sum_nodes nodes_of_state(std::span<const std::byte> bytes, const state_header& header, index_t words, index_t block,
                         bool joins_nodes);

}  // namespace residua::blas::detail
