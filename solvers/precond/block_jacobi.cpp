#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <residua/io/interruption.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/precond/approximate_inverse.hpp>

namespace residua {
namespace {

constexpr index_t most = jacobi_block_rows;
static_assert(most % complex_block_rows == 0, "a block of a real form has whole complex numbers");

/// Memory for a dense block. A smaller block uses the first rows and columns.
using block = std::array<std::array<double, most>, most>;

/// The block of rows first, ..., first + size - 1, whose first column is first_row + first.
block diagonal_block(const sparse_matrix& a, index_t first_row, index_t first, index_t size)
{
    block b{};
    for (index_t i = 0; i < size; ++i) {
        for (index_t p = a.row_begin[first + i]; p < a.row_begin[first + i + 1]; ++p) {
            if (const index_t j = a.column[p] - first_row - first; 0 <= j && j < size) {
                b[i][j] = a.values[p];
            }
        }
    }
    return b;
}

/// m = inverse(b) by elimination with partial pivoting; false if a pivot vanishes.
bool invert_general(block b, index_t size, block& m)
{
    m = {};
    for (index_t i = 0; i < size; ++i) {
        m[i][i] = 1.0;
    }
    for (index_t k = 0; k < size; ++k) {
        index_t pivot = k;
        for (index_t i = k + 1; i < size; ++i) {
            pivot = std::abs(b[i][k]) > std::abs(b[pivot][k]) ? i : pivot;
        }
        std::swap(b[k], b[pivot]);
        std::swap(m[k], m[pivot]);
        if (b[k][k] == 0.0) {
            return false;
        }
        for (index_t i = k + 1; i < size; ++i) {
            const double factor = b[i][k] / b[k][k];
            for (index_t j = 0; j < size; ++j) {
                b[i][j] -= factor * b[k][j];
                m[i][j] -= factor * m[k][j];
            }
        }
    }
    for (index_t i = size - 1; i >= 0; --i) {
        for (index_t j = 0; j < size; ++j) {
            for (index_t k = i + 1; k < size; ++k) {
                m[i][j] -= b[i][k] * m[k][j];
            }
            m[i][j] /= b[i][i];
        }
    }
    return true;
}

/// m = inverse(b) = W'W with W = inverse(G), b = G G', exactly symmetric; false if a pivot is not positive.
bool invert_definite(block b, index_t size, block& m)
{
    block w{};
    for (index_t k = 0; k < size; ++k) {
        if (!(b[k][k] > 0.0)) {
            return false;
        }
        b[k][k] = std::sqrt(b[k][k]);
        for (index_t i = k + 1; i < size; ++i) {
            b[i][k] /= b[k][k];
            for (index_t j = k + 1; j <= i; ++j) {
                b[i][j] -= b[i][k] * b[j][k];
            }
        }
    }
    for (index_t i = 0; i < size; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            w[i][j] = i == j ? 1.0 : 0.0;
            for (index_t k = j; k < i; ++k) {
                w[i][j] -= b[i][k] * w[k][j];
            }
            w[i][j] /= b[i][i];
        }
    }
    m = {};
    for (index_t i = 0; i < size; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            for (index_t k = i; k < size; ++k) {
                m[i][j] += w[k][i] * w[k][j];
            }
            m[j][i] = m[i][j];
        }
    }
    return true;
}

}  // namespace

approximate_inverse invert_blocks(const sparse_matrix& a, bool definite, index_t first_row, index_t rows_of_block)
{
    const std::string name = rows_of_block == most ? "block Jacobi" : "Jacobi";
    constexpr double bytes_of_entry = 36.0;  // here, and where M is applied
    require_memory(("the " + name + " preconditioner").c_str(),
                   bytes_of_entry * static_cast<double>(a.rows) * static_cast<double>(rows_of_block));
    approximate_inverse result;
    sparse_matrix& all = result.matrix;
    all.rows = a.rows;
    all.cols = a.cols;
    all.complex = a.complex && !definite;
    all.row_begin.push_back(0);
    for (index_t first = 0; first < a.rows; first += rows_of_block) {
        io::ask_for_stop_at(first);
        const index_t size = std::min(rows_of_block, a.rows - first);
        block m;
        const block b = diagonal_block(a, first_row, first, size);
        const bool exists = definite ? invert_definite(b, size, m) : invert_general(b, size, m);
        for (index_t i = 0; all.complex && i < size; i += 2) {  // the second column of a number follows from the first
            for (index_t j = 0; j < size; j += 2) {
                m[i][j + 1] = -m[i + 1][j];
                m[i + 1][j + 1] = m[i][j];
            }
        }
        const auto finite = [](const auto& row) {
            return std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); });
        };
        if (!exists || !std::all_of(m.begin(), m.end(), finite)) {
            result.failure = name + ": the block of rows " + std::to_string(first_row + first + 1) + " to " +
                             std::to_string(first_row + first + size) + " is " +
                             (definite ? "not positive definite" : "singular in binary64");
            return result;
        }
        for (index_t i = 0; i < size; ++i) {
            for (index_t j = 0; j < size; ++j) {
                if (m[i][j] != 0.0) {
                    all.column.push_back(static_cast<std::int32_t>(first_row + first + j));
                    all.values.push_back(m[i][j]);
                }
            }
            all.row_begin.push_back(static_cast<index_t>(all.column.size()));
        }
    }
    return result;
}

}  // namespace residua
