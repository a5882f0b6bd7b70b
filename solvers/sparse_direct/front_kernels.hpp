#pragma once

#include <cstdint>

#include <residua/blas/base/cuda_executor.hpp>

/// What device_fronts hands to its kernels.
namespace residua::detail {

/// A front in device memory: P (order x columns) from `values` on, then R (columns x order - columns) of L U. Its
/// numbers are the numbers of its pivots, and the rest.
struct placed_front {
    index_t values;
    index_t pivot_begin, rest_begin;  ///< where its numbers begin
    index_t order, columns, pivots;
    index_t found;  ///< counters of the steps found on the way up and down; for large fronts
};

/// A whole front, or a strip of it: first strips of pivots, each with the pivots of a step, then strips of the rest.
struct front_task {
    static constexpr std::int32_t all = -1;
    std::int32_t front, strip;
};

/// Where the rests of fronts go, by labels of rows or of columns. Number i of a front has the place pivot_begin +
/// rest_begin + i in `source_begin`; children leave the rests source[source_begin[.]], ... for it, child by child.
struct rest_places {
    const std::uint32_t *source_begin, *source;
    const std::int32_t* pivot;  ///< the pivot that each number of a rest becomes
};

/// Where the numbers of pivots come from or go to, and the powers of two, or minus these, that they are multiplied by.
struct end_places {
    const std::int32_t* at;
    const double* factor;
};

struct fronts_at_work {
    const double* values;
    const placed_front* front;
    const front_task* task;
    rest_places places;  ///< for the pass at work
    end_places end;      ///< for the pass at work
    double *x, *pivot, *rest;
    unsigned* counter;
    bool divides;  ///< whether to divide by the diagonal of a triangle
};

/// The four solves of a front: up by inverse(L) or inverse(U'), down by inverse(U) or inverse(L').
enum class front_pass { up_by_l, up_by_u, down_by_u, down_by_l };

/// A small front goes to a warp, a medium one to a block of 128 threads; strips of a large one go to blocks of 512.
enum class front_size { small, medium, large };
inline constexpr index_t most_small_pivots = 32, most_small_order = 160;
inline constexpr index_t most_medium_order = 512;  ///< a medium front has the pivots of one step at most

/// Tasks that are done in one launch.
struct front_launch {
    front_size size;
    index_t first, count;
    index_t ticket;  ///< the counter that gives strips their turn: they wait for those before them
};

void run_fronts(const cuda_executor& exec, front_pass pass, const front_launch& launch, const fronts_at_work& work);

/// D of L D L'. place_in_pair is 0 for a pivot of one column, and 1 and 2 for the first and second of a pair, whose
/// off-diagonal number is in `beside`.
struct pivots_of_ldl {
    const double *diagonal, *beside;
    const std::int32_t* place_in_pair;
};

/// x <- inverse(D) x
void solve_pivots(const cuda_executor& exec, const pivots_of_ldl& d, index_t n, double* x);

void clear_counters(const cuda_executor& exec, unsigned* counter, index_t count);

}  // namespace residua::detail
