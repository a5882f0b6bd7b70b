#pragma once

#include <cstdint>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/io/error.hpp>

namespace residua {

/// A right-hand side that has a name, of which each number is known by its row.
struct named_rhs {
    enum class kind : std::int64_t {
        row_sums,  ///< residua::row_sums() of the matrix
        ones,
        random,  ///< uniform() of splitmix64, one number after the other
        unit     ///< a column of the identity matrix
    };

    kind what = kind::row_sums;
    std::uint64_t number = 0;  ///< of `random` the seed, of `unit` the column, from 0
};

/// The numbers in the rows first, ..., first + count - 1.
///
/// needs   another kind than row_sums
/// stops   by io::ask_for_stop()
std::vector<real> numbers_of(const named_rhs& rhs, index_t first, index_t count);

}  // namespace residua
