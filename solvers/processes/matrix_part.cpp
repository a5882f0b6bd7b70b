#include <residua/solvers/processes/matrix_part.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include <residua/solvers/checkpoint/message_archive.hpp>
#include <residua/solvers/checkpoint/real_state.hpp>
#include <residua/solvers/matrix/components.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/matrix/value_range.hpp>
#include <residua/solvers/processes/distributed_rows.hpp>
#include <residua/solvers/processes/row_pieces.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/true_residual.hpp>

namespace residua {
namespace {

using residual_space = distributed_space<multidigit_space<host_executor>>;

linear_system as_system(const sparse_matrix& a)
{
    linear_system system;
    static_cast<sparse_matrix&>(system) = a;
    return system;
}

/// An entry that is not on a process whose rows its column belongs to, for that process: (row, column) is its mirror image.
struct mirror_image {
    index_t row;  ///< an own one of who gets it
    index_t column;
    double value;
};

/// What one process knows of a matrix, and what all know once it is joined.
struct findings {
    matrix_structure structure;
    scaled_double norm_inf;
    index_t nonzeros = 0;
    double least = 0.0, greatest = 0.0;  ///< value_range
    bool is_told = true;
    bool equals_transpose = true;

    void join(const findings& before)
    {
        const matrix_structure& b = before.structure;
        matrix_structure& s = structure;
        const auto both = [](bool& mine, bool other) { mine = mine && other; };
        both(s.symmetric, b.symmetric);
        both(s.skew_symmetric, b.skew_symmetric);
        both(s.complex_symmetric, b.complex_symmetric);
        both(s.nonzero_diagonal, b.nonzero_diagonal);
        both(s.positive_diagonal, b.positive_diagonal);
        both(s.diagonally_dominant, b.diagonally_dominant);
        s.lower_bandwidth = std::max(s.lower_bandwidth, b.lower_bandwidth);
        s.upper_bandwidth = std::max(s.upper_bandwidth, b.upper_bandwidth);
        s.first_zero_row = b.zero_rows > 0 ? b.first_zero_row : s.first_zero_row;
        s.first_zero_col = b.zero_cols > 0 ? b.first_zero_col : s.first_zero_col;
        s.zero_rows += b.zero_rows;
        s.zero_cols += b.zero_cols;
        norm_inf = std::max(norm_inf, before.norm_inf);
        nonzeros += before.nonzeros;
        least = std::min(least, before.least);
        greatest = std::max(greatest, before.greatest);
        both(is_told, before.is_told);
        both(equals_transpose, before.equals_transpose);
    }
};
static_assert(std::is_trivially_copyable_v<findings>);

/// Looks for the mirror image of each entry.
class mirror_search {
public:
    mirror_search(const sparse_matrix& own, index_t first, findings& found)
        : own_(own), first_(first), found_(found), used_(static_cast<std::size_t>(own.rows), 0)
    {
        found.structure.symmetric = found.structure.skew_symmetric = true;
        found.structure.complex_symmetric = own.complex;
    }

    /// There is an entry in (column, row).
    void look_at(const mirror_image& of)
    {
        const index_t row = of.row - first_;
        const std::int32_t* const begin = own_.column.data() + own_.row_begin[row];
        const std::int32_t* const end = own_.column.data() + own_.row_begin[row + 1];
        const std::int32_t* const at = std::lower_bound(begin, end, of.column);
        const bool is_there = at != end && *at == of.column;
        const double mirrored = is_there ? own_.values[at - own_.column.data()] : 0.0;
        found_.equals_transpose = found_.equals_transpose && is_there && mirrored == of.value;
        if (of.value != 0.0) {
            used_[row] = 1;
            found_.structure.symmetric = found_.structure.symmetric && mirrored == of.value;
            found_.structure.skew_symmetric = found_.structure.skew_symmetric && mirrored == -of.value;
            const double of_form = (of.row + of.column) % 2 == 0 ? of.value : -of.value;
            found_.structure.complex_symmetric = found_.structure.complex_symmetric && mirrored == of_form;
        }
    }

