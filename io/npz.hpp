#pragma once

#include <string_view>

#include <residua/io/file_format.hpp>

namespace residua::io {

bool begins_npz(std::string_view bytes);

/// An archive of arrays of NumPy: a sparse matrix by scipy.sparse.save_npz, as csr, csc or coo, or a single array by
/// numpy.savez.
///
/// throws  unsupported_error for sparse matrices of other kinds and for several arrays
text rewrite_npz(const text& file, file_part part);

}  // namespace residua::io
