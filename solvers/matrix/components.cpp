#include <residua/solvers/matrix/components.hpp>

#include <algorithm>
#include <utility>

namespace residua {
namespace {

int one(std::size_t) { return 1; }

/// The sign of the sum of weight(k) times entry k of a row, exactly, weights being 0 or 1.
template <class Weight>
int sign_of_row_sum(const sparse_matrix& a, index_t i, const Weight& weight)
{
    const index_t begin = a.row_begin[i];
    const index_t end = a.row_begin[i + 1];
    if (!a.exact.empty()) {
        return sign(a.exact.sum(static_cast<std::size_t>(begin), static_cast<std::size_t>(end), weight, 64));
    }
    double sum = 0.0;
    bool is_exact = true;
    for (index_t k = begin; k < end && is_exact; ++k) {
        const double term = weight(static_cast<std::size_t>(k)) == 0 ? 0.0 : a.values[k];
        const double next = sum + term;
        is_exact = next - sum == term && next - term == sum;
        sum = next;
    }
    if (is_exact) {
        return sum > 0.0 ? 1 : sum < 0.0 ? -1 : 0;
    }
    std::vector<real> numbers;
    for (index_t k = begin; k < end; ++k) {
        numbers.emplace_back(weight(static_cast<std::size_t>(k)) == 0 ? 0.0 : a.values[k]);
    }
    return sign(exact_entries(std::move(numbers)).sum(0, static_cast<std::size_t>(end - begin), one, 64));
}

matrix_components components_of(joined_sets& sets, index_t n)
{
    matrix_components all;
    for (std::int32_t i = 0; i < n; ++i) {
        const std::int32_t first = sets.first(i);
        if (first == i) {
            all.of_unknown.push_back(static_cast<std::int32_t>(all.first.size()));
            all.first.push_back(i);
            all.size.push_back(0);
        } else {
            all.of_unknown.push_back(all.of_unknown[static_cast<std::size_t>(first)]);
        }
        ++all.size[static_cast<std::size_t>(all.of_unknown.back())];
    }
    return all;
}

/// Which unknowns have no positive diagonal entry.
std::vector<char> without_positive_diagonal(const sparse_matrix& a)
{
    std::vector<char> are(static_cast<std::size_t>(a.rows), 1);
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            if (a.column[k] == i) {
                const auto at = static_cast<std::size_t>(k);
                are[static_cast<std::size_t>(i)] =
                    (a.exact.empty() ? a.values[k] > 0.0 : a.exact.sign(at) > 0) ? char{0} : char{1};
            }
        }
    }
    return are;
}

zero_sums find_zero_sums_among(const sparse_matrix& a, const std::vector<char>& unknowns)
{
    const auto is_among = [&](index_t k) { return unknowns[static_cast<std::size_t>(a.column[k])] != 0; };
    joined_sets sets(a.rows);
    for (index_t i = 0; i < a.rows; ++i) {
        std::int32_t first = -1;
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            if (is_among(k) && !is_zero_entry(a, k)) {
                first = first < 0 ? a.column[k] : first;
                sets.join(first, a.column[k]);
            }
        }
    }
    zero_sums found{.sets = components_of(sets, a.rows), .vanishes = {}};
    std::vector<char> vanishes(found.sets.first.size());
    for (std::size_t c = 0; c < vanishes.size(); ++c) {
        vanishes[c] = unknowns[static_cast<std::size_t>(found.sets.first[c])];
    }
    for (index_t i = 0; i < a.rows; ++i) {
        std::int32_t set = -1;  // that of the unknowns in this row
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1] && set < 0; ++k) {
            if (is_among(k) && !is_zero_entry(a, k)) {
                set = found.sets.of_unknown[static_cast<std::size_t>(a.column[k])];
            }
        }
        if (set >= 0 && vanishes[static_cast<std::size_t>(set)] != 0 &&
            sign_of_row_sum(a, i, [&](std::size_t k) { return is_among(static_cast<index_t>(k)) ? 1 : 0; }) != 0) {
            vanishes[static_cast<std::size_t>(set)] = 0;
        }
    }
    for (std::size_t c = 0; c < vanishes.size(); ++c) {
        if (vanishes[c] != 0) {
            found.vanishes.push_back(static_cast<std::int32_t>(c));
        }
    }
    return found;
}

}  // namespace

matrix_components find_components(const sparse_matrix& a)
{
    joined_sets sets(a.rows);
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            if (!is_zero_entry(a, k)) {
                sets.join(static_cast<std::int32_t>(i), a.column[k]);
            }
        }
    }
    return components_of(sets, a.rows);
}

std::optional<int> laplacian_sum(const sparse_matrix& a, index_t i, index_t diagonal)
{
    for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
        const bool is_positive = a.exact.empty() ? a.values[k] > 0.0 : a.exact.sign(static_cast<std::size_t>(k)) > 0;
        if (is_positive && a.column[k] != diagonal) {
            return std::nullopt;
        }
    }
    const int sum = sign_of_row_sum(a, i, one);
    return sum < 0 ? std::nullopt : std::optional(sum);
}

std::vector<std::int32_t> floating_components(const sparse_matrix& a, const matrix_components& components)
{
    std::vector<char> floats(components.first.size(), 1);
    for (index_t i = 0; i < a.rows; ++i) {
        const std::optional<int> sum = laplacian_sum(a, i, i);
        if (!sum) {
            return {};
        }
        if (*sum > 0) {
            floats[static_cast<std::size_t>(components.of_unknown[static_cast<std::size_t>(i)])] = 0;
        }
    }
    std::vector<std::int32_t> found;
    for (std::size_t c = 0; c < floats.size(); ++c) {
        if (floats[c] != 0) {
            found.push_back(static_cast<std::int32_t>(c));
        }
    }
    return found;
}

zero_sums find_zero_sums(const sparse_matrix& a)
{
    const std::vector<char> unknowns = without_positive_diagonal(a);
    zero_sums found = find_zero_sums_among(a, unknowns);
    if (found.vanishes.empty() && std::count(unknowns.begin(), unknowns.end(), 0) > 0) {
        found = find_zero_sums_among(a, std::vector<char>(unknowns.size(), 1));
    }
    return found;
}

}  // namespace residua
