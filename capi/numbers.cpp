#include "numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <gmp.h>
#include <mpfr.h>

#include <residua/arith/real/read_decimal.hpp>
#include <residua/io/binary64.hpp>
#include <residua/solvers/files/load.hpp>
#include <residua/solvers/matrix/numbers.hpp>

namespace residua::capi {
namespace {

constexpr std::int64_t largest_exponent = std::int64_t{1} << 29;  // MPFR's range is twice as large

[[noreturn]] void refuse(const std::string& what, const std::string& why)
{
    throw invalid_argument(what + " is " + why);
}

[[noreturn]] void refuse(const place& where, const std::string& why)
{
    const std::string k = std::to_string(where.number);
    refuse(where.column < 0
               ? std::string(where.array) + "[" + k + "]"
               : "number " + k + " of column " + std::to_string(where.column) + " of " + std::string(where.array),
           why);
}

real of_terms(std::span<const double> terms, const place& where)
{
    for (const double t : terms) {
        if (!std::isfinite(t)) {
            refuse(where, (terms.size() == 1 ? "" : "a sum with the term ") + to_string(t) + ", not a finite number");
        }
    }
    return terms.size() == 1 ? real(terms[0]) : exact_sum(terms);
}

real of_decimal(const char* text, const place& where)
{
    if (text == nullptr) {
        refuse(where, "NULL");
    }
    if (!io::is_decimal(text)) {
        refuse(where, "\"" + std::string(text).substr(0, 40) + "\", not a decimal");
    }
    const io::binary64_result nearest = io::round_to_binary64(io::decimal_word(text));
    return nearest.status == io::binary64_status::exact ? real(nearest.value) : real(text, decimal_bits());
}

real of_limbs(const residua_numbers& from, std::size_t k, const place& where)
{
    const std::int32_t sign = from.sign[k];
    if (sign == 0) {
        return real();
    }
    const std::int64_t exponent = from.exponent[k];
    if (exponent < -largest_exponent || exponent > largest_exponent) {
        refuse(where, "an integer times 2^" + std::to_string(exponent) + "; exponents are from -2^29 to 2^29");
    }
    const auto limbs = static_cast<std::size_t>(from.each);
    static_assert(sizeof(mp_limb_t) == sizeof(std::uint64_t));
    mpz_t integer;
    const auto* const first = static_cast<const mp_limb_t*>(from.at) + k * limbs;
    mpz_srcptr const magnitude = mpz_roinit_n(integer, first, static_cast<mp_size_t>(limbs));
    real x(0.0, 64L * from.each);
    mpfr_set_z_2exp(x.mpfr(), magnitude, exponent, MPFR_RNDN);
    return sign < 0 ? -x : x;
}

real of_mpfr(mpfr_srcptr from, const place& where)
{
    if (mpfr_number_p(from) == 0) {
        refuse(where, mpfr_nan_p(from) != 0 ? "nan, not a finite number" : "infinite, not a finite number");
    }
    real x(0.0, mpfr_get_prec(from));
    mpfr_set(x.mpfr(), from, MPFR_RNDN);
    return x;
}

real of_mpf(mpf_srcptr from, const place& where)
{
    constexpr long most = largest_exponent / GMP_NUMB_BITS;
    if (from->_mp_exp < -most || from->_mp_exp > most) {
        refuse(where, "near 2^(64 * " + std::to_string(from->_mp_exp) + "); exponents are from -2^29 to 2^29");
    }
    real x(0.0, GMP_NUMB_BITS * std::max<long>(1, std::abs(from->_mp_size)));
    mpfr_set_f(x.mpfr(), from, MPFR_RNDN);
    return x;
}

const real& held(const residua_vector& from, std::size_t k, const place& where)
{
    const std::size_t rows = from.columns.front().size();
    if (rows == 0 || k / rows >= from.columns.size()) {
        refuse(where, "beyond the " + std::to_string(rows * from.columns.size()) + " numbers of the vector");
    }
    const real& x = from.columns[k / rows][k % rows];
    if (!is_finite(x)) {
        refuse(where, to_string(x) + ", not a finite number");
    }
    return x;
}

}  // namespace

bool are_complex(const residua_numbers& from, const char* name)
{
    if (from.kind == RESIDUA_HELD && from.at != nullptr) {
        return handle(static_cast<const residua_vector*>(from.at), name).complex;
    }
    return (from.kind & RESIDUA_PAIRS) != 0;
}

void require_numbers(const residua_numbers& from, bool are_read, const char* name)
{
    require_parts(from, are_read, name);
    if (are_complex(from, name)) {
        refuse(std::string(name), "an array of complex numbers, and real ones are needed");
    }
}

void require_parts(const residua_numbers& from, bool are_read, const char* name)
{
    const int kind = from.kind & ~RESIDUA_PAIRS;
    if (kind < RESIDUA_DOUBLES || kind > RESIDUA_MPF) {
        refuse(std::string(name), "an array of numbers of kind " + std::to_string(from.kind) +
                                      "; residua_doubles() and the functions after it in residua.h make one");
    }
    const int most = kind == RESIDUA_TERMS ? most_terms : kind == RESIDUA_LIMBS ? most_limbs : 1;
    if (from.each < 1 || from.each > most) {
        refuse(std::string(name), "an array of " + std::to_string(from.each) +
                                      (kind == RESIDUA_LIMBS ? " limbs" : " terms") +
                                      " for each number; there are from 1 to " + std::to_string(most));
    }
    if (are_read) {
        require_pointer(from.at, name);
        if (kind == RESIDUA_LIMBS) {
            require_pointer(from.sign, (name + std::string(".sign")).c_str());
            require_pointer(from.exponent, (name + std::string(".exponent")).c_str());
        }
        if (kind == RESIDUA_HELD) {
            handle(static_cast<const residua_vector*>(from.at), name);
        }
    }
}

real number_at(const residua_numbers& from, std::int64_t k, const place& where)
{
    const auto i = static_cast<std::size_t>(k);
    const auto each = static_cast<std::size_t>(from.each);
    switch (from.kind & ~RESIDUA_PAIRS) {
        case RESIDUA_DECIMALS:
            return of_decimal(static_cast<const char* const*>(from.at)[i], where);
        case RESIDUA_LIMBS:
            return of_limbs(from, i, where);
        case RESIDUA_MPFR:
            return of_mpfr(static_cast<mpfr_srcptr>(from.at) + i, where);
        case RESIDUA_MPF:
            return of_mpf(static_cast<mpf_srcptr>(from.at) + i, where);
        case RESIDUA_HELD:
            return held(*static_cast<const residua_vector*>(from.at), i, where);
        default:
            return of_terms({static_cast<const double*>(from.at) + i * each, each}, where);
    }
}

std::vector<real> numbers_of(const residua_numbers& from, std::int64_t size, const char* name)
{
    require_numbers(from, size > 0, name);
    return parts_of(from, 0, size, name, false);
}

std::vector<real> parts_of(const residua_numbers& from, std::int64_t first, std::int64_t size, const char* name,
                           bool as_complex, std::int64_t column)
{
    require_parts(from, size > 0, name);
    const std::int64_t parts = are_complex(from, name) ? 2 : 1;
    std::vector<real> numbers;
    numbers.reserve(static_cast<std::size_t>(parts * size));
    for (std::int64_t k = 0; k < parts * size; ++k) {
        numbers.push_back(number_at(from, parts * first + k, {.array = name, .number = k, .column = column}));
    }
    return as_complex && parts == 1 ? with_zero_parts(std::move(numbers)) : numbers;
}

void require_digits(int digits)
{
    if (digits < 0 || digits > most_digits_written) {
        throw invalid_argument(std::to_string(digits) + " digits; there are from 0 to " +
                               std::to_string(most_digits_written));
    }
}

void put_text(const std::string& from, char* text, std::size_t size, std::size_t* needed)
{
    if (size > 0) {
        require_pointer(text, "text");
    }
    put(needed, from.size() + 1);
    if (size > 0) {
        const std::size_t fitting = std::min(from.size(), size - 1);
        std::memcpy(text, from.data(), fitting);
        text[fitting] = '\0';
        if (fitting < from.size()) {
            throw invalid_argument("room for " + std::to_string(size) + " bytes; the decimal takes " +
                                   std::to_string(from.size() + 1));
        }
    }
}

}  // namespace residua::capi
