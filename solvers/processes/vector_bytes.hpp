#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

/// Vectors on the host as messages.
namespace residua {

/// The words of a vector; not const, as for_each_buffer() is not.
template <class V>
std::vector<std::byte> bytes_of(V& x)
{
    std::vector<std::byte> bytes;
    x.for_each_buffer([&](auto& words) {
        const auto of_words = std::as_bytes(words.span());
        bytes.insert(bytes.end(), of_words.begin(), of_words.end());
    });
    return bytes;
}

/// x <- bytes_of() a vector of its size and format
template <class V>
void set_bytes(V& x, std::span<const std::byte> bytes)
{
    x.for_each_buffer([&](auto& words) {
        const auto of_words = std::as_writable_bytes(words.span());
        std::memcpy(of_words.data(), bytes.data(), of_words.size());
        bytes = bytes.subspan(of_words.size());
    });
}

}  // namespace residua
