#pragma once

#include <cstdint>

#include <residua/blas/base/cuda_executor.hpp>

/// What device_fronts hands to its kernels.
namespace residua::detail {

/// A front in device memory: P (order x columns) from `values` on, then R (columns x order - columns) of L U. Its numbers are
/// those of its pivots, and the rest.
struct placed_front {
    index_t values;
    index_t pivot_begin, rest_begin;  ///< of its numbers
    index_t order, columns, pivots;
    index_t found;  ///< counters of the steps that were found, on the way up and down; of large fronts
};

/// All of a front, or a strip of it: of its pivots, which come first and are those of a step, or of its rest.
struct front_task {
    static constexpr std::int32_t all = -1;
    std::int32_t front, strip;
};

/// Where the rests of fronts go to, by labels of rows or of columns. Number i of a front has the place pivot_begin +
/// rest_begin + i in `source_begin`; what children leave for it are the rests source[source_begin[.]], ..., child by child.
struct rest_places {
    const std::uint32_t *source_begin, *source;
    const std::int32_t* pivot;  ///< that each rest becomes
};

/// Where the numbers of pivots come from or go to, and the powers of two that they are multiplied by.
struct end_places {
    const std::int32_t *at, *exponent;
};

struct fronts_at_work {
    const double* values;
    const placed_front* front;
    const front_task* task;
    rest_places places;  ///< on the way at hand
    end_places end;      ///< the same
    double *x, *pivot, *rest;
    unsigned* counter;
    bool divides;  ///< by the diagonal of a triangle
};

/// The four solves of a front: up by inverse(L) or inverse(U'), down by inverse(U) or inverse(L').
enum class front_pass { up_by_l, up_by_u, down_by_u, down_by_l };

/// Up to which sizes a front goes to a warp, or to a block of 128 threads; strips of others go to blocks of 512.
enum class front_size { small, medium, large };
inline constexpr index_t most_small_pivots = 32, most_small_order = 160;
inline constexpr index_t most_medium_order = 512;  ///< its pivots are those of one step

/// Tasks that are done in one launch.
struct front_launch {
    front_size size;
    index_t first, count;
    index_t ticket;  ///< a counter, of strips: they wait for those before them
};

void run_fronts(const cuda_executor& exec, front_pass pass, const front_launch& launch, const fronts_at_work& work);

/// D of L D L'; place_in_pair is 0 for a pivot of one column, and 1 and 2 for the first and second of a pair, of which `beside` has
/// the other number.
struct pivots_of_ldl {
    const double *diagonal, *beside;
    const std::int32_t* place_in_pair;
};

/// x <- inverse(D) x
void solve_pivots(const cuda_executor& exec, const pivots_of_ldl& d, index_t n, double* x);

void clear_counters(const cuda_executor& exec, unsigned* counter, index_t count);

}  // namespace residua::detail
