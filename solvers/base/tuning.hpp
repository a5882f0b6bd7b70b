#pragma once

#include <cstddef>
#include <limits>

#include <residua/io/error.hpp>
#include <residua/solvers/base/number_format.hpp>

/// The rows of the tuning table, tuning_table.hpp, which bench/solvers/tune.py writes: docs/tuning.md. A row holds for
/// the precisions above most_bits of the row before it up to its own; the last row holds for all beyond, too.
namespace residua::tuning {

/// The format that number_format::automatic stands for.
struct format_row {
    long most_bits;
    number_format format;
};

/// More unknowns than any system has.
inline constexpr index_t never = std::numeric_limits<index_t>::max();

/// How dense factors are made. From least_lu or least_cholesky on, products of `panel` columns and more are exact. All
/// others are sums that round once.
struct panel_row {
    long most_bits;
    index_t panel;
    index_t least_lu;        ///< unknowns
    index_t least_cholesky;  ///< unknowns

    constexpr bool has_products() const { return least_lu != never || least_cholesky != never; }
};

/// Which products of blocks a device computes, if the user asked for one.
struct product_row {
    long most_bits;
    double least_work;  ///< multiply-adds times the bits of a number
};

/// The least unknowns for which an iteration is faster on a GPU, with Jacobi or without a preconditioner.
struct device_row {
    long most_bits;
    index_t least_unknowns;
};

/// The row of a table for numbers of `bits` bits.
template <class Row, std::size_t Rows>
constexpr const Row& row_of(const Row (&table)[Rows], long bits)
{
    std::size_t k = 0;
    while (k + 1 < Rows && table[k].most_bits < bits) {
        ++k;
    }
    return table[k];
}

}  // namespace residua::tuning
