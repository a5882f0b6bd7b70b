#pragma once

#include <cstdint>
#include <vector>

#include <residua/blas/base/view.hpp>
#include <residua/solvers/matrix/prime_field.hpp>

namespace residua {

/// A dense matrix modulo a prime, of which rows and columns are found that are linearly independent.
///
/// cost   m n r multiply-adds for the rank r, most of them in products of binary64 matrices, which are exact
/// stops  by io::ask_for_stop() at each panel
class modular_elimination {
public:
    /// A matrix of zeros.
    ///
    /// rows   a number for each row, for the caller
    modular_elimination(const prime_field& field, std::vector<std::int32_t> rows, index_t columns);

    double* column(index_t j) { return entries_.data() + j * size_; }

    /// Appends the numbers of as many rows as the rank, and as many columns: the matrix in these is not singular. The
    /// entries are lost.
    void find(std::vector<std::int32_t>& rows, std::vector<index_t>& columns);

private:
    /// Swaps the first row with an entry of column j into place, if there is one.
    bool bring_pivot(index_t j);
    /// Makes column j one of L, and updates the columns of the panel behind it.
    void eliminate(index_t j, index_t last);
    /// Updates the columns behind a panel, whose pivots are rows begin, ..., done_ - 1.
    void update(index_t begin, index_t last);

    prime_field field_;
    std::vector<std::int32_t> row_;
    index_t size_;
    index_t columns_;
    std::vector<double> entries_;
    std::vector<double> below_;   // L below a panel
    std::vector<index_t> panel_;  // the columns of its pivots
    index_t done_ = 0;
};

}  // namespace residua
