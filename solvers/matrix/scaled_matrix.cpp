#include <residua/solvers/matrix/scaled_matrix.hpp>

#include <residua/io/interruption.hpp>
#include <residua/solvers/matrix/matching.hpp>
#include <residua/solvers/matrix/value_range.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace residua {
namespace {

constexpr long safe_exponent = 300;  // entries in 2^(+-300): products and sums of squares stay in range
constexpr long widest_spread = 600;
constexpr long most_uneven = 40;  // of rows: the default tolerance of binary64, 2^-47, still sees the smallest one

/// Calls f(i, j, e) for every nonzero entry, e its exponent.
template <class F>
void for_each_exponent(const sparse_matrix& system, F&& f)
{
    for (index_t i = 0; i < system.rows; ++i) {
        io::ask_for_stop_at(i);
        for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
            if (!is_zero_entry(system, k)) {
                f(i, static_cast<index_t>(system.column[k]), entry_exponent(system, k));
            }
        }
    }
}

/// The real form of a complex matrix has each entry twice, with rows and columns of their pairs exchanged. So duals with those of
/// each pair exchanged are duals as well, and so are the means of both, which keep the matrix a real form.
void take_means_of_pairs(std::vector<int>& exponent)
{
    for (std::size_t k = 0; k + 1 < exponent.size(); k += 2) {
        exponent[k] = exponent[k + 1] = (exponent[k] + exponent[k + 1]) >> 1;
    }
}

/// Rows and columns scaled by the duals of a matching of largest product, so that no entry is above 1 and each row has one
/// near 1 in a column of its own [DK01]. Scalings that only make the largest entry of each row and column 1 can put these
/// into few columns, beside which all else vanishes. A symmetric matrix stays symmetric, by the mean of both exponents [DP05].
void scale_by_matching(const sparse_matrix& system, scaled_matrix& result)
{
    std::vector<index_t> exponents(system.column.size(), no_entry);
    for (std::size_t k = 0; k < exponents.size(); ++k) {
        io::ask_for_stop_at(static_cast<index_t>(k));
        if (!is_zero_entry(system, static_cast<index_t>(k))) {
            exponents[k] = entry_exponent(system, static_cast<index_t>(k));
        }
    }
    row_matching matching = match_rows(system.row_begin, system.column, exponents);
    if (system.complex) {
        take_means_of_pairs(matching.row_exponent);
        take_means_of_pairs(matching.column_exponent);
    }
    if (result.symmetric || result.complex_symmetric) {
        for (std::size_t i = 0; i < matching.row_exponent.size(); ++i) {
            const int both = matching.row_exponent[i] + matching.column_exponent[i];
            matching.row_exponent[i] = matching.column_exponent[i] = both >> 1;
        }
    }
    result.row_exponent = std::move(matching.row_exponent);
    result.column_exponent = std::move(matching.column_exponent);
}

void scale_by_maxima(const sparse_matrix& system, scaled_matrix& result)
{
    constexpr long none = std::numeric_limits<long>::min();
    std::vector<long> largest(system.rows, none);
    for_each_exponent(system, [&](index_t i, index_t, long e) { largest[i] = std::max(largest[i], e); });
    for (index_t i = 0; i < system.rows; ++i) {
        result.row_exponent[i] = largest[i] == none ? 0 : static_cast<int>(-largest[i]);
    }
    largest.assign(system.cols, none);
    for_each_exponent(
        system, [&](index_t i, index_t j, long e) { largest[j] = std::max(largest[j], e + result.row_exponent[i]); });
    for (index_t j = 0; j < system.cols; ++j) {
        result.column_exponent[j] = largest[j] == none ? 0 : static_cast<int>(-largest[j]);
    }
}

/// The exponents of the smallest and the largest entry; the first is above the second if all are zero.
struct exponent_range {
    long least = std::numeric_limits<long>::max();
    long greatest = std::numeric_limits<long>::min();

    explicit exponent_range(const sparse_matrix& system)
    {
        if (const value_range range(system); range.is_told) {
            if (!range.is_zero()) {
                least = range.least_exponent();
                greatest = range.greatest_exponent();
            }
            return;
        }
        for_each_exponent(system, [&](index_t, index_t, long e) {
            least = std::min(least, e);
            greatest = std::max(greatest, e);
        });
    }

