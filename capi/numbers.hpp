#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <residua/arith/real/read_decimal.hpp>
#include <residua/solvers/system/load.hpp>

#include "errors.hpp"

/// Doubles and decimals of the caller as numbers of the library.
namespace residua::capi {

/// place  called for "number 3 of b" where something is wrong
/// throws  invalid_argument if it is not a finite number
template <class Place>
real number_of(double x, const Place& place)
{
    if (!std::isfinite(x)) {
        throw invalid_argument(place() + " is " + to_string(x) + ", not a finite number");
    }
    return x;
}

/// A decimal in as many bits as a right-hand side has.
template <class Place>
real number_of(const char* text, const Place& place)
{
    if (text == nullptr) {
        throw invalid_argument(place() + " is NULL");
    }
    if (!io::is_decimal(text)) {
        throw invalid_argument(place() + " is \"" + std::string(text).substr(0, 40) + "\", not a decimal");
    }
    const io::binary64_result nearest = io::round_to_binary64(io::decimal_word(text));
    return nearest.status == io::binary64_status::exact ? real(nearest.value) : real(text, decimal_bits());
}

/// NAME[0], ..., NAME[size - 1]
template <class Value>
std::vector<real> numbers_of(const Value* values, std::int64_t size, const char* name)
{
    if (size > 0) {
        require_pointer(values, name);
    }
    std::vector<real> numbers;
    for (std::int64_t k = 0; k < size; ++k) {
        numbers.push_back(number_of(values[k], [&] { return name + ("[" + std::to_string(k) + "]"); }));
    }
    return numbers;
}

/// The most digits of a decimal that is written.
inline constexpr int most_digits_written = 1'000'000;

/// Writes text as C takes it: no more than `size` bytes, the last of them a 0, and to *needed what holds all.
///
/// throws  invalid_argument if it does not fit, unless size is 0
void put_text(const std::string& from, char* text, std::size_t size, std::size_t* needed);

}  // namespace residua::capi
