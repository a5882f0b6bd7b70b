#pragma once

#include <string_view>

#include <residua/io/file_format.hpp>

namespace residua::io {

/// Whether the third line states a type of these formats, three letters, and a count; or the second one the kind of a
/// supplementary file of Rutherford-Boeing.
bool begins_harwell_boeing(std::string_view bytes);

/// A file of Harwell-Boeing or Rutherford-Boeing: columns one after the other, in fields of Fortran formats. Full
/// right-hand sides, guesses and exact solutions of Harwell-Boeing are other parts of the file.
///
/// from    Duff, Grimes, Lewis, Users' Guide for the Harwell-Boeing Sparse Matrix Collection, 1992, and The
///         Rutherford-Boeing Sparse Matrix Collection, 1997. The counts of lines in the header are not used: sizes and
///         formats say where each section ends
/// throws  unsupported_error for elemental matrices, for values or right-hand sides that are not in full, and for
///         supplementary files
text rewrite_harwell_boeing(const text& file, file_part part);

}  // namespace residua::io
