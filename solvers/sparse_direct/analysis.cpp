#include <residua/solvers/sparse_direct/analysis.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include <residua/io/interruption.hpp>
#include <residua/solvers/matrix/matching.hpp>

namespace residua {
namespace {

/// Limits exponents of scales. Chains of entries can ask for scales far beyond binary64's range. Any power of two is
/// allowed: where some are cut, entries of the scaled matrix differ in size as those of A do, pivots may be delayed or
/// too small, and then there are no factors.
std::vector<int> within_range(std::vector<int> exponent)
{
    for (int& e : exponent) {
        e = std::clamp(e, -300, 300);
    }
    return exponent;
}

/// (r_i + c_i) / 2, rounded down
std::vector<int> half_sums(std::vector<int> r, const std::vector<int>& c)
{
    std::transform(r.begin(), r.end(), c.begin(), r.begin(),
                   [](int r_i, int c_i) { return static_cast<int>((std::int64_t{r_i} + c_i) >> 1); });
    return r;
}

/// Number order_k of these for each k.
std::vector<int> in_order(const std::vector<int>& numbers, const std::vector<std::int32_t>& order)
{
    std::vector<int> result;
    std::transform(order.begin(), order.end(), std::back_inserter(result),
                   [&](std::int32_t k) { return numbers[static_cast<std::size_t>(k)]; });
    return result;
}

/// Why a matching leaves out columns; empty if it leaves out none.
std::string why_incomplete(const row_matching& matching)
{
    const auto alone = std::find(matching.row_of_column.begin(), matching.row_of_column.end(), -1);
    return alone == matching.row_of_column.end()
               ? ""
               : "the matrix is structurally singular: column " +
                     std::to_string(alone - matching.row_of_column.begin() + 1) + " has no row of its own";
}

/// Whether a matrix that is symmetric, or else the real form of a complex symmetric matrix, is the second. The parts that tell are
/// imaginary ones: between the two there is no other difference.
bool is_of_complex_symmetric(const sparse_matrix& a)
{
    const auto sign_at = [&](index_t p) {
        const auto place = static_cast<std::size_t>(p);
        return a.exact.empty() ? (a.values[place] > 0.0) - (a.values[place] < 0.0) : a.exact.sign(place);
    };
    for (index_t i = 0; i < a.rows && a.complex; ++i) {
        io::ask_for_stop_at(i);
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            const index_t j = a.column[p];
            if ((i + j) % 2 != 0 && sign_at(p) != 0) {
                const auto end = a.column.begin() + a.row_begin[j + 1];
                const auto q = std::lower_bound(a.column.begin() + a.row_begin[j], end, static_cast<std::int32_t>(i));
                return q != end && *q == i && sign_at(q - a.column.begin()) != sign_at(p);
            }
        }
    }
    return false;
}

/// The larger parts of the numbers of a complex matrix, of which A is the real form.
sparse_matrix larger_parts(const sparse_matrix& a)
{
    std::vector<index_t> row_begin{0};
    std::vector<std::int32_t> column;
    std::vector<double> values;
    std::vector<std::pair<std::int32_t, double>> row;
    for (index_t i = 0; i + 1 < a.rows; i += 2) {
        io::ask_for_stop_at(i);
        row.clear();
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 2]; ++p) {
            row.emplace_back(a.column[p] / 2, -std::abs(a.values[p]));
        }
        std::sort(row.begin(), row.end());  // the largest of a column is its first
        for (const auto& [j, minus_size] : row) {
            if (static_cast<index_t>(column.size()) == row_begin.back() || column.back() != j) {
                column.push_back(j);
                values.push_back(-minus_size);
            }
        }
        row_begin.push_back(static_cast<index_t>(column.size()));
    }
    const index_t n = a.rows / 2;
    return {n, n, std::move(row_begin), std::move(column), std::move(values)};
}

/// 2k and 2k + 1 for each number k.
std::vector<std::int32_t> in_pairs(const std::vector<std::int32_t>& numbers)
{
    std::vector<std::int32_t> pairs;
    pairs.reserve(2 * numbers.size());
    for (const std::int32_t k : numbers) {
        pairs.insert(pairs.end(), {2 * k, 2 * k + 1});
    }
    return pairs;
}

/// Each number twice.
std::vector<int> twice(const std::vector<int>& numbers)
{
    std::vector<int> all;
    all.reserve(2 * numbers.size());
    for (const int k : numbers) {
        all.insert(all.end(), {k, k});
    }
    return all;
}

/// Whether more numbers in the diagonal of a complex matrix have the larger imaginary than the larger real part.
bool is_imaginary_in_diagonal(const sparse_matrix& a)
{
    index_t more = 0;
    for (index_t i = 0; i < a.rows; i += 2) {
        double re = 0.0, im = 0.0;
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            if (a.column[p] / 2 == i / 2) {
                (a.column[p] == i ? re : im) = std::abs(a.values[p]);
            }
        }
        more += (im > re) - (im < re);
    }
    return more > 0;
}

}  // namespace

