#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace residua::io {

/// The bytes of an input, decompressed, and the name that messages about it begin with.
///
/// Kept by the caller, so that it can be parsed twice: to binary64, and to decimals in full.
struct text {
    std::string name;
    std::string bytes;
};

/// Reads a file, plain or gzip (told by its first bytes); "-" is standard input, named "<stdin>".
///
/// cost    memory in proportion to the data that is really there, as far as it has been read
/// throws  input_error if it cannot be read or its gzip data are damaged or cut short;
///         resource_error if memory does not suffice
text load(const std::string& path);

/// The same for an open stream, read from where it stands to its end.
text load(std::FILE* stream, const std::string& name);

/// The same for bytes in memory.
text make_text(std::string name, std::string bytes);

/// The text between quotes, fit for a one-line message: other bytes than printable ASCII as \xNN,
/// at most 40 of them.
std::string quote(std::string_view bytes);

}  // namespace residua::io