    /// Counts own columns without an entry.
    void count_zero_columns()
    {
        found_.structure.zero_cols = std::count(used_.begin(), used_.end(), 0);
        found_.structure.first_zero_col = first_ + (std::find(used_.begin(), used_.end(), 0) - used_.begin());
    }

private:
    const sparse_matrix& own_;
    index_t first_;
    findings& found_;
    std::vector<char> used_;  ///< whether an own column has an entry other than zero
};

/// A set of own rows that own entries connect, or two such sets that are connected, with names that all understand.
struct row_set {
    index_t name, other;
    int sum;  ///< 1: a row has a positive sum
};

/// Whether there are floating_components(), on every process.
///
/// together
bool has_floating_part(processes& all, const partition& rows, const sparse_matrix& own)
{
    const index_t first = rows.first(all.rank()), last = rows.last(all.rank());
    const std::vector<index_t> ghosts = ghosts_of(own, first, last);
    joined_sets sets(own.rows + static_cast<index_t>(ghosts.size()));
    std::vector<char> is_positive(static_cast<std::size_t>(own.rows));
    bool is_laplacian = true;
    for (index_t i = 0; i < own.rows; ++i) {
        const std::optional<int> sum = laplacian_sum(own, i, first + i);
        is_laplacian = is_laplacian && sum.has_value();
        is_positive[static_cast<std::size_t>(i)] = static_cast<char>(sum.value_or(1) > 0);
        for (index_t k = own.row_begin[i]; k < own.row_begin[i + 1]; ++k) {
            const index_t j = own.column[k];
            const bool is_own = j >= first && j < last;
            if (own.values[k] == 0.0 || (is_own && j >= first + i)) {  // the mirror image joins the same
                continue;
            }
            const index_t at =
                is_own ? j - first : own.rows + (std::lower_bound(ghosts.begin(), ghosts.end(), j) - ghosts.begin());
            sets.join(static_cast<std::int32_t>(i), static_cast<std::int32_t>(at));
        }
    }
    std::vector<index_t> names;  // the first row of the set of each row
    for (index_t i = 0; i < own.rows; ++i) {
        const auto set = static_cast<std::size_t>(sets.first(static_cast<std::int32_t>(i)));
        names.push_back(first + static_cast<index_t>(set));
        is_positive[set] = static_cast<char>(is_positive[set] != 0 || is_positive[static_cast<std::size_t>(i)] != 0);
    }
    std::vector<row_set> found;
    for (index_t i = 0; i < own.rows; ++i) {
        if (names[static_cast<std::size_t>(i)] == first + i) {
            found.push_back({first + i, first + i, is_positive[static_cast<std::size_t>(i)]});
        }
    }
    const std::vector<index_t> others = numbers_of_ghosts(all, plan_halo(all, rows, ghosts), names);
    for (std::size_t g = 0; g < others.size(); ++g) {
        const std::int32_t set = sets.first(static_cast<std::int32_t>(own.rows + static_cast<index_t>(g)));
        if (set < own.rows) {
            found.push_back({first + set, others[g], 0});
        }
    }
    const auto key = [](const row_set& each) { return std::tuple(each.name, each.other, -each.sum); };
    std::sort(found.begin(), found.end(), [&](const row_set& a, const row_set& b) { return key(a) < key(b); });
    found.erase(std::unique(found.begin(), found.end(),
                            [](const row_set& a, const row_set& b) { return a.name == b.name && a.other == b.other; }),
                found.end());
    const std::vector<std::byte> bytes = gather(all, std::as_bytes(std::span(found)));
    std::vector<row_set> of_all(bytes.size() / sizeof(row_set));
    std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(std::span(of_all)).begin());
    std::map<index_t, std::int32_t> place;
    for (const row_set& each : of_all) {
        place.emplace(each.name, static_cast<std::int32_t>(place.size()));
    }
    joined_sets joined(static_cast<index_t>(place.size()));
    std::vector<char> floats(place.size(), 1);
    for (const row_set& each : of_all) {
        joined.join(place.at(each.name), place.at(each.other));
    }
    for (const row_set& each : of_all) {
        char& of_set = floats[static_cast<std::size_t>(joined.first(place.at(each.name)))];
        of_set = static_cast<char>(of_set != 0 && each.sum == 0);
    }
    bool some = false;  // on process 0
    for (std::int32_t set = 0; set < static_cast<std::int32_t>(floats.size()); ++set) {
        some = some || (joined.first(set) == set && floats[static_cast<std::size_t>(set)] != 0);
    }
    const int any_is_none = maximum(all, is_laplacian ? 0 : 1);
    return maximum(all, some ? 1 : 0) == 1 && any_is_none == 0;
}

}  // namespace

