#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/matrix/sparse_matrix.hpp>

namespace residua {

/// The integers modulo a prime below 2^23, as doubles 0, 1, ..., prime - 1: sums of 64 products of them, and one more, are
/// exact in binary64, in any order.
class prime_field {
public:
    /// Primes for independent answers.
    static constexpr std::uint32_t first_prime = 8388593;
    static constexpr std::uint32_t second_prime = 8388587;
    static constexpr index_t most_products = 64;  ///< in a sum that is exact

    explicit prime_field(std::uint32_t prime);

    /// x modulo the prime, |x| <= 2^53 an integer. Loops of it become vector instructions.
    double reduced(double x) const
    {
        constexpr double to_integer = 0x1.8p52;  // a sum with it has no fraction
        const double quotient = (x * inverse_of_prime_ - 0.5 + to_integer) - to_integer;
        const double rest = x - quotient * prime_;  // exact: the quotient errs by 1 at most
        const double positive = rest < 0.0 ? rest + prime_ : rest;
        return positive >= prime_ ? positive - prime_ : positive;
    }
    double multiply(double x, double y) const { return reduced(x * y); }
    double negate(double x) const { return x == 0.0 ? 0.0 : prime_ - x; }
    /// x^exponent, and 0^0 = 1
    double power(double x, std::uint64_t exponent) const;
    /// 1 / x, x not 0
    double inverse(double x) const { return power(x, static_cast<std::uint64_t>(prime_) - 2); }

    /// x, which is finite
    double of(double x) const;
    double of(const real& x) const;
    /// A decimal as exact_entries::written() has it.
    double of_decimal(std::string_view written) const;
    /// Entry k of A as it is held: binary64 number, sum, real or decimal.
    double entry(const sparse_matrix& a, std::size_t k) const;

private:
    static constexpr std::int64_t most_power = 1200;  ///< beyond every exponent of a binary64 number

    /// Powers of a base with exponents -most_power, ..., most_power.
    std::vector<double> powers_of(double base) const;
    /// x base^exponent
    double scaled(double x, double base, const std::vector<double>& powers, std::int64_t exponent) const;

    double prime_;
    double inverse_of_prime_;
    std::vector<double> powers_of_two_;
    std::vector<double> powers_of_ten_;
};

}  // namespace residua
