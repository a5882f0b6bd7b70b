#pragma once

#include <string>
#include <vector>

#include <residua/solvers/precond/factors.hpp>

namespace residua::bench {

/// A x = b in binary64 with a square A, both triangles stored, by rows and by columns.
struct sparse_problem {
    std::string name;
    int n = 0;
    sparse_matrix rows;
    std::vector<int> column_begin;  ///< n + 1 positions in the two arrays below
    std::vector<int> row;           ///< ascending in each column
    std::vector<double> value;
    bool symmetric = false;
    bool definite = false;  ///< symmetric with a positive diagonal: definite as far as one can tell without factors
    std::vector<double> b;  ///< A x, rounded, for a random x
};

/// Poisson's equation on `side` points in each of 2 or 3 dimensions.
sparse_problem make_grid(int dimensions, int side);

/// A MatrixMarket file.
///
/// throws  input_error, or unsupported_error if the matrix is not square
sparse_problem load_problem(const std::string& file);

/// The entries of the lower triangle by columns.
struct lower_triangle {
    std::vector<int> column_begin, row;
    std::vector<double> value;
};
lower_triangle lower_triangle_of(const sparse_problem& problem);

/// METIS's nested dissection of the graph of A + A', for solvers that have none of their own: unknown i comes at place
/// [i] of the elimination.
std::vector<int> nested_dissection(const sparse_problem& problem);

}  // namespace residua::bench
