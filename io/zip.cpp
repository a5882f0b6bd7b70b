#include <residua/io/zip.hpp>

#include <algorithm>
#include <cstring>

#include <zlib.h>

#include <residua/io/error.hpp>
#include <residua/io/interruption.hpp>

namespace residua::io {
namespace {

constexpr std::uint64_t in_64_bits = 0xffffffff;  // says that a number stands elsewhere
constexpr std::string_view end_mark{"PK\x05\x06"}, end64_mark{"PK\x06\x06"}, locator_mark{"PK\x06\x07"};
constexpr std::string_view entry_mark{"PK\x01\x02"}, member_mark{"PK\x03\x04"};
constexpr std::size_t end_size = 22, locator_size = 20, end64_size = 56, entry_size = 46, member_size = 30;

[[noreturn]] void fail(const text& archive, const std::string& reason)
{
    throw input_error(archive.name, 0, "damaged zip archive: " + reason + "; is the file cut short?");
}

/// Whether a record of `size` bytes with this mark stands at `at`.
bool stands_at(std::string_view bytes, std::uint64_t at, std::string_view mark, std::size_t size)
{
    return at <= bytes.size() && bytes.size() - at >= size && bytes.substr(at, mark.size()) == mark;
}

/// Where the directory begins, and how many entries it has.
struct directory {
    std::uint64_t begin;
    std::uint64_t count;
};

directory find_directory(const text& archive)
{
    const std::string_view bytes = archive.bytes;
    const std::size_t at = bytes.rfind(end_mark);
    if (at == std::string_view::npos || !stands_at(bytes, at, end_mark, end_size)) {
        fail(archive, "the directory at its end is missing");
    }
    if (at >= locator_size && stands_at(bytes, at - locator_size, locator_mark, locator_size)) {
        const std::uint64_t end64 = little_endian(bytes, at - locator_size + 8, 8);
        if (!stands_at(bytes, end64, end64_mark, end64_size)) {
            fail(archive, "its 64-bit directory is missing");
        }
        return {little_endian(bytes, end64 + 48, 8), little_endian(bytes, end64 + 32, 8)};
    }
    return {little_endian(bytes, at + 16, 4), little_endian(bytes, at + 10, 2)};
}

/// Replaces the numbers of a member that an extra field holds in 64 bits.
void take_64_bits(zip_member& member, std::string_view extra)
{
    constexpr std::uint64_t kind_of_64_bits = 1;
    while (extra.size() >= 4) {
        const std::size_t size = std::min<std::size_t>(little_endian(extra, 2, 2), extra.size() - 4);
        if (little_endian(extra, 0, 2) == kind_of_64_bits) {
            std::string_view numbers = extra.substr(4, size);
            for (std::uint64_t* number : {&member.bytes, &member.packed_bytes, &member.header_at}) {
                if (*number == in_64_bits && numbers.size() >= 8) {
                    *number = little_endian(numbers, 0, 8);
                    numbers.remove_prefix(8);
                }
            }
        }
        extra.remove_prefix(4 + size);
    }
}

/// Unpacks raw deflate data into exactly the bytes that are there for them.
bool inflate_into(text_bytes& to, std::string_view packed)
{
    constexpr std::size_t most_at_once = std::size_t{1} << 24;
    z_stream z{};
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK) {
        throw std::bad_alloc();
    }
    const struct ended {
        z_stream& stream;
        ~ended() { inflateEnd(&stream); }
    } at_end{z};
    std::size_t taken = 0;
    std::size_t made = 0;
    char no_room = 0;
    for (int status = Z_OK; status != Z_STREAM_END;) {
        ask_for_stop();
        const std::size_t in = std::min(packed.size() - taken, most_at_once);
        const std::size_t out = std::min(to.size() - made, most_at_once);
        z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
        z.avail_in = static_cast<uInt>(in);
        z.next_out = reinterpret_cast<Bytef*>(out > 0 ? to.data() + made : &no_room);
        z.avail_out = static_cast<uInt>(out);
        status = inflate(&z, Z_NO_FLUSH);
        taken += in - z.avail_in;
        made += out - z.avail_out;
        if (status == Z_MEM_ERROR) {
            throw std::bad_alloc();
        }
        if (status != Z_OK && status != Z_STREAM_END) {
            return false;
        }
    }
    return made == to.size();
}

}  // namespace

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t size)
{
    std::uint64_t number = 0;
    for (std::size_t k = size; k > 0; --k) {
        number = number << 8 | static_cast<unsigned char>(bytes[at + k - 1]);
    }
    return number;
}

