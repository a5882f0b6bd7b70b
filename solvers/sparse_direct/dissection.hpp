#pragma once

#include <residua/solvers/sparse_direct/ordering.hpp>

namespace residua {

/// The multiply-adds of L L' in the first fronts of a nested dissection. Separators by METIS cut the graph, then its
/// parts, level by level; each counts as a dense front with all that its part touches outside. The count ends once it
/// exceeds `enough`, or after the third level. Parts of fewer than 1000 unknowns are left out.
///
/// errors  of meshes it is 0.1 to 0.9 of what the better of minimum degree and nested dissection takes, of random
///         graphs up to 1.2 times as much (tests/solvers/sparse_direct/dissection_test.cpp)
/// cost    a separator takes a twelfth of the time of nested dissection, for a grid of a million points
/// order   as find_order()
/// throws  as find_order()
double count_top_of_dissection(const symmetric_pattern& pattern, double enough);

}  // namespace residua
