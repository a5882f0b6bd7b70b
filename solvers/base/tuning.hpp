#pragma once

#include <cstddef>
#include <limits>

#include <residua/io/error.hpp>
#include <residua/solvers/base/number_format.hpp>

/// The rows of the tuning table, tuning_table.hpp, which bench/solvers/tune.py writes: docs/tuning.md. Each holds for
/// the precisions above those of the row before it and up to its own, the last one for all beyond.
namespace residua::tuning {

/// The format that number_format::automatic is.
struct format_row {
    long most_bits;
    number_format format;
};

/// No system has so many unknowns.
inline constexpr index_t never = std::numeric_limits<index_t>::max();

/// How dense factors are made: from so many unknowns on with exact products of `panel` columns and more, else with sums that
/// round once alone.
struct panel_row {
    long most_bits;
    index_t panel;
    index_t least_lu;        ///< unknowns
    index_t least_cholesky;  ///< unknowns

    constexpr bool has_products() const { return least_lu != never || least_cholesky != never; }
};

/// Which products of blocks a device computes, where one is asked for.
struct product_row {
    long most_bits;
    double least_work;  ///< multiply-adds times the bits of a number
};

/// From how many unknowns on an iteration is faster on a GPU, with Jacobi or without a preconditioner.
struct device_row {
    long most_bits;
    index_t least_unknowns;
};

/// The row for numbers of so many bits.
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
