#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/solvers/matrix/matrix_storage.hpp>
#include <residua/solvers/matrix/sparse_matrix.hpp>
#include <residua/solvers/processes/partition.hpp>
#include <residua/solvers/processes/processes.hpp>

/// What products with a matrix in pieces of rows need to know of the numbers of other processes.
namespace residua {

/// Each list goes to the process of its place; from each process comes one.
///
/// together
template <class T>
    requires std::is_trivially_copyable_v<T>
std::vector<std::vector<T>> exchange_lists(processes& all, std::vector<std::vector<T>> to)
{
    const auto mine = static_cast<std::size_t>(all.rank());
    std::vector<T> own = std::move(to[mine]);
    to[mine] = {};
    processes::bytes_by_rank out;
    for (const std::vector<T>& each : to) {
        const auto bytes = std::as_bytes(std::span(each));
        out.emplace_back(bytes.begin(), bytes.end());
    }
    std::vector<std::vector<T>> from;
    for (const std::vector<std::byte>& each : all.all_to_all(std::move(out))) {
        from.emplace_back(each.size() / sizeof(T));
        if (!each.empty()) {
            std::memcpy(from.back().data(), each.data(), each.size());
        }
    }
    from[mine] = std::move(own);
    return from;
}

/// Rows begin, ..., end - 1 of a matrix as a matrix of its own.
sparse_matrix cut_rows(const sparse_matrix& a, index_t begin, index_t end);

/// Rows of a process with columns in the places of a vector of all numbers that these rows need: those of rows before,
/// own ones, those of rows behind. So columns ascend as they do in the whole matrix.
struct local_rows {
    sparse_matrix matrix;         ///< columns are places in that vector
    std::vector<index_t> ghosts;  ///< the rows of others that are needed, ascending
    index_t ghosts_before = 0;    ///< how many of them come before the own ones
    /// Rows inner_begin, ..., inner_end - 1 need own numbers alone; both are multiples of `tile_of_rows`, or the number
    /// of rows. Not all such rows are there: they are those between rows with numbers from before and rows with numbers
    /// from behind, in an order in which neighbours are near.
    index_t inner_begin = 0;
    index_t inner_end = 0;
    /// Own numbers of which the other rows need most, counted from the first own one: a few runs of neighbours, ascending.
    std::vector<index_t> border;

    /// The size of a vector of what rows need that are not inner ones: ghosts before, the border, ghosts behind.
    index_t places() const { return static_cast<index_t>(ghosts.size() + border.size()); }
    /// f(begin, end) for the rows that are multiplied at once: the inner ones come first.
    template <class F>
    void for_each_part(const F& f) const
    {
        for (const auto& [begin, end] : {std::pair(inner_begin, inner_end), std::pair(index_t{0}, inner_begin),
                                         std::pair(inner_end, matrix.rows)}) {
            if (begin < end) {
                f(begin, end);
            }
        }
    }
    /// One of these parts, with columns that are own numbers for inner rows, and places in that vector for others.
    sparse_matrix part(index_t begin, index_t end) const;
};

/// Parts begin at multiples of this, where memory is read fastest in every format.
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
template <class T>
    requires std::is_trivially_copyable_v<T>
std::vector<T> numbers_of_ghosts(processes& all, const halo_plan& plan, const std::vector<T>& own)
{
    std::vector<std::vector<T>> given;
    std::vector<processes::outgoing> out;
    for (const halo_plan::delivery& each : plan.deliveries) {
        std::vector<T>& numbers = given.emplace_back();
        for (const index_t row : each.rows) {
            numbers.push_back(own[static_cast<std::size_t>(row)]);
        }
        out.push_back({each.rank, std::as_bytes(std::span(numbers))});
    }
    std::vector<T> ghosts(static_cast<std::size_t>(plan.arrivals.empty() ? 0 : plan.arrivals.back().end));
    std::vector<processes::incoming> in;
    for (const halo_plan::arrival& each : plan.arrivals) {
        const auto numbers = std::span(ghosts).subspan(static_cast<std::size_t>(each.begin),
                                                       static_cast<std::size_t>(each.end - each.begin));
        in.push_back({each.rank, std::as_writable_bytes(numbers)});
    }
    all.begin_exchange(out, in);
    all.end_exchange();
    return ghosts;
}

/// Own rows of binary64 numbers as products take them on the host, for all who multiply with them.
struct stored_rows {
    struct part {
        index_t begin, end;
        stored_matrix<host_executor, double> rows;
    };
    local_rows places;  ///< its matrix has no entries
    halo_plan plan;
    std::vector<part> parts;  ///< local_rows::for_each_part()
};

/// own  the rows of this process, whose columns are those of the whole matrix
/// together
std::shared_ptr<const stored_rows> store_rows(processes& all, const partition& rows, const sparse_matrix& own);

}  // namespace residua