matrix_part::matrix_part(processes& all, partition rows, sparse_matrix own)
    : all_(&all), rows_(std::move(rows)), own_(std::move(own))
{
    require_equal("matrix_part", "rows of the matrix and own rows", own_.rows, last() - first());
    require_equal("matrix_part", "columns and rows of all processes", own_.cols, rows_.n());
}

std::shared_ptr<const stored_rows> matrix_part::stored() const
{
    if (maximum(*all_, own_.exact.empty() ? 0 : 1) == 1) {
        return nullptr;
    }
    if (stored_ == nullptr) {
        stored_ = store_rows(*all_, rows_, own_);
    }
    return stored_;
}

matrix_part matrix_part::hand_out(processes& all, const partition& rows, const sparse_matrix* whole)
{
    sparse_matrix own;
    for (index_t rank = 0; rank < all.count(); ++rank) {
        processes::bytes_by_rank out(static_cast<std::size_t>(all.count()));
        if (whole != nullptr) {
            message_writer writer;
            sparse_matrix part = cut_rows(*whole, rows.first(rank), rows.last(rank));
            archive(writer, part);
            out[static_cast<std::size_t>(rank)] = std::move(writer.message());
        }
        const processes::bytes_by_rank in = all.all_to_all(std::move(out));
        if (rank == all.rank()) {
            message_reader reader(in.front());
            archive(reader, own);
        }
    }
    return {all, rows, std::move(own)};
}

matrix_outline matrix_part::outline() const
{
    findings found{.structure = inspect_rows(own_, first(), rows_.n()),
                   .norm_inf = matrix_norm_inf(as_system(own_)),
                   .nonzeros = own_.nonzeros()};
    const value_range range(own_);
    found.least = range.least;
    found.greatest = range.greatest;
    found.is_told = range.is_told;

    mirror_search search(own_, first(), found);
    std::vector<std::vector<mirror_image>> to(static_cast<std::size_t>(all_->count()));
    for (index_t i = 0; i < own_.rows; ++i) {
        for (index_t k = own_.row_begin[i]; k < own_.row_begin[i + 1]; ++k) {
            const index_t j = own_.column[k];
            const mirror_image image{j, first() + i, own_.values[k]};
            if (j >= first() && j < last()) {
                search.look_at(image);
            } else {
                to[static_cast<std::size_t>(rows_.owner(j))].push_back(image);
            }
        }
    }
    for (const std::vector<mirror_image>& each : exchange_lists(*all_, std::move(to))) {
        std::for_each(each.begin(), each.end(), [&](const mirror_image& image) { search.look_at(image); });
    }
    search.count_zero_columns();
    all_->join(std::as_writable_bytes(std::span(&found, 1)),
               [](std::span<const std::byte> left, std::span<std::byte> right) {
                   findings before;
                   findings joined;
                   std::memcpy(&before, left.data(), sizeof before);
                   std::memcpy(&joined, right.data(), sizeof joined);
                   joined.join(before);
                   std::memcpy(right.data(), &joined, sizeof joined);
               });
    const bool may_float = found.structure.symmetric && found.structure.diagonally_dominant;
    value_range of_all = range;
    of_all.least = found.least;
    of_all.greatest = found.greatest;
    of_all.is_told = found.is_told;
    return {.structure = found.structure,
            .norm_inf = found.norm_inf,
            .nonzeros = found.nonzeros,
            .needs_no_scaling = needs_no_scaling(of_all),
            .equals_transpose = found.equals_transpose,
            .floats = may_float && has_floating_part(*all_, rows_, own_)};
}

