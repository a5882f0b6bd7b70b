#pragma once

#include <vector>

#include <residua/solvers/matrix/sparse_matrix.hpp>
#include <residua/solvers/processes/partition.hpp>
#include <residua/solvers/processes/processes.hpp>

/// What products with a matrix in pieces of rows need to know of the numbers of other processes.
namespace residua {

/// Rows begin, ..., end - 1 of a matrix as a matrix of its own.
sparse_matrix cut_rows(const sparse_matrix& a, index_t begin, index_t end);

/// Rows of a process with columns in the places of a vector that has room for all numbers that these rows need: those
/// of rows before, own ones, those of rows behind. So columns ascend as they do in the whole matrix.
struct local_rows {
    sparse_matrix matrix;         ///< columns are places in that vector
    std::vector<index_t> ghosts;  ///< the rows of others that are needed, ascending
    index_t ghosts_at = 0;        ///< the place of the first of them
    index_t own_at = 0;           ///< the place of the first own number, a multiple of `tile_of_rows`
    /// Rows inner_begin, ..., inner_end - 1 need own numbers alone; both are multiples of `tile_of_rows`, or the number
    /// of rows. Not all such rows are there: they are those between rows with numbers from before and rows with numbers
    /// from behind, in an order in which neighbours are near.
    index_t inner_begin = 0;
    index_t inner_end = 0;

    index_t ghosts_before() const { return own_at - ghosts_at; }
};

/// Vectors begin at the multiples of this where memory is read fastest in every format.
inline constexpr index_t tile_of_rows = 32;

/// The columns before `first` and from `last` on that have entries, ascending: the rows of others that are needed.
std::vector<index_t> ghosts_of(const sparse_matrix& rows, index_t first, index_t last);

/// rows  the rows first, ..., last - 1 of a matrix, whose columns are those of the whole matrix
local_rows renumber_columns(const sparse_matrix& rows, index_t first, index_t last);

/// Which numbers go where before a product.
struct halo_plan {
    struct arrival {
        index_t rank;
        index_t begin, end;  ///< in `ghosts`
    };
    struct delivery {
        index_t rank;
        std::vector<index_t> rows;  ///< own rows, counted from the first own one, ascending
    };
    std::vector<arrival> arrivals;
    std::vector<delivery> deliveries;
};

/// together
halo_plan plan_halo(processes& all, const partition& rows, const std::vector<index_t>& ghosts);

/// For each ghost of the plan the number that its owner has in that row.
///
/// together
std::vector<double> numbers_of_ghosts(processes& all, const halo_plan& plan, const std::vector<double>& own);

}  // namespace residua
