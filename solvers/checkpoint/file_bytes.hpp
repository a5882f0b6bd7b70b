#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// Reads and writes bytes at a place of a file, whole or not at all, whatever signals come.
namespace residua::detail {

/// The meaning of an errno, in words.
std::string words_of(int error);

/// throws  std::system_error if not all can be written
void write_all(int file, const void* data, std::size_t size, std::uint64_t offset);

/// Reads `size` bytes; false if the file ends before, or cannot be read.
bool read_all(int file, void* data, std::size_t size, std::uint64_t offset);

/// Returns when all that was written is on the disk.
///
/// throws  std::system_error
void sync(int file);

std::uint64_t size_of(int file);

/// Gives a file a name that no file has yet. The name outlives a power failure.
///
/// throws  std::system_error, of std::errc::file_exists if there is a file of that name
void rename_to_new(const std::string& from, const std::string& to);

}  // namespace residua::detail
