#include <residua/solvers/sparse_direct/rank.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include <residua/blas/base/parallel.hpp>
#include <residua/io/interruption.hpp>
#include <residua/io/room.hpp>
#include <residua/solvers/dense_direct/modular_elimination.hpp>
#include <residua/solvers/matrix/matching.hpp>
#include <residua/solvers/matrix/prime_field.hpp>
#include <residua/solvers/sparse_direct/ordering.hpp>

namespace residua {
namespace {

/// A by columns, its entries modulo a prime.
struct columns_of_residues {
    static constexpr index_t entries_together = 256;
    static constexpr double operations_of_entry = 200.0;

    std::vector<index_t> begin;
    std::vector<std::int32_t> row;
    std::vector<double> value;

    columns_of_residues(const sparse_matrix& a, const prime_field& field)
        : begin(static_cast<std::size_t>(a.cols) + 2, 0),
          row(io::vector_of<std::int32_t>(a.column.size())),
          value(io::vector_of<double>(a.column.size()))
    {
        for (const std::int32_t j : a.column) {
            ++begin[static_cast<std::size_t>(j) + 2];
        }
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        auto place_of_entry = io::vector_of<std::size_t>(row.size());  // entries lie by rows, and so do their decimals
        for (index_t i = 0; i < a.rows; ++i) {
            for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
                const auto at = static_cast<std::size_t>(k);
                const auto place = static_cast<std::size_t>(begin[static_cast<std::size_t>(a.column[at]) + 1]++);
                row[place] = static_cast<std::int32_t>(i);
                place_of_entry[at] = place;
            }
        }
        begin.pop_back();
        blas::detail::parallel_ranges(a.nonzeros(), entries_together,
                                      operations_of_entry * static_cast<double>(a.nonzeros()),
                                      [&](index_t first, index_t last) {
                                          for (index_t k = first; k < last; ++k) {
                                              io::ask_for_stop_at(k);
                                              const auto at = static_cast<std::size_t>(k);
                                              value[place_of_entry[at]] = field.entry(a, at);
                                          }
                                      });
    }
};

/// The columns in the order in which they are eliminated, and the row that each would like for its pivot; -1: any.
struct elimination_order {
    std::vector<std::int32_t> column;
    std::vector<std::int32_t> row;
};

elimination_order order_of(const sparse_matrix& a)
{
    elimination_order order{.column = std::vector<std::int32_t>(static_cast<std::size_t>(a.cols)),
                            .row = std::vector<std::int32_t>(static_cast<std::size_t>(a.cols), -1)};
    std::iota(order.column.begin(), order.column.end(), 0);
    const auto places = static_cast<double>(a.rows) * static_cast<double>(a.cols);
    if (static_cast<double>(a.nonzeros()) > 0.25 * places) {
        return order;
    }
    if (a.rows != a.cols) {
        std::vector<index_t> entries(order.column.size(), 0);
        for (const std::int32_t j : a.column) {
            ++entries[static_cast<std::size_t>(j)];
        }
        std::stable_sort(order.column.begin(), order.column.end(), [&](std::int32_t p, std::int32_t q) {
            return entries[static_cast<std::size_t>(p)] < entries[static_cast<std::size_t>(q)];
        });
        return order;
    }
    std::vector<std::int32_t> row_of_column = match_rows(a).row_of_column;
    std::vector<char> taken(row_of_column.size(), 0);
    for (const std::int32_t i : row_of_column) {
        if (i >= 0) {
            taken[static_cast<std::size_t>(i)] = 1;
        }
    }
    std::int32_t free = 0;
    order.row = row_of_column;
    for (std::int32_t& i : row_of_column) {  // the rows that no column has, for the pattern
        if (i < 0) {
            while (taken[static_cast<std::size_t>(free)] != 0) {
                ++free;
            }
            i = free++;
        }
    }
    order.column = find_order(pattern_of(a, row_of_column), ordering::minimum_degree);
    return order;
}

/// L U of a sparse matrix modulo a prime, column by column until what is left is dense.
class sparse_modular_elimination {
public:
    sparse_modular_elimination(const sparse_matrix& a, std::uint32_t prime, double most_steps)
        : field_(prime),
          a_(a, field_),
          steps_left_(most_steps),
          pivot_of_row_(static_cast<std::size_t>(a.rows), -1),
          entries_of_row_(static_cast<std::size_t>(a.rows)),
          x_(static_cast<std::size_t>(a.rows), 0.0),
          is_seen_(static_cast<std::size_t>(a.rows), 0)
    {
        for (index_t i = 0; i < a.rows; ++i) {
            entries_of_row_[static_cast<std::size_t>(i)] = a.row_begin[i + 1] - a.row_begin[i];
        }
    }

