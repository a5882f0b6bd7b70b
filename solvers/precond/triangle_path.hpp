#pragma once

#include <residua/blas/level2/triangle.hpp>
#include <residua/solvers/precond/factors.hpp>

namespace residua {

/// What a solve with sparse triangles takes. Its row levels (blas::row_levels) follow one another.
struct triangle_path {
    double entries = 0.0;  ///< in all rows
    double levels = 0.0;
    double steps = 0.0;  ///< the entries of the longest row of each level, added up

    triangle_path& operator+=(const triangle_path& other)
    {
        entries += other.entries;
        levels += other.levels;
        steps += other.steps;
        return *this;
    }
};

/// The path of a triangle, all of whose entries lie in it.
///
/// cost  one pass over the entries
triangle_path path_of(blas::uplo which, const sparse_matrix& triangle);

/// The path of L and then U.
triangle_path path_of(const triangular_factors& factors);

}  // namespace residua
