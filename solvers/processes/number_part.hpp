#pragma once

#include <functional>
#include <optional>

#include <residua/solvers/matrix/numbers_elsewhere.hpp>
#include <residua/solvers/processes/partition.hpp>
#include <residua/solvers/processes/processes.hpp>

namespace residua {

/// The rows that this process has of a vector of multi-digit floats, and what processes do together with theirs, as
/// numbers_elsewhere has it. All parts of a vector have one format.
///
/// together  hand_out(), for_each_piece(), rounded() and norms, each called on every process for its part
class number_part {
public:
    using numbers = numbers_elsewhere::numbers;

    /// throws  dimension_error if these are not as many as the rows of this process
    number_part(processes& all, partition rows, numbers own);

    /// The part of each process of numbers that process 0 has; null there: zeros of the least precision.
    ///
    /// whole  not read on the others
    static number_part hand_out(processes& all, const partition& rows, const numbers* whole);

    const numbers& own() const { return own_; }
    const partition& rows() const { return rows_; }
    index_t first() const { return rows_.first(all_->rank()); }
    /// numbers_elsewhere::for_each_piece() on process 0; on the others f is not called.
    void for_each_piece(const std::function<void(numbers)>& f) const;

    /// Empty on all, where numbers_elsewhere::rounded() is null.
    std::optional<number_part> rounded(long bits) const;
    number_part plus(const number_part& d, long bits) const;
    multidigit_number norm2() const;
    multidigit_number norm_inf() const;

private:
    numbers converted(const multidigit_format& format) const;

    processes* all_;
    partition rows_;
    numbers own_;
};

}  // namespace residua
