#include <residua/solvers/matrix/prime_field.hpp>

#include <charconv>
#include <string>

#include <gmp.h>
#include <mpfr.h>

namespace residua {

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

double prime_field::scaled(double x, double base, std::int64_t exponent) const
{
    const auto size = exponent < 0 ? 0 - static_cast<std::uint64_t>(exponent) : static_cast<std::uint64_t>(exponent);
    const double factor = power(base, size);
    return multiply(x, exponent < 0 ? inverse(factor) : factor);
}

double prime_field::of(double x) const
{
    constexpr int digits = 53;
    int exponent = 0;
    const double integer = std::ldexp(std::frexp(std::abs(x), &exponent), digits);
    const double size = scaled(reduced(integer), 2.0, exponent - digits);
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
    return scaled(rest, 2.0, exponent);
}

double prime_field::of_decimal(std::string_view written) const
{
    const bool negative = written.front() == '-';
    const std::size_t at = written.find('e');
    double rest = 0.0;
    for (const char digit : written.substr(negative ? 1 : 0, at - (negative ? 1 : 0))) {
        rest = reduced(10.0 * rest + (digit - '0'));
    }
    std::int64_t exponent = 0;
    std::from_chars(written.data() + at + 1, written.data() + written.size(), exponent);
    const double size = scaled(rest, 10.0, exponent);
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
