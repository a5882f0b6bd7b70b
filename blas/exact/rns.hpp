#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/exact/rns_elements.hpp>

/// RNS floats as operands and results of exact sums of products.
namespace residua::blas::detail {

/// RNS floats as multi-digit floats of the same values, in memory of their own.
template <class Exec>
struct exact_rns : exact_digits {
    std::shared_ptr<const vector<Exec, multidigit>> numbers;
};

/// The type that reads an operand's numbers, in kernels and on the host. The operand owns the memory.
template <class Operand>
using exact_reader = std::conditional_t<std::is_base_of_v<exact_digits, Operand>, exact_digits, Operand>;

/// Numbers i + j ld of `from` for i < rows and j < cols, as multi-digit floats one after the other.
///
/// cost    exact_rns_digits::make() for each; waits for a device
/// throws  unsupported_error if an exponent is above most_exact_exponent in size; resource_error
template <class Exec>
std::shared_ptr<const vector<Exec, multidigit>> digits_of(const Exec& exec, const rns_format& format,
                                                          const residua::detail::rns_tiles<true>& from, index_t rows,
                                                          index_t cols, index_t ld);

/// Makes numbers 0 to n - 1. Returns an exponent that is too large in size, if there is one, otherwise 0.
std::int64_t make_digits(const host_executor& exec, index_t n, const exact_rns_digits& numbers);
std::int64_t make_digits(const cuda_executor& exec, index_t n, const exact_rns_digits& numbers);

/// The constants of a format in the memory of an executor.
const exact_rns_set* set_on(const host_executor& exec, const rns_format& format);
const exact_rns_set* set_on(const cuda_executor& exec, const rns_format& format);

}  // namespace residua::blas::detail