std::vector<zip_member> zip_members(const text& archive)
{
    const std::string_view bytes = archive.bytes;
    const directory all = find_directory(archive);
    std::vector<zip_member> members;
    std::uint64_t at = all.begin;
    for (std::uint64_t k = 0; k < all.count; ++k) {
        if (!stands_at(bytes, at, entry_mark, entry_size)) {
            fail(archive, "entry " + std::to_string(k + 1) + " of its directory is missing");
        }
        const std::size_t name_size = little_endian(bytes, at + 28, 2);
        const std::size_t extra_size = little_endian(bytes, at + 30, 2);
        const std::size_t comment_size = little_endian(bytes, at + 32, 2);
        if (bytes.size() - at - entry_size < name_size + extra_size + comment_size) {
            fail(archive, "entry " + std::to_string(k + 1) + " of its directory is incomplete");
        }
        zip_member& member = members.emplace_back();
        member.method = little_endian(bytes, at + 10, 2);
        member.checksum = little_endian(bytes, at + 16, 4);
        member.packed_bytes = little_endian(bytes, at + 20, 4);
        member.bytes = little_endian(bytes, at + 24, 4);
        member.header_at = little_endian(bytes, at + 42, 4);
        member.name = bytes.substr(at + entry_size, name_size);
        take_64_bits(member, bytes.substr(at + entry_size + name_size, extra_size));
        at += entry_size + name_size + extra_size + comment_size;
    }
    return members;
}

text_bytes unzip(const text& archive, const zip_member& member)
{
    constexpr std::uint64_t stored = 0, deflated = 8, most_of_a_byte = 1032;  // deflate, in the format's best case
    const std::string_view bytes = archive.bytes;
    const std::string name = "member " + quote(member.name);
    if (!stands_at(bytes, member.header_at, member_mark, member_size)) {
        fail(archive, name + " is not where the directory says");
    }
    if ((little_endian(bytes, member.header_at + 6, 2) & 1) != 0) {
        throw input_error(archive.name, 0, name + " is encrypted");
    }
    const std::uint64_t begin = member.header_at + member_size + little_endian(bytes, member.header_at + 26, 2) +
                                little_endian(bytes, member.header_at + 28, 2);
    if (begin > bytes.size() || bytes.size() - begin < member.packed_bytes) {
        fail(archive, name + " ends behind the end of the file");
    }
    const std::string_view packed = bytes.substr(begin, member.packed_bytes);
    if (member.method != stored && member.method != deflated) {
        throw input_error(archive.name, 0,
                          name + " is packed by method " + std::to_string(member.method) +
                              "; only stored and deflated ones are read, as numpy.savez_compressed writes them");
    }
    if (member.method == stored ? member.bytes != packed.size() : member.bytes / most_of_a_byte > packed.size()) {
        fail(archive, name + " cannot have " + std::to_string(member.bytes) + " bytes");
    }
    text_bytes content;
    content.resize(member.bytes);
    if (member.method == stored) {
        std::memcpy(content.data(), packed.data(), packed.size());
    } else if (!inflate_into(content, packed)) {
        fail(archive, name + " cannot be decompressed");
    }
    if (crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()) != member.checksum) {
        fail(archive, name + " has another checksum than its directory states");
    }
    return content;
}

}  // namespace residua::io
