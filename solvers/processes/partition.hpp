#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <residua/io/error.hpp>

namespace residua {

/// The rows 0, ..., n - 1 in contiguous pieces, one for each process; a piece may be empty.
class partition {
public:
    /// begin  the first rows of all pieces, and n
    ///
    /// throws  dimension_error unless they ascend from 0
    explicit partition(std::vector<index_t> begin) : begin_(std::move(begin))
    {
        if (begin_.size() < 2 || begin_.front() != 0 || !std::is_sorted(begin_.begin(), begin_.end())) {
            throw dimension_error("partition: the first rows of the pieces do not ascend from 0");
        }
    }

    /// n rows in `count` pieces of whole blocks; only the last block may be shorter. Numbers of blocks differ by 1 at
    /// most.
    static partition even(index_t n, index_t block, index_t count)
    {
        if (n < 0 || block < 1 || count < 1) {
            throw dimension_error("partition: " + std::to_string(n) + " rows in " + std::to_string(count) +
                                  " pieces of blocks of " + std::to_string(block));
        }
        const index_t blocks = (n + block - 1) / block;
        std::vector<index_t> begin;
        for (index_t piece = 0; piece <= count; ++piece) {
            begin.push_back(std::min(blocks / count * piece + blocks % count * piece / count, blocks) * block);
            begin.back() = std::min(begin.back(), n);
        }
        return partition(std::move(begin));
    }

    const std::vector<index_t>& beginnings() const { return begin_; }
    index_t n() const { return begin_.back(); }
    index_t count() const { return static_cast<index_t>(begin_.size()) - 1; }
    index_t first(index_t piece) const { return begin_[static_cast<std::size_t>(piece)]; }
    index_t last(index_t piece) const { return begin_[static_cast<std::size_t>(piece) + 1]; }
    index_t size(index_t piece) const { return last(piece) - first(piece); }

    /// The piece that has a row.
    index_t owner(index_t row) const
    {
        return std::upper_bound(begin_.begin(), begin_.end(), row) - begin_.begin() - 1;
    }

    /// f(first, last) for the rows first, ..., last - 1, at most so many and of one piece, one after the other.
    template <class F>
    void for_some_rows(index_t most, const F& f) const
    {
        for (index_t piece = 0; piece < count(); ++piece) {
            for (index_t first = this->first(piece); first < last(piece); first += most) {
                f(first, std::min(first + most, last(piece)));
            }
        }
    }

    /// throws  dimension_error unless all pieces begin at a multiple of `block`, or at n
    void require_blocks(index_t block) const
    {
        for (const index_t begin : begin_) {
            if (begin % block != 0 && begin != n()) {
                throw dimension_error("partition: a piece begins at row " + std::to_string(begin) +
                                      ", which is no multiple of " + std::to_string(block) +
                                      ", the rows of a block of sums");
            }
        }
    }

    friend bool operator==(const partition&, const partition&) = default;

private:
    std::vector<index_t> begin_;
};

}  // namespace residua
