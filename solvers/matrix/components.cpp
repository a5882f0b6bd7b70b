#include <residua/solvers/matrix/components.hpp>

#include <utility>

namespace residua {
namespace {

/// The sign of the sum of a row, exactly; the entries off the diagonal are not positive.
int sign_of_row_sum(const sparse_matrix& a, index_t i)
{
    const index_t begin = a.row_begin[i];
    const index_t end = a.row_begin[i + 1];
    if (!a.exact.empty()) {
        return sign(a.exact.sum(
            static_cast<std::size_t>(begin), static_cast<std::size_t>(end), [](std::size_t) { return 1; }, 64));
    }
    double sum = 0.0;
    bool is_exact = true;
    for (index_t k = begin; k < end && is_exact; ++k) {
        const double next = sum + a.values[k];
        is_exact = next - sum == a.values[k] && next - a.values[k] == sum;
        sum = next;
    }
    if (is_exact) {
        return sum > 0.0 ? 1 : sum < 0.0 ? -1 : 0;
    }
    std::vector<real> numbers;
    for (index_t k = begin; k < end; ++k) {
        numbers.emplace_back(a.values[k]);
    }
    return sign(exact_entries(std::move(numbers))
                    .sum(
                        0, static_cast<std::size_t>(end - begin), [](std::size_t) { return 1; }, 64));
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
    matrix_components all;
    for (std::int32_t i = 0; i < a.rows; ++i) {
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

std::optional<int> laplacian_sum(const sparse_matrix& a, index_t i, index_t diagonal)
{
    for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
        const bool is_positive = a.exact.empty() ? a.values[k] > 0.0 : a.exact.sign(static_cast<std::size_t>(k)) > 0;
        if (is_positive && a.column[k] != diagonal) {
            return std::nullopt;
        }
    }
    const int sum = sign_of_row_sum(a, i);
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

}  // namespace residua
