#include <residua/solvers/matrix/prime_field.hpp>

#include <charconv>
#include <cmath>
#include <string>

#include <gmp.h>
#include <mpfr.h>

#include <residua/io/digits.hpp>

namespace residua {

prime_field::prime_field(std::uint32_t prime)
    : prime_(prime), inverse_of_prime_(1.0 / prime), powers_of_two_(powers_of(2.0)), powers_of_ten_(powers_of(10.0))
{}

std::vector<double> prime_field::powers_of(double base) const
{
    std::vector<double> powers(2 * most_power + 1, 1.0);
    const double inverse_of_base = inverse(base);
    for (std::size_t k = 1; k <= most_power; ++k) {
        powers[most_power + k] = multiply(powers[most_power + k - 1], base);
        powers[most_power - k] = multiply(powers[most_power - k + 1], inverse_of_base);
    }
    return powers;
}

double prime_field::power(double x, std::uint64_t exponent) const
{
    double result = 1.0;
    for (; exponent != 0; exponent >>= 1) {
        if ((exponent & 1) != 0) {
            result = multiply(result, x);
        }
        x = multiply(x, x);
    }
    return result;
}

double prime_field::scaled(double x, double base, const std::vector<double>& powers, std::int64_t exponent) const
{
    if (-most_power <= exponent && exponent <= most_power) {
        return multiply(x, powers[static_cast<std::size_t>(most_power + exponent)]);
    }
    const auto size = exponent < 0 ? 0 - static_cast<std::uint64_t>(exponent) : static_cast<std::uint64_t>(exponent);
    const double factor = power(base, size);
    return multiply(x, exponent < 0 ? inverse(factor) : factor);
}

double prime_field::of(double x) const
{
    constexpr int digits = 53;
    int exponent = 0;
    const double integer = std::ldexp(std::frexp(std::abs(x), &exponent), digits);
    const double size = scaled(reduced(integer), 2.0, powers_of_two_, exponent - digits);
    return x < 0.0 ? negate(size) : size;
}

double prime_field::of(const real& x) const
{
    if (is_zero(x)) {
        return 0.0;
    }
    mpz_t integer;
    mpz_init(integer);
    const mpfr_exp_t exponent = mpfr_get_z_2exp(integer, x.mpfr());
    const auto rest = static_cast<double>(mpz_fdiv_ui(integer, static_cast<unsigned long>(prime_)));  // at least 0
    mpz_clear(integer);
    return scaled(rest, 2.0, powers_of_two_, exponent);
}

double prime_field::of_decimal(std::string_view written) const
{
    const bool negative = written.front() == '-';
    const std::size_t at = written.find('e');
    const char* digit = written.data() + (negative ? 1 : 0);
    const char* const end = written.data() + at;
    double rest = 0.0;
    for (; end - digit >= 8; digit += 8) {  // below 2^50 before it is reduced
        rest = reduced(rest * 1e8 + static_cast<double>(io::number_of_eight(io::eight_bytes(digit))));
    }
    std::uint64_t last = 0;
    const std::uint64_t power = io::powers_of_ten[static_cast<std::size_t>(end - digit)];
    io::append_few_digits(digit, end, last);
    rest = reduced(rest * static_cast<double>(power) + static_cast<double>(last));
    std::int64_t exponent = 0;
    std::from_chars(written.data() + at + 1, written.data() + written.size(), exponent);
    const double size = scaled(rest, 10.0, powers_of_ten_, exponent);
    return negative ? negate(size) : size;
}

double prime_field::entry(const sparse_matrix& a, std::size_t k) const
{
    if (a.exact.empty()) {
        return of(a.values[k]);
    }
    return a.exact.are_decimals() ? of_decimal(a.exact.written(k)) : of(a.exact.at(k, 64));
}

}  // namespace residua
