#pragma once

#include <cstdint>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/io/error.hpp>
#include <residua/solvers/base/shared_vector.hpp>
#include <residua/solvers/matrix/exact_entries.hpp>

namespace residua {

struct scaled_double;
class state_archive;

/// A sparse matrix in compressed rows, columns ascending in a row. Copies share the arrays.
///
/// If all entries are binary64 numbers, `exact` is empty and `values` has them. Otherwise `exact` has them, and `values`
/// their roundings to binary64.
struct sparse_matrix {
    index_t rows = 0;
    index_t cols = 0;
    shared_vector<index_t> row_begin{};    ///< rows + 1 positions in the arrays below
    shared_vector<std::int32_t> column{};  ///< ascending in each row
    shared_vector<double> values{};
    exact_entries exact{};  ///< empty, or as long as `values`
    bool complex = false;   ///< rows 2 k and 2 k + 1 are the parts of row k of a complex matrix, columns likewise

    index_t nonzeros() const { return static_cast<index_t>(column.size()); }
};

/// Entry k, rounded to `bits` bits if it is a decimal, otherwise as it is held.
inline real entry(const sparse_matrix& a, index_t k, long bits)
{
    const auto place = static_cast<std::size_t>(k);
    return a.exact.empty() ? real(a.values[place]) : a.exact.at(place, bits);
}

inline bool is_zero_entry(const sparse_matrix& a, index_t k)
{
    const auto place = static_cast<std::size_t>(k);
    return a.values[place] == 0.0 && (a.exact.empty() || a.exact.sign(place) == 0);
}

/// Entry k to binary64's precision, whatever its size.
scaled_double leading_part(const sparse_matrix& a, index_t k);

/// An e with 2^(e - 1) <= |a_k| (1 + 2^-52) and |a_k| <= 2^e, for an entry that is not zero.
long entry_exponent(const sparse_matrix& a, index_t k);

/// Throws unless the matrix is as `sparse_matrix` says: sizes, positions and order of columns.
///
/// throws  dimension_error
void require_valid(const sparse_matrix& a);

/// Writes a matrix into a state, or reads it from one.
void archive(state_archive& io, sparse_matrix& a);

/// A * (1, ..., 1), exactly: the right-hand side whose solution is all ones. Sums of decimals are rounded once, to 8256 bits.
std::vector<real> row_sums(const sparse_matrix& a);

}  // namespace residua
