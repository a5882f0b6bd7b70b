#include <residua/solvers/matrix/structure.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <residua/arith/base/eft.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/matrix/mirror_images.hpp>

namespace residua {
namespace {

int sign_of(const sparse_matrix& system, index_t k)
{
    const double nearest = system.values[k];
    if (nearest == 0.0 && !system.exact.empty()) {
        return system.exact.sign(static_cast<std::size_t>(k));
    }
    return (nearest > 0.0) - (nearest < 0.0);
}

/// Whether the entry of row i in column `diagonal_at` is no smaller than all others together. Sums of binary64 numbers
/// that are rounded or overflow are made by MPFR, correctly rounded and so with the right sign.
bool is_dominant(const sparse_matrix& system, index_t i, index_t diagonal_at)
{
    const index_t begin = system.row_begin[i];
    const index_t end = system.row_begin[i + 1];
    if (system.exact.empty()) {
        double diagonal = 0.0;
        double others = 0.0;
        bool exact = true;
        for (index_t k = begin; k < end; ++k) {
            const double size = std::abs(system.values[k]);
            if (system.column[k] == diagonal_at) {
                diagonal = size;
            } else {
                const rounded sum = two_sum(others, size);
                others = sum.value;
                exact = exact && sum.error == 0.0;
            }
        }
        if (exact) {
            return diagonal >= others;
        }
    }
    if (!system.exact.empty()) {
        const auto weight = [&](std::size_t k) {
            const int s = sign_of(system, static_cast<index_t>(k));
            return system.column[k] == diagonal_at ? s : -s;
        };
        return sign(system.exact.sum(static_cast<std::size_t>(begin), static_cast<std::size_t>(end), weight, 64)) >= 0;
    }
    std::vector<real> terms;
    for (index_t k = begin; k < end; ++k) {
        const real size = abs(real(system.values[k]));
        terms.push_back(system.column[k] == diagonal_at ? size : -size);
    }
    std::vector<mpfr_ptr> places;
    places.reserve(terms.size());
    for (real& term : terms) {
        places.push_back(term.mpfr());
    }
    real sum(0.0);
    mpfr_sum(sum.mpfr(), places.data(), places.size(), MPFR_RNDN);
    return sign(sum) >= 0;
}

/// Compares the nonzero entries with the nonzero entries of the transpose.
void inspect_symmetry(const sparse_matrix& system, matrix_structure& result)
{
    bool symmetric = true, skew_symmetric = true;
    // the block [a -b; b a] of a number in a real form, and that of the same number in the mirror image: parts b are opposite
    bool complex_symmetric = system.complex;
    const bool pairs = has_mirror_images(
        system, [&](index_t k) { return sign_of(system, k) != 0; },  // a stored zero is no entry
        [&](index_t p, index_t q, index_t i, index_t j) {
            const bool equal = equal_entries(system, p, q), opposite = opposite_entries(system, p, q);
            symmetric = symmetric && equal;
            skew_symmetric = skew_symmetric && opposite;
            complex_symmetric = complex_symmetric && ((i + j) % 2 == 0 ? equal : opposite);
            return symmetric || skew_symmetric || complex_symmetric;
        });
    result.symmetric = pairs && symmetric;
    result.skew_symmetric = pairs && skew_symmetric;
    result.complex_symmetric = pairs && complex_symmetric;
}

/// "row 5", or "row 5 (the first of 3)"
std::string first_of(const char* what, index_t first, index_t count)
{
    return what + (" " + std::to_string(first + 1)) +
           (count > 1 ? " (the first of " + std::to_string(count) + ")" : "");
}

}  // namespace

std::string zero_words(const matrix_structure& structure)
{
    std::string which;
    if (structure.zero_rows > 0) {
        which = first_of("row", structure.first_zero_row, structure.zero_rows);
    }
    if (structure.zero_cols > 0) {
        which += (which.empty() ? "" : " and ") + first_of("column", structure.first_zero_col, structure.zero_cols);
    }
    const bool one = structure.zero_rows == 0 || structure.zero_cols == 0;
    return which.empty() ? which : which + (one ? " has" : " have") + " no nonzero entry";
}

matrix_structure inspect_rows(const sparse_matrix& rows, index_t first_row, index_t rows_of_all)
{
    matrix_structure result;
    result.square = rows_of_all == rows.cols;
    result.nonzero_diagonal = result.positive_diagonal = result.diagonally_dominant = result.square;
    for (index_t local = 0; local < rows.rows; ++local) {
        io::ask_for_stop_at(local);
        const index_t i = first_row + local;
        bool row_used = false;
        int diagonal_sign = 0;
        for (index_t k = rows.row_begin[local]; k < rows.row_begin[local + 1]; ++k) {
            const int s = sign_of(rows, k);
            if (s == 0) {
                continue;
            }
            const index_t j = rows.column[k];
            row_used = true;
            result.lower_bandwidth = std::max(result.lower_bandwidth, i - j);
            result.upper_bandwidth = std::max(result.upper_bandwidth, j - i);
            if (j == i) {
                diagonal_sign = s;
            }
        }
        if (!row_used && result.zero_rows++ == 0) {
            result.first_zero_row = i;
        }
        result.nonzero_diagonal = result.nonzero_diagonal && diagonal_sign != 0;
        result.positive_diagonal = result.positive_diagonal && diagonal_sign > 0;
        result.diagonally_dominant = result.diagonally_dominant && is_dominant(rows, local, i);
    }
    return result;
}

matrix_structure inspect(const sparse_matrix& system)
{
    matrix_structure result = inspect_rows(system, 0, system.rows);
    std::vector<char> column_used(static_cast<std::size_t>(system.cols), 0);
    for (index_t k = 0; k < system.nonzeros(); ++k) {
        io::ask_for_stop_at(k);
        if (sign_of(system, k) != 0) {
            column_used[system.column[k]] = 1;
        }
    }
    result.zero_cols = std::count(column_used.begin(), column_used.end(), 0);
    result.first_zero_col = std::find(column_used.begin(), column_used.end(), 0) - column_used.begin();
    if (result.square) {
        inspect_symmetry(system, result);
    }
    return result;
}

}  // namespace residua
