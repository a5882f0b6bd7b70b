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

std::uint32_t inverse_mod_2_32(std::uint32_t m)
{
    std::uint32_t x = m;  // right in 3 bits; each step doubles them
    for (int k = 0; k < 4; ++k) {
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

void detail::make_rns_set(int count, int powers, rns_modulus* modulus, std::uint32_t* power,
                          std::uint32_t& product_low, extended* product, extended* unit)
{
    const std::vector<std::uint32_t> moduli = rns_moduli(count);
    product_low = 1;
    for (const std::uint32_t m : moduli) {
        product_low *= m;
    }
    for (int i = 0; i < count; ++i) {
        const std::uint32_t m = moduli[static_cast<std::size_t>(i)];
        std::uint64_t cofactor = 1;
        for (const std::uint32_t other : moduli) {
            cofactor = other == m ? cofactor : cofactor * other % m;
        }
        rns_modulus& r = modulus[i];
        r.m = m;
        r.inverse = inverse_mod_2_32(m);
        r.to_montgomery = power_mod(2, 64, m);
        r.weight = static_cast<std::uint32_t>(
            (static_cast<std::uint64_t>(power_mod(cofactor, m - 2, m)) << 32) % m);
        r.cofactor_low = product_low * r.inverse;
        r.reciprocal = static_cast<std::uint32_t>((std::uint64_t{1} << 62) / m);
        r.reciprocal_long =
            static_cast<std::uint64_t>((static_cast<uint128>(1) << 94) / m);
        for (int a = 0; a < powers; ++a) {
            power[a * count + i] = power_mod(2, static_cast<std::uint64_t>(32 * a + 64), m);
        }
    }
    product[0] = product_of<toward::down>(moduli);
    product[1] = product_of<toward::up>(moduli);
    const extended one = to_extended<toward::down>(1);
    unit[0] = div<toward::down>(one, product[1]);
    unit[1] = div<toward::up>(one, product[0]);
}

}  // namespace residua