    std::optional<matrix_rank> rank(const elimination_order& order)
    {
        for (auto j = order.column.begin(); j != order.column.end(); ++j) {
            io::ask_for_stop();
            find_reached(*j);
            if (is_dense(order.column.end() - j)) {
                forget();
                if (!eliminate_dense({j, order.column.end()})) {
                    return std::nullopt;
                }
                break;
            }
            substitute(*j);
            if (steps_left_ < 0.0) {
                return std::nullopt;
            }
            if (const std::int32_t pivot = choose_pivot(order.row[static_cast<std::size_t>(*j)]); pivot >= 0) {
                found_.rows.push_back(pivot);
                found_.columns.push_back(*j);
                keep_column(pivot);
            }
            forget();
        }
        found_.rank = static_cast<index_t>(found_.rows.size());
        std::sort(found_.rows.begin(), found_.rows.end());
        std::sort(found_.columns.begin(), found_.columns.end());
        return std::move(found_);
    }

private:
    static constexpr double least_dense = 0.5;             ///< share of the rows that a column of a dense rest reaches
    static constexpr std::ptrdiff_t least_columns = 32;    ///< of a rest that is worth a dense elimination
    static constexpr double dense_steps_in_a_step = 40.0;  ///< of dense elimination in the time of one of the sparse

    std::int32_t pivot_of(std::int32_t row) const { return pivot_of_row_[static_cast<std::size_t>(row)]; }
    std::size_t begin_of(std::int32_t pivot) const { return begin_[static_cast<std::size_t>(pivot)]; }
    std::size_t rows_left() const { return pivot_of_row_.size() - found_.rows.size(); }

    bool is_dense(std::ptrdiff_t columns) const
    {
        return columns >= least_columns &&
               static_cast<double>(below_.size()) > least_dense * static_cast<double>(rows_left());
    }

    /// Finds the rows in which inverse(L) times column j may have entries: `eliminated_` is those with a pivot, each after
    /// all that depend on it, `below_` those without.
    void find_reached(std::int32_t j)
    {
        for (index_t k = a_.begin[static_cast<std::size_t>(j)]; k < a_.begin[static_cast<std::size_t>(j) + 1]; ++k) {
            see(a_.row[static_cast<std::size_t>(k)]);
            while (!path_.empty()) {
                auto& [row, next] = path_.back();
                if (next < begin_of(pivot_of(row) + 1)) {
                    see(row_[next++]);
                } else {
                    eliminated_.push_back(row);
                    path_.pop_back();
                }
            }
        }
    }

    void see(std::int32_t row)
    {
        if (std::exchange(is_seen_[static_cast<std::size_t>(row)], char{1}) != 0) {
            return;
        }
        if (const std::int32_t pivot = pivot_of(row); pivot >= 0) {
            path_.emplace_back(row, begin_of(pivot));
        } else {
            below_.push_back(row);
        }
    }

    void forget()
    {
        for (const std::vector<std::int32_t>* rows : {&eliminated_, &below_}) {
            for (const std::int32_t i : *rows) {
                x_[static_cast<std::size_t>(i)] = 0.0;
                is_seen_[static_cast<std::size_t>(i)] = 0;
            }
        }
        eliminated_.clear();
        below_.clear();
    }

    /// x <- inverse(L) times column j, whose rows are found
    void substitute(std::int32_t j)
    {
        for (index_t k = a_.begin[static_cast<std::size_t>(j)]; k < a_.begin[static_cast<std::size_t>(j) + 1]; ++k) {
            x_[static_cast<std::size_t>(a_.row[static_cast<std::size_t>(k)])] = a_.value[static_cast<std::size_t>(k)];
        }
        for (auto row = eliminated_.rbegin(); row != eliminated_.rend(); ++row) {
            const double minus = field_.negate(x_[static_cast<std::size_t>(*row)]);
            if (minus == 0.0) {
                continue;
            }
            const std::int32_t pivot = pivot_of(*row);
            for (std::size_t k = begin_of(pivot); k < begin_of(pivot + 1); ++k) {
                double& y = x_[static_cast<std::size_t>(row_[k])];
                y = field_.reduced(y + value_[k] * minus);
            }
            steps_left_ -= static_cast<double>(begin_of(pivot + 1) - begin_of(pivot));
        }
    }