sparse_matrix matrix_part::gathered() const
{
    sparse_matrix whole{.rows = 0, .cols = rows_.n()};
    whole.row_begin.push_back(0);
    for (index_t rank = 0; rank < all_->count(); ++rank) {
        message_writer writer;
        if (rank == all_->rank()) {
            sparse_matrix own = own_;
            archive(writer, own);
        }
        const std::vector<std::byte> message = gather(*all_, writer.message());
        if (all_->rank() != 0) {
            continue;
        }
        sparse_matrix part;
        message_reader reader(message);
        archive(reader, part);
        const index_t before = whole.nonzeros();
        for (index_t i = 1; i <= part.rows; ++i) {
            whole.row_begin.push_back(before + part.row_begin[i]);
        }
        std::vector<std::int32_t>& column = whole.column.own();
        std::vector<double>& values = whole.values.own();
        column.insert(column.end(), part.column.begin(), part.column.end());
        values.insert(values.end(), part.values.begin(), part.values.end());
        whole.rows += part.rows;
    }
    return whole;
}

number_part matrix_part::residual(const number_part& b, const number_part& x) const
{
    const residual_space space({{}, b.own().format()}, rows_, *all_);
    const distributed_rows<multidigit_space<host_executor>> rows(space, stored());
    number_part::numbers r(b.own().format(), own_.rows);
    rows.residual(space, x.own(), b.own(), r);
    return {*all_, rows_, std::move(r)};
}

scaled_double matrix_part::largest_ratio(const number_part& r, const number_part& b, const number_part& x) const
{
    const scaled_doubles own_x = leading(x.own());
    const local_rows local = renumber_columns(own_, first(), last());
    const scaled_doubles ghosts = numbers_of_ghosts(*all_, plan_halo(*all_, rows_, local.ghosts), own_x);
    scaled_doubles all_x(static_cast<std::size_t>(local.matrix.cols));
    const auto before = ghosts.begin() + local.ghosts_before;
    std::copy(ghosts.begin(), before, all_x.begin());
    std::copy(own_x.begin(), own_x.end(), all_x.begin() + local.ghosts_before);
    std::copy(before, ghosts.end(), all_x.begin() + local.ghosts_before + own_.rows);
    const scaled_doubles sizes = residua::residual_sizes(as_system(local.matrix), leading(b.own()), all_x);
    scaled_double largest = residua::largest_ratio(leading(r.own()), sizes);
    all_->join(std::as_writable_bytes(std::span(&largest, 1)),
               [](std::span<const std::byte> left, std::span<std::byte> right) {
                   scaled_double of_left, of_right;
                   std::memcpy(&of_left, left.data(), sizeof of_left);
                   std::memcpy(&of_right, right.data(), sizeof of_right);
                   of_left = std::max(of_left, of_right);
                   std::memcpy(right.data(), &of_left, sizeof of_left);
               });
    return largest;
}

std::optional<number_part> matrix_part::named(const named_rhs& which) const
{
    return number_part::exactly(
        *all_, rows_,
        which.what == named_rhs::kind::row_sums ? residua::row_sums(own_) : numbers_of(which, first(), own_.rows));
}

}  // namespace residua
