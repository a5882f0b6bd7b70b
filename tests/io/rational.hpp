#pragma once

#include <cctype>
#include <string>
#include <string_view>

#include <gmpxx.h>

namespace residua::testing {

inline mpz_class power_of_ten(unsigned long k)
{
    mpz_class power;
    mpz_ui_pow_ui(power.get_mpz_t(), 10, k);
    return power;
}

/// The exact value of a decimal, by another way than io's: digit by digit into GMP.
inline mpq_class to_rational(std::string_view decimal)
{
    std::string digits;
    long exponent = 0;
    bool negative = false;
    bool after_point = false;
    for (std::size_t k = 0; k < decimal.size(); ++k) {
        const char c = decimal[k];
        if (std::isdigit(static_cast<unsigned char>(c))) {
            digits += c;
            exponent -= after_point;
        } else if (c == '.') {
            after_point = true;
        } else if (c == '-' || c == '+') {
            negative = c == '-';
        } else {
            exponent += std::stol(std::string(decimal.substr(k + 1)));
            break;
        }
    }
    const mpz_class integer(digits, 10);
    mpq_class value(integer);
    if (exponent < 0) {
        value /= power_of_ten(static_cast<unsigned long>(-exponent));
    } else {
        value *= power_of_ten(static_cast<unsigned long>(exponent));
    }
    return negative ? mpq_class(-value) : value;
}

}  // namespace residua::testing
