#pragma once

#include <residua/io/error.hpp>

namespace residua::blas::detail {

/// Merges accumulators pairwise as they come, in the order of reduction_order.hpp: neighbours
/// (0,1), (2,3), ..., then their results, ...; an odd last one moves up unchanged.
template <class Accumulator>
class pairwise_sum {
public:
    void push(const Accumulator& next)
    {
        Accumulator sum = next;
        for (index_t c = count_; c % 2 == 1; c /= 2) {
            Accumulator left = waiting_[--depth_];
            left.merge(sum);
            sum = left;
        }
        waiting_[depth_++] = sum;
        ++count_;
    }

    /// Everything pushed so far; an empty accumulator at first.
    Accumulator total() const
    {
        if (depth_ == 0) {
            return Accumulator{};
        }
        int d = depth_ - 1;
        Accumulator sum = waiting_[d];
        while (d-- > 0) {
            Accumulator left = waiting_[d];
            left.merge(sum);
            sum = left;
        }
        return sum;
    }

private:
    Accumulator waiting_[63];  // [i]: a power of two of accumulators, descending
    int depth_ = 0;
    index_t count_ = 0;
};

}  // namespace residua::blas::detail
