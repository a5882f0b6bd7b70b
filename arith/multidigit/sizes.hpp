#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <residua/arith/multidigit/type.hpp>

/// Calls DO(N) for each count of digits of 64 bits that is compiled.
#define RESIDUA_FOR_EACH_MULTIDIGIT_SIZE(DO) \
    DO(1)                                    \
    DO(2)                                    \
    DO(3)                                    \
    DO(4)                                    \
    DO(5)                                    \
    DO(6)                                    \
    DO(7)                                    \
    DO(8)                                    \
    DO(10)                                   \
    DO(12)                                   \
    DO(14)                                   \
    DO(16)                                   \
    DO(19)                                   \
    DO(22)                                   \
    DO(26)                                   \
    DO(31)                                   \
    DO(37)                                   \
    DO(44)                                   \
    DO(53)                                   \
    DO(64)

namespace residua {
namespace detail {

template <machine_digit Digit>
inline constexpr auto multidigit_sizes =
    std::array{2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 19, 23, 27, 32, 38, 45, 53, 63, 75, 90, 107, 128};
#define RESIDUA_SIZE(N) N,
template <>
inline constexpr auto multidigit_sizes<std::uint64_t> = std::array{RESIDUA_FOR_EACH_MULTIDIGIT_SIZE(RESIDUA_SIZE)};
#undef RESIDUA_SIZE

/// Whether each size takes over where the one before ends, up to the highest precision.
template <machine_digit Digit, std::size_t K = 0>
constexpr bool sizes_have_no_gap()
{
    constexpr auto& sizes = multidigit_sizes<Digit>;
    if constexpr (K + 1 == sizes.size()) {
        return static_cast<int>(8 * sizeof(Digit)) * sizes[K] == multidigit_most_bits;
    } else {
        return sizes[K + 1] - spare_digits<sizes[K + 1]> <= sizes[K] + 1 && sizes_have_no_gap<Digit, K + 1>();
    }
}
static_assert(sizes_have_no_gap<std::uint32_t>() && sizes_have_no_gap<std::uint64_t>());

}  // namespace detail

/// Digits that p bits take.
template <machine_digit Digit>
constexpr int multidigit_count(int p)
{
    return (p + static_cast<int>(8 * sizeof(Digit)) - 1) / static_cast<int>(8 * sizeof(Digit));
}

/// Calls f.template operator()<N>() for the least compiled size N >= digits >= 1. Numbers have at most
/// multidigit_most_bits bits.
template <machine_digit Digit, std::size_t K = 0, class F>
decltype(auto) with_multidigit_size(int digits, const F& f)
{
    constexpr auto& sizes = detail::multidigit_sizes<Digit>;
    if constexpr (K + 1 < sizes.size()) {
        if (digits > sizes[K]) {
            return with_multidigit_size<Digit, K + 1>(digits, f);
        }
    }
    return f.template operator()<sizes[K]>();
}

}  // namespace residua
