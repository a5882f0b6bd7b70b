#pragma once

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/multidigit/conversions.hpp>
#include <residua/blas/multidigit/elements.hpp>

/// Runs element functions and sums of operations, on either executor.
namespace residua::blas::detail {

/// f(i) for i < n in the size that the format takes; f is multidigit_axpy, multidigit_scaling,
/// multidigit_from_terms or multidigit_spmv.
/// `multiply_adds` is the work of one of them.
///
/// throws  cuda_error if a launch fails, here and below
template <class F>
void for_indices(const host_executor& exec, const char* op, const multidigit_format& format, index_t n, const F& f,
                 double multiply_adds = 1.0);
template <class F>
void for_indices(const cuda_executor& exec, const char* op, const multidigit_format& format, index_t n, const F& f,
                 double multiply_adds = 1.0);

/// Long sums are cut into blocks of terms_of_block(n) terms, the last one shorter, and these into groups of
/// terms_of_group(block). Lane l of a group adds terms l, l + multidigit_lanes, ... from left to right. The lanes of a
/// group are merged, then the groups of a block, and then the blocks.
/// A lane has as many terms of a block, 8 or more, as make at most 256 blocks. Where these are more than 16, the block has 2
/// to 4 groups, as equal as can be: a device that has few of the blocks still has work for all of its processors.
inline constexpr index_t multidigit_lanes = 256;
inline constexpr index_t multidigit_least_terms = 8;  ///< terms of a lane of a block
inline constexpr index_t multidigit_most_blocks = 256;
inline constexpr index_t multidigit_terms_alone = 16;  ///< terms of a lane of a block that is one group
inline constexpr index_t multidigit_most_groups = 4;   ///< of a block
constexpr index_t terms_of_block(index_t n)
{
    const index_t all = multidigit_lanes * multidigit_most_blocks;
    const index_t wanted = (n + all - 1) / all;
    return multidigit_lanes * (wanted > multidigit_least_terms ? wanted : multidigit_least_terms);
}
constexpr index_t groups_of_block(index_t block)
{
    const index_t wanted = (block / multidigit_lanes + multidigit_terms_alone - 1) / multidigit_terms_alone;
    return wanted < multidigit_most_groups ? wanted : multidigit_most_groups;
}
constexpr index_t terms_of_group(index_t block)
{
    const index_t groups = groups_of_block(block);
    return multidigit_lanes * ((block / multidigit_lanes + groups - 1) / groups);
}

/// Row sums of a dense matrix are cut into chunks of this many columns, which are summed from left to right and
/// merged.
inline constexpr index_t multidigit_chunk = 32;

/// y_j <- the sum of terms.of_result(j) over i < n, for j < results.
void sum_long(const host_executor& exec, const char* op, const multidigit_format& format, index_t n, index_t results,
              const multidigit_terms& terms, const multidigit_result& y);
void sum_long(const cuda_executor& exec, const char* op, const multidigit_format& format, index_t n, index_t results,
              const multidigit_terms& terms, const multidigit_result& y);

/// The integer states of the sums of blocks of `length` terms, of which there are n, the last block perhaps shorter. A
/// state has words_of_sum(format) words: the digits from the lowest on, in two's complement, the top, and `special`.
inline index_t words_of_sum(const multidigit_format& format) { return (format.bits() + 63) / 64 + 4; }
void sum_blocks(const host_executor& exec, const char* op, const multidigit_format& format, index_t length, index_t n,
                const multidigit_terms& terms, std::uint64_t* states);
void sum_blocks(const cuda_executor& exec, const char* op, const multidigit_format& format, index_t length, index_t n,
                const multidigit_terms& terms, std::uint64_t* states);

/// From the states of `count` blocks, on the host: their sum, rounded; the greatest top of them; their sum as a state with
/// this top, which is at least that of each. That state may lie where theirs do.
multidigit_number rounded_blocks(const multidigit_format& format, index_t count, const std::uint64_t* states);
std::int64_t top_of_blocks(const multidigit_format& format, index_t count, const std::uint64_t* states);
void merge_blocks(const multidigit_format& format, index_t count, const std::uint64_t* states, std::int64_t top,
                  std::uint64_t* state);

/// y_i <- the sum of a_ij x_j over j, for every row i, for each of `results` vectors x.
void sum_rows(const host_executor& exec, const char* op, const multidigit_format& format, index_t results,
              const multidigit_rows& rows);
void sum_rows(const cuda_executor& exec, const char* op, const multidigit_format& format, index_t results,
              const multidigit_rows& rows);

/// y_i <- x_i, and y_i <- a.
void copy_words(const host_executor& exec, const multidigit_operand& x, index_t n, const multidigit_result& y);
void copy_words(const cuda_executor& exec, const multidigit_operand& x, index_t n, const multidigit_result& y);
void fill_words(const host_executor& exec, const multidigit_scalar& a, index_t n, const multidigit_result& y);
void fill_words(const cuda_executor& exec, const multidigit_scalar& a, index_t n, const multidigit_result& y);

/// f(i) for i < n, each of which writes words of its own; f is multidigit_resize or multidigit_to_terms.
template <class F>
void words_for_indices(const host_executor& exec, const char* op, const multidigit_format& format, index_t n,
                       const F& f);
template <class F>
void words_for_indices(const cuda_executor& exec, const char* op, const multidigit_format& format, index_t n,
                       const F& f);

/// The index of the first of the largest |x_i|, or of a NaN (iamax of the BLAS); n > 0.
index_t place_of_largest(const host_executor& exec, const multidigit_operand& x, index_t n);
index_t place_of_largest(const cuda_executor& exec, const multidigit_operand& x, index_t n);

/// Memory for one number that the executor hands to the host. It belongs to this thread, until the next call.
multidigit_result mailbox(const host_executor& exec, const multidigit_format& format);
multidigit_result mailbox(const cuda_executor& exec, const multidigit_format& format);

/// Waits for the number in a mailbox and returns it.
multidigit_number fetch(const host_executor& exec, const multidigit_format& format, const multidigit_result& from);
multidigit_number fetch(const cuda_executor& exec, const multidigit_format& format, const multidigit_result& from);

}  // namespace residua::blas::detail
