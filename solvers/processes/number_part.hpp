#pragma once

#include <optional>
#include <vector>

#include <residua/solvers/matrix/numbers_elsewhere.hpp>
#include <residua/solvers/processes/partition.hpp>
#include <residua/solvers/processes/processes.hpp>

namespace residua {

/// The rows that this process has of a vector of multi-digit floats, and what processes do together with theirs, as
/// numbers_elsewhere has it. All parts of a vector have one format.
///
/// together  hand_out(), exactly(), between(), put(), rounded() and norms, each called on every process for its part
class number_part {
public:
    using numbers = numbers_elsewhere::numbers;

    /// throws  dimension_error if these are not as many as the rows of this process
    number_part(processes& all, partition rows, numbers own);

    /// The part of each process of numbers that process 0 has; null there: zeros of the least precision.
    ///
    /// whole  not read on the others
    static number_part hand_out(processes& all, const partition& rows, const numbers* whole);
    /// What long_vector::exactly() makes of the numbers of all; empty on all, where multi-digit floats do not hold them.
    static std::optional<number_part> exactly(processes& all, const partition& rows, const std::vector<real>& own);

    static number_part zeros(processes& all, const partition& rows, long bits);

    const numbers& own() const { return own_; }
    const partition& rows() const { return rows_; }
    index_t first() const { return rows_.first(all_->rank()); }
    /// Rows begin, ..., end - 1, which one process has, on process 0; no rows on the others.
    numbers between(index_t begin, index_t end) const;
    /// Rows begin, ..., end - 1, which one process has, become those that process 0 has, in this format.
    ///
    /// part  not read on the others
    void put(index_t begin, index_t end, const numbers* part);

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
