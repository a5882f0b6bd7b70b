#pragma once

#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/level1/sum_state.hpp>
#include <residua/blas/multidigit/for_indices.hpp>

namespace residua::blas {

namespace detail {

/// The blocks of a sum stay apart until it is rounded: all are then cut to the units of the coarsest one.
template <>
struct state_traits<multidigit> {
    using format_type = multidigit_format;
    using number_type = multidigit_number;
    static constexpr index_t family = 2;
    static constexpr bool joins_nodes = false;

    static index_t bits(const multidigit_format& format) { return format.bits(); }
    static index_t words(const multidigit_format& format) { return words_of_sum(format); }
    static constexpr index_t block(index_t n) { return terms_of_block(n); }
    static multidigit_number rounded(const multidigit_format& format, const sum_nodes& nodes);
};

}  // namespace detail

/// x'y of a part of two vectors, as a state: for the whole vectors rounded(dot_state(x, y)) has the bits of dot(x, y).
///
/// shapes   x, y: the elements part.first, ..., part.first + x.size - 1 of vectors of part.n
/// errors   as dot, once the state of all elements is rounded
/// cost     as dot; at most 256 blocks of 4 words and the words of a number
/// order    blas/multidigit/for_indices.hpp
/// throws   dimension_error if sizes differ, or as sum_state if the part does not fit the blocks; error if formats
///          differ
template <class Exec>
sum_state<multidigit> dot_state(const Exec& exec, in_vector<Exec, multidigit> x, in_vector<Exec, multidigit> y,
                                const part_of_sum& part);

}  // namespace residua::blas
