#pragma once

#include <cstdint>

#include <residua/blas/multidigit/elements.hpp>

/// Conversions of one number, in memory and word by word. One text serves any two precisions: no size is a template
/// argument.
namespace residua::blas::detail {

/// y_i <- x_i rounded to nearest even with p bits.
struct multidigit_resize {
    int p = 0;  ///< bits of y
    multidigit_operand x;
    multidigit_result y;

    RESIDUA_HD void operator()(index_t i) const
    {
        using residua::detail::highest_bit;
        constexpr int apart = residua::detail::words_apart;
        const std::uint32_t* const from = x.start.number(i * x.stride);
        std::uint32_t* const to = y.start.number(i * y.stride);
        const int digits = y.start.digits;
        const int top = x.start.digits - 1;
        const int first = top + 1 - digits;  // the digit of x that becomes digit 0 of y
        const auto code = static_cast<std::int32_t>(from[(top + 1) * apart] ^ highest_bit);
        const bool regular = residua::detail::is_regular(code);
        const std::uint32_t sign = from[top * apart] & highest_bit;
        const auto digit = [&](int k) {
            const std::uint32_t word = k < 0 ? 0 : from[k * apart];
            return k == top ? (word & ~highest_bit) | (regular ? highest_bit : 0) : word;
        };

        const int spare = 32 * digits - p;                // lowest bits of digit 0 of y, which are zero
        const int split = spare > 0 ? first : first - 1;  // the digit of x with the first bit that goes
        const int place = spare > 0 ? spare - 1 : 31;     // and its place
        const std::uint32_t half = std::uint32_t{1} << place;
        std::uint32_t below = digit(split) & (half - 1);
        for (int k = 0; k < split; ++k) {
            below |= from[k * apart];
        }
        const std::uint32_t unit = std::uint32_t{1} << spare;
        const bool odd = (digit(first) & unit) != 0;
        const bool up = (digit(split) & half) != 0 && (below != 0 || odd);

        std::uint32_t carry = up ? unit : 0;
        for (int k = 0; k < digits; ++k) {
            const std::uint32_t word = (k == 0 ? ~(unit - 1) : ~std::uint32_t{0}) & digit(first + k);
            const std::uint32_t sum = word + carry;
            carry = sum < word ? 1 : 0;
            to[k * apart] = k == digits - 1 ? (sum & ~highest_bit) | sign : sum;  // 2^32 leaves the bits of 2^31
        }
        const std::int64_t exponent = std::int64_t{code} + carry;
        const bool overflows = regular && exponent > multidigit_most_exponent;
        const auto result = overflows ? residua::detail::multidigit_infinity_code : static_cast<std::int32_t>(exponent);
        to[digits * apart] = static_cast<std::uint32_t>(result) ^ highest_bit;
    }
};

/// y_i <- x_i rounded to binary64
struct multidigit_to_binary64 {
    multidigit_operand x;
    double* y = nullptr;

    RESIDUA_HD void operator()(index_t i) const
    {
        constexpr int apart = residua::detail::words_apart;
        const std::uint32_t* const word = x.start.number(i * x.stride);
        const int digits = x.start.digits;
        std::uint32_t rest = 0;
        for (int k = 0; k < digits - 2; ++k) {
            rest |= word[k * apart];
        }
        const std::uint32_t top = word[(digits - 1) * apart];
        using residua::detail::highest_bit;
        const auto exponent = static_cast<std::int32_t>(word[digits * apart] ^ highest_bit);
        const multidigit_float<std::uint32_t, 3> leading{
            {rest, word[(digits - 2) * apart], top | highest_bit}, exponent, (top & highest_bit) != 0};
        y[i] = to_double(leading);
    }
};

/// y_i <- x_i, exactly
struct multidigit_from_binary64 {
    const double* x = nullptr;
    multidigit_result y;

    RESIDUA_HD void operator()(index_t i) const
    {
        using residua::detail::highest_bit;
        constexpr int apart = residua::detail::words_apart;
        const auto leading = to_multidigit<std::uint32_t, 2>(x[i]);
        std::uint32_t* const word = y.start.number(i * y.stride);
        const int digits = y.start.digits;
        for (int k = 0; k < digits - 2; ++k) {
            word[k * apart] = 0;
        }
        word[(digits - 2) * apart] = leading.d[0];
        word[(digits - 1) * apart] = (leading.d[1] & ~highest_bit) | (leading.negative ? highest_bit : 0);
        word[digits * apart] = static_cast<std::uint32_t>(leading.exponent) ^ highest_bit;
    }
};

}  // namespace residua::blas::detail