bool scale_diagonal(const sparse_matrix& a, std::vector<int>& exponent)
{
    exponent.assign(static_cast<std::size_t>(a.rows), 0);
    for (index_t i = 0; i < a.rows; ++i) {
        io::ask_for_stop_at(i);
        const auto begin = a.column.begin() + a.row_begin[i];
        const auto end = a.column.begin() + a.row_begin[i + 1];
        const auto diagonal = std::lower_bound(begin, end, static_cast<std::int32_t>(i));
        const bool stored = diagonal != end && *diagonal == i;
        const double value = stored ? a.values[static_cast<std::size_t>(diagonal - a.column.begin())] : 0.0;
        if (!(value > 0.0)) {
            return false;
        }
        exponent[i] = -static_cast<int>(std::floor(0.5 * (std::ilogb(value) + 1)));
    }
    return true;
}

sparse_analysis match_and_scale(const sparse_matrix& a)
{
    row_matching matching = match_rows(a);
    sparse_analysis result;
    result.kind = factor_kind::lu;
    result.failure = why_incomplete(matching);
    if (result.failure.empty()) {
        result.row_of_column = std::move(matching.row_of_column);
        result.row_exponent = within_range(std::move(matching.row_exponent));
        result.column_exponent = within_range(std::move(matching.column_exponent));
    }
    return result;
}

sparse_analysis analyze_for_factors(const sparse_matrix& a, factor_kind kind, const sparse_analysis* earlier,
                                    double most_multiply_adds)
{
    sparse_analysis result;
    if (kind == factor_kind::lu) {
        result = match_and_scale(a);
    } else {
        result.row_of_column.resize(static_cast<std::size_t>(a.rows));
        std::iota(result.row_of_column.begin(), result.row_of_column.end(), 0);
        if (kind == factor_kind::ldl) {
            if (is_of_complex_symmetric(a)) {
                result.negates_odd_rows = !is_imaginary_in_diagonal(a);
                if (!result.negates_odd_rows) {
                    std::transform(result.row_of_column.begin(), result.row_of_column.end(),
                                   result.row_of_column.begin(), [](std::int32_t i) { return i ^ 1; });
                }
            }
            const row_matching matching = match_rows(a);
            result.failure = why_incomplete(matching);
            const std::vector<int> of_rows = in_order(matching.row_exponent, result.row_of_column);
            result.column_exponent = within_range(half_sums(of_rows, matching.column_exponent));
        } else if (!scale_diagonal(a, result.column_exponent)) {
            result.failure = "the matrix is not positive definite: its diagonal is not positive";
        }
        // rows are in their own place, or exchanged in pairs: the same exchange takes the exponents back
        result.row_exponent = in_order(result.column_exponent, result.row_of_column);
    }
    result.kind = kind;
    if (result.failure.empty()) {
        for (index_t i = 0; i < a.rows; ++i) {
            io::ask_for_stop_at(i);
            const auto begin = a.column.begin() + a.row_begin[i], end = a.column.begin() + a.row_begin[i + 1];
            const index_t last = kind == factor_kind::lu ? a.cols : result.row_of_column[i];
            result.entries += std::upper_bound(begin, end, last) - begin;
        }
        const bool serves = earlier != nullptr && earlier->failure.empty() && earlier->serves(most_multiply_adds) &&
                            earlier->row_of_column == result.row_of_column;
        if (serves) {
            result.tree = earlier->tree;
            result.least_multiply_adds = earlier->least_multiply_adds;
        } else {
            const double of_one = kind == factor_kind::lu ? 2.0 : 1.0;  // L U takes twice as many as L L'
            found_tree found = find_assembly_tree(pattern_of(a, result.row_of_column), most_multiply_adds / of_one);
            result.tree = std::move(found.tree);
            result.least_multiply_adds = of_one * found.least_multiply_adds;
        }
    }
    return result;
}

sparse_analysis analyze_in_pairs(const sparse_matrix& a)
{
    const sparse_matrix sizes = larger_parts(a);
    sparse_analysis result = match_and_scale(sizes);
    result.in_pairs = true;
    result.entries = a.nonzeros();
    if (result.failure.empty()) {
        assembly_tree tree = find_assembly_tree(pattern_of(sizes, result.row_of_column)).tree;
        tree.n *= 2;
        tree.unknown = in_pairs(tree.unknown);
        tree.below_rows = in_pairs(tree.below_rows);
        for (auto* places : {&tree.first_pivot, &tree.below_begin}) {
            std::transform(places->begin(), places->end(), places->begin(), [](index_t place) { return 2 * place; });
        }
        result.tree = std::move(tree);
        result.row_of_column = in_pairs(result.row_of_column);
        result.row_exponent = twice(result.row_exponent);
        result.column_exponent = twice(result.column_exponent);
    }
    return result;
}

double bytes_of_fronts(const sparse_analysis& analysis, double bytes_of_number)
{
    constexpr double of_entry = 16.0, of_pivot = 24.0, of_front = 320.0;  // places, exponents, pointers
    constexpr double numbers_in_vain = 64.0, least_numbers = 512.0;       // unused, between planes of longer vectors
    const double of_row = analysis.is_symmetric() ? 12.0 : 16.0;
    const assembly_tree& tree = analysis.tree;
    double numbers = cost_of(tree, analysis.is_symmetric()).most_entries, bytes = 0.0;
    for (index_t f = 0; f < tree.fronts(); ++f) {
        const auto order = static_cast<double>(tree.order(f));
        bytes += of_front + of_row * order;
        numbers += static_cast<double>(tree.pivots(f)) * order < least_numbers ? 0.0 : numbers_in_vain;
    }
    return bytes + numbers * bytes_of_number + of_entry * static_cast<double>(analysis.entries) +
           of_pivot * static_cast<double>(tree.n);
}

}  // namespace residua
