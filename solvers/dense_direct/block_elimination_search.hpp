#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <residua/arith/native/float.hpp>
#include <residua/solvers/dense_direct/elements.hpp>
#include <residua/solvers/space/vector_space.hpp>

/// The search for pivots of L D L', and the test of pairs of L U, of block_elimination on the host. Included where it is instantiated.
namespace residua::detail {

/// (1 + sqrt(17)) / 8: a diagonal entry of that share of its column is a pivot, for the least growth in two steps
/// [BK77].
inline constexpr double good_pivot = 0.6403882032022076;

/// The threshold of dense factors. Columns that wait cost them little, so it is near the largest one there is, 1/3. With
/// the hundredth that fronts have, entries of a random matrix of 1000 rows grow 500 times as much.
inline constexpr double least_pivot_share = 0.3;

/// A pivot [d_i, d_ij; d_ij, d_j] is none if d_i d_j / d_ij^2 is between these: the determinant might be inaccurate
/// (docs/error_bounds.md, theorem 28). Two entries that are no pivots only because of each other have less, 0.6404^2.
inline constexpr double least_cancelling = 0.4102, most_cancelling = 1.7;

/// Entry (i, j) of a symmetric matrix, of which the lower triangle is there.
template <class E>
auto symmetric_entry(matrix_view<host_executor, E> a, index_t i, index_t j)
{
    return a.column(std::min(i, j)).load(std::max(i, j));
}

/// Whether entry (p, k) of a real form leaves a pivot in the row beside row p and column k + 1, no less than half of it.
template <class E>
bool makes_pair(matrix_view<host_executor, E> a, index_t k, index_t p)
{
    const auto first = a.column(k), second = a.column(k + 1);
    const auto pivot = first.load(p);
    const auto next = abs(second.load(p ^ 1) - first.load(p ^ 1) * (second.load(p) / pivot));
    return is_finite(next) && !(next + next < abs(pivot));
}

/// The size of an entry, and its row; -1: there is none.
template <class Scalar>
struct entry_size {
    Scalar size;
    index_t row;
};

/// A pivot of D that is not in its place yet; size 0: there is none.
struct pivot_place {
    index_t size, first, second;
};

template <class S>
using host_block_of = matrix_view<host_executor, typename S::element>;

/// The largest entry in rows begin, ..., end - 1 of column j, without the diagonal and row `without`.
template <array_space S>
entry_size<typename S::scalar> largest_beside(const S& space, host_block_of<S> a, index_t begin, index_t end, index_t j,
                                              index_t without)
{
    entry_size<typename S::scalar> largest{space.make_scalar(0.0), -1};
    for (index_t i = begin; i < end; ++i) {
        if (i != j && i != without) {
            auto size = abs(symmetric_entry(a, i, j));
            if (largest.row == -1 || largest.size < size) {
                largest = {std::move(size), i};
            }
        }
    }
    return largest;
}

/// A pivot of columns begin, ..., end - 1. Rows from `end` on are no candidates.
template <array_space S>
pivot_place find_pivot(const S& space, double threshold, host_block_of<S> a, index_t begin, index_t end)
{
    using scalar = typename S::scalar;
    using entry = entry_size<scalar>;
    const scalar zero = space.make_scalar(0.0);
    std::vector<std::optional<scalar>> beyond(static_cast<std::size_t>(end - begin));
    const auto largest_beyond = [&](index_t j) -> const scalar& {  // in rows that are no candidates
        std::optional<scalar>& largest = beyond[static_cast<std::size_t>(j - begin)];
        if (!largest) {
            const auto rows = a.column(j).part(end, a.rows);
            largest = end == a.rows ? zero : abs(rows.load(place_of_largest(rows)));
        }
        return *largest;
    };
    const auto beside = [&](index_t j) { return largest_beside(space, a, begin, end, j, -1); };
    const auto is_pivot = [&](index_t j, const scalar& largest, double share) {
        const scalar pivot = abs(a.column(j).load(j)), s = space.make_scalar(share);
        return zero < pivot && is_finite(pivot) && !(pivot < s * largest) && !(pivot < s * largest_beyond(j));
    };
    const auto is_pair = [&](index_t i, index_t j) {
        const scalar d_ij = abs(symmetric_entry(a, i, j));
        if (!(zero < d_ij) || !is_finite(d_ij)) {
            return false;
        }
        const auto share = [&](const scalar& x) { return std::abs(to_double(x / d_ij)); };
        const auto share_beside = [&](index_t p, index_t q) {
            return std::max(share(largest_beside(space, a, begin, end, p, q).size), share(largest_beyond(p)));
        };
        const scalar d_i = a.column(i).load(i), d_j = a.column(j).load(j);
        const double x = share(d_i), y = share(d_j), product = (zero < d_i) == (zero < d_j) ? x * y : -(x * y);
        const double det = std::abs(product - 1.0);  // D's over d_ij^2
        const double of_i = share_beside(i, j), of_j = share_beside(j, i);
        const bool cancels = least_cancelling < product && product < most_cancelling;
        return std::isfinite(product) && !cancels && threshold * (y * of_i + of_j) <= det &&
               threshold * (of_i + x * of_j) <= det;
    };
    for (index_t first = begin; first < end; ++first) {
        const entry of_first = beside(first);
        entry largest = of_first;
        for (index_t j = first;
             true;) {  // to larger and larger entries, the last of which is the largest of two columns
            if (is_pivot(j, largest.size, good_pivot)) {
                return {1, j, j};
            }
            const index_t i = largest.row;
            if (i == -1 || !(zero < largest.size)) {
                break;
            }
            entry next = beside(i);
            if (is_pivot(i, next.size, good_pivot)) {
                return {1, i, i};
            }
            if (!(largest.size < next.size)) {
                if (is_pair(i, j)) {
                    return {2, std::min(i, j), std::max(i, j)};
                }
                break;
            }
            j = i;
            largest = std::move(next);
        }
        if (is_pivot(first, of_first.size, threshold)) {
            return {1, first, first};
        }
        if (of_first.row != -1 && is_pair(first, of_first.row)) {
            return {2, std::min(first, of_first.row), std::max(first, of_first.row)};
        }
    }
    return {0, 0, 0};
}

}  // namespace residua::detail
