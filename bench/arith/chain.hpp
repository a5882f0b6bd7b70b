#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/io/error.hpp>

#include "chain_run.hpp"

/// The operands of chains, and the results that the host computes for them.
namespace residua {

/// All numbers of a chain are at most this large.
inline constexpr double chain_largest = 0x1p702;

/// chain_pool_size numbers for each of x, y and z. All bits are random but the first 20 of y and z:
///
///   x  in s [1, 2), s = 2^700
///   y  for sums in s [3/4, 3/4 + 2^-20), for products in [3/2, 3/2 + 2^-20)
///   z  for sums in s (-3/4 - 2^-20, -3/4], for products in [2/3, 2/3 + 2^-20)
///
/// So the numbers of a chain are between s / 2 and 4 s, and no link repeats a sum or product of an earlier link.
/// A number near 1 has room for 20 terms in the range of binary64, which limits y and z; the factor s lets x have 32.
class chain_pool {
public:
    chain_pool(bool products, int terms, std::uint64_t seed);

    /// The numbers x, then y, then z, chain_pool_size of each. The terms of a number lie side by side.
    const std::vector<double>& words() const { return words_; }
    chain_operands operands() const { return chain_operands_at(words_.data(), terms_); }
    int terms() const { return terms_; }

private:
    int terms_;
    std::vector<double> words_;
};

/// What a link costs, as a mean over the links of a chain.
struct chain_cost {
    double flops = 0.0;     ///< binary64 flops of all lanes together; an fma is one flop, a comparison none
    double shuffles = 0.0;  ///< shuffles of a tile: all of its lanes take part in each
    double votes = 0.0;
};

/// The fields that only the row of a kernel has, and not the rows of other operations.
struct chain_facts {
    chain_function function = chain_function::sum;
    chain_storage storage = chain_storage::registers;
    int terms = 0;
    int links = 0;
    chain_fit fit;
    chain_cost cost;
};

/// "sequential", "lanes", "lanes safe", ...; "registers", "shared".
std::string_view to_string(chain_function f);
std::string_view to_string(chain_storage storage);

/// The functions that are products, or those that are sums, in the order of rows.
std::vector<chain_function> chain_functions(bool products);

/// The end of a chain on the host. A kernel must have the same bits.
struct chain_end {
    std::vector<double> terms;
    chain_cost cost;
};

/// Chain i, computed by the source text that kernels compile too. The pool has one of chain_terms.
///
/// cost  flops are those documented in arith/expansion/add.hpp and mul.hpp; from 16 terms on, where they depend on the
///       data, the most that a link can take. On lanes the steps that were taken are counted
chain_end run_chain(chain_function f, const chain_pool& pool, index_t i, int links);

/// Chain i by MPFR, with every link rounded to more than twice the bits.
real exact_chain(chain_function f, const chain_pool& pool, index_t i, int links);

/// The error bound of a chain's end, relative to chain_largest: `links` times the bound of the function. It is infinite
/// for fast_lane_sum, which promises nothing unless each sum is checked.
real chain_error_bound(chain_function f, int terms, int links);

}  // namespace residua
