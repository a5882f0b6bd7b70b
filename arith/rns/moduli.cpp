#include <residua/arith/rns/moduli.hpp>

#include <array>
#include <string>

#include <residua/arith/rns/modular.hpp>
#include <residua/io/error.hpp>

namespace residua {
namespace {

std::uint32_t power_mod(std::uint64_t base, std::uint64_t exponent, std::uint32_t m)
{
    std::uint64_t result = 1;
    for (base %= m; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1) {
            result = result * base % m;
        }
        base = base * base % m;
    }
    return static_cast<std::uint32_t>(result);
}

/// Miller and Rabin's test with the bases 2, 3, 5, 7: exact below 3.2e9 [Jae93].
bool is_prime(std::uint32_t n)
{
    std::uint32_t odd = n - 1;
    int twos = 0;
    for (; odd % 2 == 0; odd /= 2) {
        ++twos;
    }
    for (const std::uint32_t base : {2u, 3u, 5u, 7u}) {
        std::uint64_t x = power_mod(base, odd, n);
        bool witness = x != 1 && x != n - 1;
        for (int k = 1; witness && k < twos; ++k) {
            x = x * x % n;
            witness = x != n - 1;
        }
        if (witness) {
            return false;
        }
    }
    return true;
}

std::uint64_t inverse_mod_2_64(std::uint64_t m)
{
    std::uint64_t x = m;  // right in 3 bits; each step doubles them
    for (int k = 0; k < 5; ++k) {
        x *= 2 - m * x;
    }
    return x;
}

template <toward To>
extended product_of(const std::vector<std::uint32_t>& moduli)
{
    extended result = to_extended<To>(1);
    for (const std::uint32_t m : moduli) {
        result = mul<To>(result, to_extended<To>(m));
    }
    return result;
}

}  // namespace

std::vector<std::uint32_t> rns_moduli(int count)
{
    if (count < 2 || count > 1000) {
        throw error("a residue number system has 2 to 1000 moduli, not " + std::to_string(count));
    }
    std::vector<std::uint32_t> moduli;
    for (std::uint32_t n = 0x7fffffff; static_cast<int>(moduli.size()) < count; n -= 2) {
        if (is_prime(n)) {
            moduli.push_back(n);
        }
    }
    return moduli;
}

void detail::require_rns_count(int count, int capacity)
{
    if (count < 4 || count > capacity) {
        throw error("RNS floats have 4 to " + std::to_string(capacity) + " moduli, not " + std::to_string(count));
    }
}

void detail::make_rns_set(int count, int capacity, int powers, rns_constants& constants, rns_modulus* moduli,
                          std::uint32_t* table)
{
    const std::vector<std::uint32_t> primes = rns_moduli(count);
    constants.count = count;
    constants.width = rns_precision(count) + 1;
    constants.product_low = 1;
    for (const std::uint32_t m : primes) {
        constants.product_low *= m;
    }
    constants.product[0] = product_of<toward::down>(primes);
    constants.product[1] = product_of<toward::up>(primes);
    for (int i = 0; i < capacity; ++i) {
        rns_modulus& r = moduli[i];
        r = {};
        r.m = i < count ? primes[static_cast<std::size_t>(i)] : primes.front();
        r.inverse = static_cast<std::uint32_t>(inverse_mod_2_64(r.m));
        for (int a = 0; a < powers; ++a) {
            table[a * capacity + i] = power_mod(2, 32 * static_cast<std::uint64_t>(a) + 64, r.m);
        }
        if (i >= count) {
            continue;
        }
        std::uint64_t cofactor = 1;
        for (const std::uint32_t other : primes) {
            cofactor = other == r.m ? cofactor : cofactor * other % r.m;
        }
        r.weight =
            static_cast<std::uint32_t>((static_cast<std::uint64_t>(power_mod(cofactor, r.m - 2, r.m)) << 32) % r.m);
        r.cofactor_low = constants.product_low * inverse_mod_2_64(r.m);
        r.reciprocal = static_cast<std::uint32_t>((std::uint64_t{1} << 56) / r.m);
        r.reciprocal_long = static_cast<std::uint64_t>((static_cast<uint128>(1) << 94) / r.m);
    }
}

}  // namespace residua
