#pragma once

#include <string>
#include <vector>

#include <residua/solvers/matrix/linear_system.hpp>

namespace residua {

/// Writes a matrix as a MatrixMarket file of coordinates, from which load_matrix() reads the same matrix: decimals have the
/// digits that they were written with, but for zeros at their ends, and entry_reading::decimal reads them as such whatever they
/// look like; matrices of binary64 numbers have the fewest digits that read back to them, and other numbers all of their digits.
///
/// path    "-" is standard output
/// throws  error if the file cannot be written in full; unsupported_error if an entry has more than a million digits
void save_matrix(const std::string& path, const linear_system& a);

/// Writes vectors as the columns of a MatrixMarket array.
///
/// digits   significant ones of each number; 0: as many as read back to it in its own precision
/// complex  whether the columns are in real form
/// throws   error if the file cannot be written in full; dimension_error if there is no column, or their lengths differ
void save_columns(const std::string& path, const std::vector<std::vector<real>>& columns, int digits = 0,
                  bool complex = false);

}  // namespace residua
