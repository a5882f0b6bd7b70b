#include <residua/io/binary64.hpp>

#include <array>
#include <bit>
#include <cstddef>

namespace residua::io {

namespace {

__extension__ using uint128 = unsigned __int128;

constexpr std::uint64_t largest_significand = (std::uint64_t{1} << 53) - 1;

/// For smaller coefficients, the nearest binary64 is off by less than half a unit of the coefficient, as 2^-53 of it.
constexpr std::uint64_t close_coefficients = std::uint64_t{1} << 52;

/// True of every power of ten from 10^15 on, among others: below one, a unit of as many digits is a tenth of one above.
/// A smaller power of ten is closer to its nearest binary64 than half of such a tenth.
constexpr bool may_begin_a_decade(std::uint64_t coefficient) { return coefficient % (1 << 15) == 0; }

/// 10^k, exact.
constexpr std::array<double, 23> exact_powers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// 5^k for k = 0..27, all that 64 bits hold.
constexpr auto powers_of_five = []() {
    std::array<std::uint64_t, 28> power{};
    power[0] = 1;
    for (std::size_t k = 1; k < power.size(); ++k) {
        power[k] = 5 * power[k - 1];
    }
    return power;
}();

/// (high 2^64 + low) 2^unit, cut off: less than 2^unit below the number it stands for. The top bit of `high` is set.
struct cut_power {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::int32_t unit = 0;
};

constexpr std::int32_t least_power = -342;  // below, 2^64 5^q 2^q rounds to zero
constexpr std::int32_t most_power = 308;

/// A natural number of up to 960 bits, the lowest ones first.
using long_number = std::array<std::uint64_t, 15>;

constexpr cut_power leading_bits(const long_number& x, std::int32_t unit)
{
    std::size_t top = x.size() - 1;
    while (x[top] == 0) {
        --top;
    }
    const auto word = [&](std::size_t below_top) { return below_top <= top ? x[top - below_top] : 0; };
    const int shift = std::countl_zero(x[top]);
    const auto shifted = [&](std::size_t k) {
        return shift == 0 ? word(k) : (word(k) << shift) | (word(k + 1) >> (64 - shift));
    };
    return {shifted(0), shifted(1), unit + static_cast<std::int32_t>(64 * top) - 64 - shift};
}

/// The leading bits of 5^q for all q. Positive powers are multiplied by five, negative ones divided:
/// floor(floor(2^N / 5^k) / 5) is floor(2^N / 5^(k + 1)), so nothing but the last cut is lost.
constexpr std::array<cut_power, most_power - least_power + 1> make_cut_powers()
{
    std::array<cut_power, most_power - least_power + 1> powers{};
    long_number x{};
    x[0] = 1;
    for (std::int32_t q = 0; q <= most_power; ++q) {
        powers[static_cast<std::size_t>(q - least_power)] = leading_bits(x, 0);
        uint128 carry = 0;
        for (std::uint64_t& word : x) {
            carry += uint128{word} * 5;
            word = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
    }
    x.fill(0);
    x.back() = std::uint64_t{1} << 63;
    constexpr std::int32_t one = 64 * static_cast<std::int32_t>(x.size()) - 1;  // x = 2^one
    for (std::int32_t q = -1; q >= least_power; --q) {
        uint128 rest = 0;
        for (std::size_t k = x.size(); k > 0; --k) {
            rest = (rest << 64) | x[k - 1];
            x[k - 1] = static_cast<std::uint64_t>(rest / 5);
            rest %= 5;
        }
        powers[static_cast<std::size_t>(q - least_power)] = leading_bits(x, -one);
    }
    return powers;
}

constexpr std::array<cut_power, most_power - least_power + 1> cut_powers = make_cut_powers();

/// By the product of the coefficient, its top bit moved to 2^63, with the power of five.
std::optional<nearest_number> by_product(std::uint64_t coefficient, std::int32_t exponent)
{
    const cut_power& power = cut_powers[static_cast<std::size_t>(exponent - least_power)];
    const int lead = std::countl_zero(coefficient);
    const std::uint64_t w = coefficient << lead;
    const uint128 upper = uint128{w} * power.high + ((uint128{w} * power.low) >> 64);
    // The number is in [upper, upper + 2) 2^(64 + unit): one for the product's lower half, one for what the power lost.
    const int shift = (upper >> 127) != 0 ? 75 : 74;
    const std::uint64_t significand = static_cast<std::uint64_t>(upper >> shift);  // 53 bits
    const uint128 rest = upper & ((uint128{1} << shift) - 1);
    const uint128 half = uint128{1} << (shift - 1);
    if (half < rest + 2 && rest <= half) {
        return std::nullopt;
    }
    const std::int32_t unit = power.unit + exponent - lead + 64 + shift;  // of the significand
    const std::int32_t biased = unit + 52 + 1023;
    if (biased < 1 || biased > 2045) {
        return std::nullopt;
    }
    // A significand that is rounded up to 2^53 carries into the exponent, as it should.
    const std::uint64_t bits = (static_cast<std::uint64_t>(biased - 1) << 52) + significand + (rest > half ? 1 : 0);
    const uint128 distance = rest > half ? 2 * half - rest : rest;
    const uint128 least_unit = uint128{power.high} << lead;  // of the coefficient
    return nearest_number{std::bit_cast<double>(bits),
                          2 * (distance + 2) < least_unit && !may_begin_a_decade(coefficient)};
}

}  // namespace

std::optional<nearest_number> nearest_binary64(std::uint64_t coefficient, std::int32_t exponent)
{
    if (coefficient == 0) {
        return nearest_number{0.0, true};
    }
    constexpr auto most_exact = static_cast<std::int32_t>(exact_powers.size()) - 1;
    if (coefficient < close_coefficients && -most_exact <= exponent && exponent <= most_exact) {
        const double x = static_cast<double>(coefficient);
        return nearest_number{exponent < 0 ? x / exact_powers[static_cast<std::size_t>(-exponent)]
                                           : x * exact_powers[static_cast<std::size_t>(exponent)],
                              !may_begin_a_decade(coefficient)};
    }
    if (exponent < least_power || exponent > most_power) {
        return std::nullopt;
    }
    return by_product(coefficient, exponent);
}

bool fits_53_bits(std::uint64_t coefficient, std::int32_t exponent)
{
    if (coefficient == 0) {
        return true;
    }
    if (exponent < 0) {  // 5^-exponent must divide the coefficient; 5^28 > 2^64
        if (coefficient % 5 != 0 || exponent <= -28) {
            return false;
        }
        const std::uint64_t power = powers_of_five[static_cast<std::size_t>(-exponent)];
        const std::uint64_t odd = coefficient / power;
        return coefficient % power == 0 && odd >> std::countr_zero(odd) <= largest_significand;
    }
    return exponent < 23 && coefficient >> std::countr_zero(coefficient) <=  // 5^23 is beyond 53 bits
                                largest_significand / powers_of_five[static_cast<std::size_t>(exponent)];
}

}  // namespace residua::io
