#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <residua/solvers/sparse_direct/matching.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

namespace residua {
namespace {

/// Halves of the even exponents that bring a positive diagonal to [1/2, 2); false if it is not positive.
bool scale_diagonal(const sparse_rows& a, std::vector<int>& exponent)
{
    exponent.assign(static_cast<std::size_t>(a.n), 0);
    for (index_t i = 0; i < a.n; ++i) {
        const auto begin = a.column.begin() + a.row_begin[i];
        const auto end = a.column.begin() + a.row_begin[i + 1];
        const auto diagonal = std::lower_bound(begin, end, static_cast<std::int32_t>(i));
        const bool stored = diagonal != end && *diagonal == i;
        const double value = stored ? a.value[static_cast<std::size_t>(diagonal - a.column.begin())] : 0.0;
        if (!(value > 0.0)) {
            return false;
        }
        exponent[i] = -static_cast<int>(std::floor(0.5 * (std::ilogb(value) + 1)));
    }
    return true;
}

/// Chains of entries can ask for scales that are far beyond binary64's range. Any power of two is a right one.
std::vector<int> within_range(std::vector<int> exponent)
{
    static constexpr int most = 300;
    std::transform(exponent.begin(), exponent.end(), exponent.begin(),
                   [](int e) { return std::clamp(e, -most, most); });
    return exponent;
}

}  // namespace

sparse_analysis analyze_for_factors(const sparse_rows& a, bool symmetric)
{
    sparse_analysis result;
    result.symmetric = symmetric;
    if (symmetric) {
        result.row_of_column.resize(static_cast<std::size_t>(a.n));
        std::iota(result.row_of_column.begin(), result.row_of_column.end(), 0);
        if (!scale_diagonal(a, result.row_exponent)) {
            result.failure = "the matrix is not positive definite: its diagonal is not positive";
            return result;
        }
        result.column_exponent = result.row_exponent;
        result.tree = find_assembly_tree(pattern_of(a));
        return result;
    }
    row_matching matching = match_rows(a);
    if (matching.size < a.n) {
        const auto alone = std::find(matching.row_of_column.begin(), matching.row_of_column.end(), -1);
        result.failure = "the matrix is structurally singular: column " +
                         std::to_string(alone - matching.row_of_column.begin() + 1) + " has no row of its own";
        return result;
    }
    result.row_of_column = std::move(matching.row_of_column);
    result.row_exponent = within_range(std::move(matching.row_exponent));
    result.column_exponent = within_range(std::move(matching.column_exponent));
    result.tree = find_assembly_tree(pattern_of(a, result.row_of_column));
    return result;
}

}  // namespace residua
