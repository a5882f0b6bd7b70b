#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <residua/arith/real/real.hpp>

#include "errors.hpp"
#include "handles.hpp"

/// Converts numbers of the caller to numbers of the library.
namespace residua::capi {

/// Whether numbers are complex. Number k of them are then the real numbers 2 k and 2 k + 1 here, its parts.
///
/// throws  invalid_argument if they are held by what is no residua_vector
bool are_complex(const residua_numbers& from, const char* name);

/// throws  invalid_argument for an unknown kind of residua_numbers, for a number of terms or limbs out of range, and
///         for NULL if numbers are read
void require_parts(const residua_numbers& from, bool are_read, const char* name);
/// require_parts() for numbers that have to be real.
void require_numbers(const residua_numbers& from, bool are_read, const char* name);

/// The name of a number in an error message: "value[3]", or "number 3 of column 0 of b".
struct place {
    const char* array;
    std::int64_t number;
    std::int64_t column = -1;  ///< -1: there are none
};

/// Number k, exactly; a decimal in as many bits as a right-hand side has.
///
/// throws  invalid_argument if it is not a finite number, or no number of a residua_vector
real number_at(const residua_numbers& from, std::int64_t k, const place& where);

/// NAME[0], ..., NAME[size - 1], which have to be real.
std::vector<real> numbers_of(const residua_numbers& from, std::int64_t size, const char* name);
/// numbers_of() for real or complex ones, from number `first` on. Complex ones, and all if `as_complex`, come in real form.
std::vector<real> parts_of(const residua_numbers& from, std::int64_t first, std::int64_t size, const char* name,
                           bool as_complex, std::int64_t column = -1);

/// Calls with(span) for the first `size` real numbers of a matrix, as doubles, as texts or as reals. A number for which
/// is_gap(k) holds is not looked at.
template <class Gap, class With>
auto with_values(const residua_numbers& value, std::size_t size, const Gap& is_gap, const With& with)
{
    require_parts(value, size > 0, "value");
    const int kind = value.kind & ~RESIDUA_PAIRS;
    if (kind == RESIDUA_DOUBLES || (kind == RESIDUA_TERMS && value.each == 1)) {
        return with(std::span<const double>(static_cast<const double*>(value.at), size));
    }
    if (kind == RESIDUA_DECIMALS) {
        const std::span<const char* const> texts(static_cast<const char* const*>(value.at), size);
        for (std::size_t k = 0; k < size; ++k) {
            if (texts[k] == nullptr && !is_gap(k)) {
                throw invalid_argument("value[" + std::to_string(k) + "] is NULL");
            }
        }
        return with(texts);
    }
    std::vector<real> numbers;
    numbers.reserve(size);
    for (std::size_t k = 0; k < size; ++k) {
        const auto number = static_cast<std::int64_t>(k);
        numbers.push_back(is_gap(k) ? real() : number_at(value, number, {.array = "value", .number = number}));
    }
    return with(std::span<const real>(numbers));
}

/// The most doubles, and the most limbs, that a number may have.
inline constexpr int most_terms = 39;
inline constexpr int most_limbs = 1 << 14;

/// The most digits with which a decimal is written.
inline constexpr int most_digits_written = 1'000'000;

/// throws  invalid_argument if decimals cannot have `digits` digits
void require_digits(int digits);

/// Writes text as C takes it: at most `size` bytes, the last of them 0. *needed gets the size that holds all of it.
///
/// throws  invalid_argument if it does not fit, unless size is 0
void put_text(const std::string& from, char* text, std::size_t size, std::size_t* needed);

}  // namespace residua::capi
