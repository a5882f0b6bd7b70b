#pragma once

#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/level1/sum_state.hpp>

namespace residua::blas {

namespace detail {

template <>
struct state_traits<rns> {
    using format_type = rns_format;
    using number_type = rns_number;
    static constexpr index_t family = 3;
    static constexpr bool joins_nodes = true;

    static index_t bits(const rns_format& format) { return format.precision_bits(); }
    /// Exponent with sign, and range, as arrays have them; then two residues a word.
    static index_t words(const rns_format& format) { return 2 + (format.count() + 1) / 2; }
    static constexpr index_t block(index_t) { return reduction_block; }
    static rns_number load(const rns_format& format, const std::uint64_t* words);
    static void store(const rns_number& sum, std::uint64_t* words);
    static void merge(const rns_format& format, std::uint64_t* left, const std::uint64_t* right);
    static rns_number rounded(const rns_format& format, const sum_nodes& nodes);
};

}  // namespace detail

/// x'y of a part of two vectors, as a state: for the whole vectors rounded(dot_state(x, y)) has the bits of dot(x, y).
///
/// shapes   x, y: the elements part.first, ..., part.first + x.size - 1 of vectors of part.n
/// errors   as dot, once the state of all elements is rounded
/// cost     as dot; a device is waited for once for each node of the state
/// order    reduction_order.hpp
/// throws   dimension_error if sizes differ, or as sum_state if the part does not fit the blocks; error if formats
///          differ
template <class Exec>
sum_state<rns> dot_state(const Exec& exec, in_vector<Exec, rns> x, in_vector<Exec, rns> y, const part_of_sum& part);

}  // namespace residua::blas
