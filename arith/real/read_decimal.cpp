#include <residua/arith/real/read_decimal.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <string>
#include <vector>

#include <gmp.h>
#include <mpfr.h>

#include <residua/io/decimal.hpp>
#include <residua/io/decimal_scan.hpp>
#include <residua/io/digits.hpp>
#include <residua/io/text.hpp>

namespace residua {
namespace {

static_assert(sizeof(mp_limb_t) == sizeof(std::uint64_t) && GMP_NAIL_BITS == 0);

constexpr int word_bits = 64;
constexpr int most_kept_power = 400;
constexpr std::size_t most_words = 8;  ///< of the integer of a decimal that is not left to mpfr_strtofr

[[noreturn]] void throw_outside(std::string_view text)
{
    throw error(io::quote(text) + " is outside the range of MPFR, 10^(+-323 million)");
}

/// The text itself if it is one whole decimal.
std::string_view require_decimal(std::string_view text)
{
    using outcome = io::decimal_scan::outcome;

    const io::decimal_scan scan = io::scan_decimal(text);
    if (scan.result == outcome::not_a_decimal || scan.end != text.data() + text.size()) {
        throw error(io::quote(text) + " is not a decimal number");
    }
    if (scan.result == outcome::exponent_too_large) {
        throw_outside(text);
    }
    return text;
}

/// 5^k for all k whose power is below 2^64.
constexpr auto powers_of_a_word = []() {
    std::array<std::uint64_t, 28> power{1};
    for (std::size_t k = 1; k < power.size(); ++k) {
        power[k] = 5 * power[k - 1];
    }
    return power;
}();

/// 5^k for k = 0, ..., most_kept_power, exact.
const std::vector<real>& powers_of_five()
{
    static const std::vector<real> powers = [] {
        std::vector<real> all;
        for (int k = 0; k <= most_kept_power; ++k) {
            all.emplace_back(0.0, 3L + 7L * k / 3);  // log2(5) < 7/3
            mpfr_ui_pow_ui(all.back().mpfr(), 5, static_cast<unsigned long>(k), MPFR_RNDN);
        }
        return all;
    }();
    return powers;
}

/// 5^-k, rounded to `bits` bits. Each thread caches the last precision of each power.
const real& inverse_power_of_five(int k, long bits)
{
    thread_local std::vector<real> inverses(most_kept_power + 1);
    real& inverse = inverses[static_cast<std::size_t>(k)];
    if (is_zero(inverse) || inverse.precision() != bits) {
        inverse = real(0.0, bits);
        mpfr_ui_div(inverse.mpfr(), 1, powers_of_five()[static_cast<std::size_t>(k)].mpfr(), MPFR_RNDN);
    }
    return inverse;
}

/// x <- RN(integer 5^-k), and `rounded` <- MPFR's ternary value. This is one product with a rounded power, unless it is
/// too near to where roundings change (docs/error_bounds.md, theorem 31): then x stays, and false is returned.
bool set_quotient(mpfr_ptr x, mpfr_srcptr integer, int k, int& rounded)
{
    if (static_cast<std::size_t>(k) < powers_of_a_word.size()) {
        rounded = mpfr_div_ui(x, integer, powers_of_a_word[static_cast<std::size_t>(k)], MPFR_RNDN);
        return true;
    }
    const mpfr_prec_t bits = mpfr_get_prec(x);
    const mpfr_prec_t more = (bits / word_bits + 2) * word_bits;
    thread_local real product;
    if (product.precision() != more) {
        product = real(0.0, more);
    }
    mpfr_mul(product.mpfr(), integer, inverse_power_of_five(k, more).mpfr(), MPFR_RNDN);
    if (mpfr_can_round(product.mpfr(), more - 2, MPFR_RNDN, MPFR_RNDZ, bits + 1) == 0) {
        return false;
    }
    rounded = mpfr_set(x, product.mpfr(), MPFR_RNDN);
    return true;
}

bool is_kept_power(std::int64_t exponent) { return -most_kept_power <= exponent && exponent <= most_kept_power; }

/// x <- RN(+-integer 10^exponent), or false as above. The words of the integer, least first, last not 0, are shifted.
///
/// needs  is_kept_power(exponent)
bool set_words(real& x, bool negative, mp_limb_t* words, std::size_t size, int exponent, int& rounded)
{
    const int shift = std::countl_zero(words[size - 1]);
    const auto count = static_cast<mp_size_t>(size);
    if (shift > 0) {
        mpn_lshift(words, words, count, static_cast<unsigned>(shift));
    }
    const mpfr_flags_t flags = mpfr_flags_save();
    mpfr_t integer;  // times 2^exponent; on the words, without memory of its own
    mpfr_custom_init_set(integer, negative ? -MPFR_REGULAR_KIND : MPFR_REGULAR_KIND,
                         word_bits * count - shift + exponent, word_bits * count, words);
    bool is_set = true;
    if (exponent < 0) {
        is_set = set_quotient(x.mpfr(), integer, -exponent, rounded);
    } else {
        rounded = mpfr_mul(x.mpfr(), integer, powers_of_five()[static_cast<std::size_t>(exponent)].mpfr(), MPFR_RNDN);
    }
    mpfr_flags_restore(flags, MPFR_FLAGS_ALL);
    return is_set;
}

/// x <- RN(+-digits 10^exponent) by MPFR's reading of text, for any digits and exponent.
int set_by_text(real& x, bool negative, std::string_view digits, std::int64_t exponent)
{
    // Without a point the text does not depend on the locale.
    std::string plain = negative ? "-" : "";
    plain.append(digits).append("e").append(std::to_string(exponent));
    const mpfr_flags_t flags = mpfr_flags_save();
    mpfr_flags_clear(MPFR_FLAGS_UNDERFLOW | MPFR_FLAGS_OVERFLOW);
    const int rounded = mpfr_strtofr(x.mpfr(), plain.c_str(), nullptr, 10, MPFR_RNDN);
    const bool outside = mpfr_flags_test(MPFR_FLAGS_UNDERFLOW | MPFR_FLAGS_OVERFLOW) != 0;
    mpfr_flags_restore(flags, MPFR_FLAGS_ALL);
    if (outside) {
        throw_outside(plain);
    }
    return rounded;
}

}  // namespace

int set_decimal(real& x, bool negative, std::uint64_t coefficient, std::int32_t exponent)
{
    if (coefficient == 0) {
        mpfr_set_zero(x.mpfr(), negative ? -1 : 1);
        return 0;
    }
    mp_limb_t word = coefficient;
    int rounded = 0;
    if (is_kept_power(exponent) && set_words(x, negative, &word, 1, exponent, rounded)) {
        return rounded;
    }
    return set_by_text(x, negative, std::to_string(coefficient), exponent);
}

int set_decimal(real& x, bool negative, std::string_view digits, std::int64_t exponent)
{
    constexpr std::size_t together = io::word_digits;
    if (digits.size() > most_words * together || !is_kept_power(exponent)) {
        return set_by_text(x, negative, digits, exponent);
    }
    std::array<mp_limb_t, most_words> words;
    std::size_t size = 0;
    for (std::size_t k = 0; k < digits.size(); k += together) {
        const std::string_view some = digits.substr(k, together);
        std::uint64_t carry = 0;
        io::append_digits(some.data(), some.data() + some.size(), carry);
        if (size > 0) {
            const auto count = static_cast<mp_size_t>(size);
            const mp_limb_t high = mpn_mul_1(words.data(), words.data(), count, io::powers_of_ten[some.size()]);
            carry = high + mpn_add_1(words.data(), words.data(), count, carry);
        }
        if (carry != 0) {
            words[size++] = carry;
        }
    }
    int rounded = 0;
    if (size == 0) {
        return set_decimal(x, negative, 0, 0);
    }
    return set_words(x, negative, words.data(), size, static_cast<int>(exponent), rounded)
               ? rounded
               : set_by_text(x, negative, digits, exponent);
}

read_decimal::read_decimal(std::string_view text, long bits) : value(0.0, bits)
{
    const io::decimal_word word(require_decimal(text));
    const io::scanned_value& scanned = word.value();
    if (scanned.is_short) {
        rounded = set_decimal(value, scanned.negative, scanned.coefficient, scanned.exponent) != 0;
        return;
    }
    const io::decimal_parts parts = io::take_apart(word);
    if (parts.is_zero()) {
        mpfr_set_zero(value.mpfr(), parts.negative ? -1 : 1);
        return;
    }
    std::string digits(parts.digits);
    std::erase(digits, '.');
    try {
        rounded = set_decimal(value, parts.negative, digits, parts.exponent) != 0;
    } catch (const error&) {
        throw_outside(text);
    }
}

real::real(std::string_view text, long bits) : real(read_decimal(text, bits).value) {}

}  // namespace residua
