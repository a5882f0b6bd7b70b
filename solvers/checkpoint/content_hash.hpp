#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace residua {

/// The key by which a state is found, and which shows whether it is whole: 128 bits that depend on every byte.
struct content_key {
    std::array<std::uint64_t, 2> word{};

    friend auto operator<=>(const content_key&, const content_key&) = default;
    /// 32 hexadecimal digits.
    std::string text() const
    {
        constexpr std::string_view digits = "0123456789abcdef";
        std::string result;
        for (const std::uint64_t each : word) {
            for (int shift = 60; shift >= 0; shift -= 4) {
                result += digits[each >> static_cast<unsigned>(shift) & 15U];
            }
        }
        return result;
    }
};

/// Mixes bytes to a content_key, however they are cut into pieces. It finds accidents: whoever wants two contents with one key
/// can make them.
///
/// cost  some 0.3 ns a byte
class content_hash {
public:
    content_hash() = default;
    /// Says what is hashed, so that contents of different kinds have different keys.
    explicit content_hash(std::string_view kind) { add(kind); }

    content_hash& add(const void* data, std::size_t size)
    {
        const auto* from = static_cast<const unsigned char*>(data);
        length_ += size;
        while (size > 0 && (filled_ > 0 || size < 8)) {
            pending_ |= std::uint64_t{*from++} << (8U * filled_);
            --size;
            if (++filled_ == 8) {
                mix(pending_);
                pending_ = 0;
                filled_ = 0;
            }
        }
        for (; size >= 8; size -= 8, from += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, from, 8);
            mix(word);
        }
        for (; size > 0; --size) {
            pending_ |= std::uint64_t{*from++} << (8U * filled_++);
        }
        return *this;
    }
    /// A number, an enumerator or a key. Types with bytes between their members do not compile.
    template <class T>
        requires std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>
    content_hash& add(const T& x)
    {
        return add(&x, sizeof x);
    }
    content_hash& add(std::string_view text) { return add_all(text); }
    /// Numbers that lie side by side, and how many there are.
    template <class Numbers>
    content_hash& add_all(const Numbers& numbers)
    {
        add(numbers.size());
        return add(numbers.data(), numbers.size() * sizeof(*numbers.data()));
    }

    content_key key() const
    {
        content_hash last = *this;
        last.mix(pending_);
        last.mix(length_);
        return {{finished(last.a_ + last.b_), finished(last.a_ ^ std::rotl(last.b_, 17))}};
    }

private:
    void mix(std::uint64_t word)
    {
        a_ = std::rotl((a_ ^ word) * 0x9e3779b97f4a7c15U, 29);
        b_ = (std::rotl(b_, 31) + word) * 0xc2b2ae3d27d4eb4fU;
    }
    static std::uint64_t finished(std::uint64_t x)
    {
        x = (x ^ x >> 33U) * 0xff51afd7ed558ccdU;
        x = (x ^ x >> 33U) * 0xc4ceb9fe1a85ec53U;
        return x ^ x >> 33U;
    }

    std::uint64_t a_ = 0x243f6a8885a308d3U, b_ = 0x13198a2e03707344U;  // digits of pi
    std::uint64_t pending_ = 0, length_ = 0;
    unsigned filled_ = 0;
};

}  // namespace residua