    bool is_safe() const { return least > greatest || (least >= -safe_exponent && greatest <= safe_exponent); }
    long spread() const { return least <= greatest ? greatest - least : 0; }
    bool is_wide() const { return spread() > widest_spread; }
};

/// Multiplies the entries by the powers of two that `result` has for them.
void scale_entries(const sparse_matrix& system, scaled_matrix& result)
{
    constexpr long bits = 2 * real::double_bits;  // of decimals before they are rounded to binary64
    std::vector<int> exponents(system.column.size());
    std::vector<double> values(system.column.size());
    for (index_t i = 0; i < system.rows; ++i) {
        io::ask_for_stop_at(i);
        for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
            const int e = result.row_exponent[i] + result.column_exponent[system.column[k]];
            exponents[k] = e;
            values[k] =
                system.exact.empty() ? std::ldexp(system.values[k], e) : to_double(ldexp(system.exact.at(k, bits), e));
        }
    }
    result.values = std::move(values);
    if (!system.exact.empty()) {
        result.exact = system.exact.scaled(exponents);
    }
}

bool are_uneven(const std::vector<int>& exponent)
{
    const auto [least, greatest] = std::minmax_element(exponent.begin(), exponent.end());
    return !exponent.empty() && long{*greatest} - long{*least} > most_uneven;
}

/// Whether rows, or columns once rows are scaled, differ much in size.
bool is_uneven(const sparse_matrix& system)
{
    scaled_matrix maxima;
    maxima.row_exponent.assign(system.rows, 0);
    maxima.column_exponent.assign(system.rows, 0);
    scale_by_maxima(system, maxima);
    return are_uneven(maxima.row_exponent) || are_uneven(maxima.column_exponent);
}

}  // namespace

bool scaled_matrix::is_scaled() const
{
    const auto some = [](const std::vector<int>& e) {
        return std::any_of(e.begin(), e.end(), [](int k) { return k != 0; });
    };
    return some(row_exponent) || some(column_exponent);
}

scaled_matrix unscaled(const sparse_matrix& system, bool symmetric, bool complex_symmetric)
{
    scaled_matrix result{system, {}, {}, symmetric, complex_symmetric && !symmetric};
    result.row_exponent.assign(system.rows, 0);
    result.column_exponent.assign(system.cols, 0);
    return result;
}

scaled_matrix scale_transposed(const sparse_matrix& transposed, const scaled_matrix& scaled)
{
    scaled_matrix result{transposed, scaled.column_exponent, scaled.row_exponent, scaled.symmetric,
                         scaled.complex_symmetric};
    if (scaled.is_scaled()) {
        scale_entries(transposed, result);
    }
    return result;
}

bool needs_no_scaling(const value_range& range)
{
    return range.is_zero() ||
           (range.is_told && range.least_exponent() >= -safe_exponent && range.greatest_exponent() <= safe_exponent &&
            range.greatest_exponent() - range.least_exponent() <= most_uneven);
}

scaled_matrix scale(const sparse_matrix& system, bool keep_symmetry, bool keep_complex_symmetry)
{
    if (system.rows != system.cols) {
        throw dimension_error("a solver needs a square matrix, this one is " + std::to_string(system.rows) + " x " +
                              std::to_string(system.cols));
    }
    scaled_matrix result = unscaled(system, keep_symmetry, keep_complex_symmetry);
    const exponent_range range(system);
    result.out_of_range = !range.is_safe();
    const bool one_by_one = result.out_of_range ? range.is_wide() : range.spread() > most_uneven && is_uneven(system);
    if (one_by_one) {
        scale_by_matching(system, result);
    } else if (result.out_of_range) {
        result.row_exponent.assign(system.rows, static_cast<int>(-range.greatest));
    } else {
        return result;
    }
    scale_entries(system, result);
    return result;
}

scaled_matrix scale_uniformly(const sparse_matrix& system)
{
    scaled_matrix result = unscaled(system, false);
    const exponent_range range(system);
    if (range.is_wide()) {
        throw unsupported_error("least squares take entries within 2^" + std::to_string(widest_spread) +
                                " of each other; the largest here is 2^" +
                                std::to_string(range.greatest - range.least) + " times the smallest");
    }
    if (!range.is_safe()) {
        result.row_exponent.assign(system.rows, static_cast<int>(-range.greatest));
        scale_entries(system, result);
    }
    return result;
}

}  // namespace residua