    /// The row of the pivot: `wanted` if it can be, otherwise the one with the fewest entries in A; -1: there is none.
    std::int32_t choose_pivot(std::int32_t wanted) const
    {
        std::int32_t best = -1;
        for (const std::int32_t i : below_) {
            if (x_[static_cast<std::size_t>(i)] == 0.0) {
                continue;
            }
            if (i == wanted) {
                return i;
            }
            const auto order = [&](std::int32_t row) {
                return std::pair(entries_of_row_[static_cast<std::size_t>(row)], row);
            };
            if (best < 0 || order(i) < order(best)) {
                best = i;
            }
        }
        return best;
    }

    void keep_column(std::int32_t pivot)
    {
        const double factor = field_.inverse(x_[static_cast<std::size_t>(pivot)]);
        for (const std::int32_t i : below_) {
            if (const double x = x_[static_cast<std::size_t>(i)]; x != 0.0 && i != pivot) {
                row_.push_back(i);
                value_.push_back(field_.multiply(x, factor));
            }
        }
        pivot_of_row_[static_cast<std::size_t>(pivot)] = static_cast<std::int32_t>(begin_.size()) - 1;
        begin_.push_back(row_.size());
    }

    /// Finds the pivots of the last columns; false: that takes too many steps.
    bool eliminate_dense(const std::vector<std::int32_t>& columns)
    {
        std::vector<std::int32_t> rows;
        for (std::size_t i = 0; i < pivot_of_row_.size(); ++i) {
            if (pivot_of_row_[i] < 0) {
                rows.push_back(static_cast<std::int32_t>(i));
            }
        }
        const auto m = static_cast<double>(rows.size());
        const auto n = static_cast<double>(columns.size());
        steps_left_ -= std::min(m, n) * m * n / (3.0 * dense_steps_in_a_step);
        if (steps_left_ < 0.0) {
            return false;
        }
        modular_elimination rest(field_, rows, static_cast<index_t>(columns.size()));
        for (std::size_t q = 0; q < columns.size(); ++q) {
            io::ask_for_stop();
            find_reached(columns[q]);
            substitute(columns[q]);
            double* const to = rest.column(static_cast<index_t>(q));
            for (std::size_t i = 0; i < rows.size(); ++i) {
                to[i] = x_[static_cast<std::size_t>(rows[i])];
            }
            forget();
        }
        std::vector<index_t> places;
        rest.find(found_.rows, places);
        for (const index_t q : places) {
            found_.columns.push_back(columns[static_cast<std::size_t>(q)]);
        }
        return steps_left_ >= 0.0;
    }

    prime_field field_;
    columns_of_residues a_;
    double steps_left_;
    matrix_rank found_;
    std::vector<std::int32_t> pivot_of_row_;  // the number of the pivot in row i; -1: none yet
    std::vector<index_t> entries_of_row_;
    std::vector<std::size_t> begin_{0};  // L by pivots, without its ones
    std::vector<std::int32_t> row_;
    std::vector<double> value_;
    std::vector<double> x_;
    std::vector<char> is_seen_;
    std::vector<std::int32_t> eliminated_;
    std::vector<std::int32_t> below_;
    std::vector<std::pair<std::int32_t, std::size_t>> path_;
};

}  // namespace

std::optional<matrix_rank> find_rank(const sparse_matrix& a, double most_steps)
{
    const elimination_order order = order_of(a);
    std::optional<matrix_rank> found = sparse_modular_elimination(a, prime_field::first_prime, most_steps).rank(order);
    if (!found || found->rank == std::min(a.rows, a.cols)) {
        return found;
    }
    std::optional<matrix_rank> other = sparse_modular_elimination(a, prime_field::second_prime, most_steps).rank(order);
    return other && other->rank > found->rank ? std::move(other) : std::move(found);
}

}  // namespace residua
