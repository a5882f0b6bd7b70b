#pragma once

#include <residua/arith/expansion/type.hpp>
#include <residua/solvers/batch/solve_batch.hpp>

/// What is asked of a batch, and whether it can be had.
namespace residua::detail {

inline constexpr int most_terms = 4;

/// The digits that x can have in `terms` terms, which lie 52 bits apart at least.
constexpr int digits_in(int terms) { return static_cast<int>((52 * terms - 1) * 0.30102); }

/// Calls f(T{}) for the format of `terms` terms.
template <class F>
auto with_format(int terms, const F& f)
{
    switch (terms) {
        case 1:
            return f(double{});
        case 2:
            return f(expansion<double, 2>{});
        case 3:
            return f(expansion<double, 3>{});
        default:
            return f(expansion<double, 4>{});
    }
}

/// How many terms the first factors and x have, for entries of `of_entries` terms.
///
/// throws  unsupported_error as solve_batch
int terms_for(const batch_options& options, int of_entries);

/// throws  dimension_error, unsupported_error as solve_batch for these numbers of entries and right-hand sides
void require_sizes(index_t n, index_t count, index_t entries, index_t right_hand_sides);

}  // namespace residua::detail
