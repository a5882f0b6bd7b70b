#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <residua/io/text.hpp>

namespace residua::io {

/// A file in a zip archive, as the directory at the end of the archive states it.
struct zip_member {
    std::string name;
    std::uint64_t method = 0;
    std::uint64_t packed_bytes = 0;
    std::uint64_t bytes = 0;
    std::uint64_t checksum = 0;
    std::uint64_t header_at = 0;  ///< in the archive
};

/// The unsigned number of `size` bytes, at most 8, of which the lowest comes first; at + size lies within the bytes.
std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t size);

/// The members of an archive, with the 64-bit sizes of large ones.
///
/// throws  input_error if the directory is damaged or cut short
std::vector<zip_member> zip_members(const text& archive);

/// The bytes of a member, stored or deflated, whose checksum is that of the archive.
///
/// cost    memory for as many bytes as the packed ones can stand for at most, whatever the directory says
/// throws  input_error if it is damaged, encrypted, or packed in another way
text_bytes unzip(const text& archive, const zip_member& member);

}  // namespace residua::io
