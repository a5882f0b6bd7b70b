// Any bytes: a plain scanner tells what of them is a decimal, MPFR what it rounds to. The first twelve bytes are a coefficient
// and an exponent too.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <mpfr.h>

#include <residua/io/binary64.hpp>
#include <residua/io/decimal.hpp>
#include <residua/io/decimal_scan.hpp>

#include "tests/fuzz/target.hpp"

namespace {

using namespace residua;
using fuzz::require;
__extension__ using int128 = __int128;

/// A decimal byte by byte: |x| = digits 10^exponent, without zeros at either end.
struct plain_decimal {
    bool valid = false;
    bool exponent_fits = true;
    std::size_t size = 0;  ///< of what is scanned
    std::string digits;
    int128 exponent = 0;
    int128 typed_exponent = 0;
};

plain_decimal scanned(std::string_view text)
{
    const auto at = [&](std::size_t k) { return k < text.size() ? text[k] : '\0'; };
    const auto is_digit = [&](std::size_t k) { return at(k) >= '0' && at(k) <= '9'; };
    plain_decimal x;
    std::size_t& k = x.size;
    k += at(0) == '+' || at(0) == '-';
    bool any = false, point = false;
    for (; is_digit(k) || (at(k) == '.' && !point); ++k) {
        if (at(k) == '.') {
            point = true;
            continue;
        }
        any = true;
        x.digits += at(k);
        x.exponent -= point;
    }
    if (!any) {
        return x;
    }
    if (std::string_view("eEdD").find(at(k)) != std::string_view::npos && at(k) != '\0') {
        ++k;
        const bool negative = at(k) == '-';
        k += at(k) == '+' || at(k) == '-';
        const std::size_t first = k;
        for (; is_digit(k); ++k) {
            x.typed_exponent = std::min<int128>(x.typed_exponent * 10 + (at(k) - '0'), int128{1} << 100);
        }
        if (k == first) {
            return x;
        }
        x.typed_exponent = negative ? -x.typed_exponent : x.typed_exponent;
        x.exponent_fits = INT64_MIN <= x.typed_exponent && x.typed_exponent <= INT64_MAX;
        x.exponent += x.typed_exponent;
    }
    x.valid = true;
    x.digits.erase(0, std::min(x.digits.find_first_not_of('0'), x.digits.size()));
    while (x.digits.ends_with('0')) {
        x.digits.pop_back();
        x.exponent += 1;
    }
    x.exponent = x.digits.empty() ? 0 : x.exponent;
    return x;
}

struct rounding {
    double value;
    bool exact;
};

/// With binary64's exponents and its subnormal numbers. MPFR is not given exponents at the ends of its own range.
rounding by_mpfr(std::string_view sign, const plain_decimal& plain)
{
    const auto exponent = static_cast<long>(std::clamp<int128>(plain.exponent, -1000000, 1000000));
    const std::string text =
        std::string(sign) + (plain.digits.empty() ? "0" : plain.digits) + "e" + std::to_string(exponent);
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    mpfr_t x;
    mpfr_init2(x, 53);
    int ternary = mpfr_strtofr(x, text.c_str(), nullptr, 10, MPFR_RNDN);
    ternary = mpfr_subnormalize(x, ternary, MPFR_RNDN);
    const double value = mpfr_get_d(x, MPFR_RNDN);
    mpfr_clear(x);
    return {value, ternary == 0};
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

void check_rounding(const std::string& text, const plain_decimal& plain)
{
    const rounding expected = by_mpfr(text.starts_with('-') ? "-" : "", plain);
    const io::binary64_result result = io::round_to_binary64(text);
    require(same_bits(result.value, expected.value), "the value of MPFR: " + text);
    require((result.status == io::binary64_status::exact) == expected.exact, "exactness is told: " + text);
    const bool over = std::isinf(expected.value);
    require((result.status == io::binary64_status::overflow) == over, "overflow is told: " + text);
    require(
        (result.status == io::binary64_status::underflow) == (!expected.exact && std::fabs(expected.value) < 0x1p-1022),
        "underflow is told: " + text);
    try {
        require(same_bits(io::parse_binary64(text), expected.value) && !over,
                "parse_binary64 rounds the same: " + text);
    } catch (const error&) {
        require(over, "only overflow is an error: " + text);
    }
    io::binary64_tally tally;
    require(same_bits(tally(text), expected.value), "the tally rounds the same: " + text);
    require(tally.numbers == 1 && tally.inexact == !expected.exact && tally.overflows == over &&
                tally.most_digits == static_cast<index_t>(plain.digits.size()),
            "the tally counts: " + text);
    if (!over) {
        const std::string shortest = io::to_decimal(result.value);
        require(io::is_decimal(shortest) && same_bits(io::parse_binary64(shortest), result.value),
                "a written number is read back: " + text);
    }
}

void check_parts(const std::string& text, const plain_decimal& plain)
{
    const io::decimal_parts parts = io::take_apart(text);
    std::string digits(parts.digits);
    std::erase(digits, '.');
    require(digits == plain.digits && parts.significant_digits == static_cast<index_t>(digits.size()),
            "the digits are kept: " + text);
    const auto exponent = std::clamp<int128>(plain.exponent, INT64_MIN, INT64_MAX);
    require(parts.exponent - exponent <= 0 && exponent - parts.exponent <= (exponent == plain.exponent ? 0 : 8192),
            "the exponent is kept: " + text);
    require(parts.negative == text.starts_with('-') || parts.is_zero(), "the sign is kept: " + text);

    const io::scanned_value value = io::scan_decimal(text).value;
    require(value.negative == text.starts_with('-'), "the scan has the sign: " + text);
    if (value.is_short) {
        const plain_decimal of_value =
            scanned(std::to_string(value.coefficient) + "e" + std::to_string(value.exponent));
        require(of_value.digits == plain.digits && of_value.exponent == plain.exponent,
                "the scan has the value: " + text);
    } else {
        require(text.size() > 19 || plain.typed_exponent >= 1000000 || plain.typed_exponent <= -1000000,
                "a short decimal is scanned whole: " + text);
    }
}

void check_text(const std::string& text)
{
    const plain_decimal plain = scanned(text);
    using outcome = io::decimal_scan::outcome;
    const outcome expected = !plain.valid           ? outcome::not_a_decimal
                             : !plain.exponent_fits ? outcome::exponent_too_large
                                                    : outcome::decimal;
    const io::decimal_scan scan = io::scan_decimal(text);
    require(scan.result == expected, "the scan tells a decimal: " + text);
    require(scan.end == text.data() + plain.size, "the scan ends where the decimal does: " + text);
    require(io::is_decimal(text) == (expected == outcome::decimal && plain.size == text.size()),
            "is_decimal agrees with the scan: " + text);
    const std::string padded = text + std::string(16, '\0');
    const io::decimal_scan far = io::scan_decimal_until(padded.data(), io::padded_end());
    require(far.result == scan.result && far.end - padded.data() == scan.end - text.data() &&
                far.value.is_short == scan.value.is_short && far.value.coefficient == scan.value.coefficient &&
                far.value.exponent == scan.value.exponent && far.value.negative == scan.value.negative,
            "the end is not looked for: " + text);
    if (expected == outcome::decimal) {
        const std::string decimal = text.substr(0, plain.size);
        check_rounding(decimal, plain);
        check_parts(decimal, plain);
    }
}

void check_product(std::uint64_t coefficient, std::int32_t exponent)
{
    const std::string text = std::to_string(coefficient) + "e" + std::to_string(exponent);
    const rounding expected = by_mpfr("", scanned(text));
    if (const auto x = io::nearest_binary64(coefficient, exponent)) {
        require(same_bits(x->value, expected.value), "nearest_binary64: " + text);
    }
    if (std::isnormal(expected.value)) {
        require(io::fits_53_bits(coefficient, exponent) == expected.exact, "fits_53_bits: " + text);
    }
    check_text(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size >= 12) {
        std::uint64_t coefficient = 0;
        std::int32_t exponent = 0;
        std::memcpy(&coefficient, data, 8);
        std::memcpy(&exponent, data + 8, 4);
        check_product(coefficient, exponent);
        check_product(coefficient >> (exponent & 63), exponent % 400);
    }
    check_text(std::string(reinterpret_cast<const char*>(data), size));
    return 0;
}
