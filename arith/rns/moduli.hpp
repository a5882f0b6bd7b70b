#pragma once

#include <cstdint>
#include <vector>

#include <residua/arith/rns/extended.hpp>

/// Moduli of a residue number system and all that their arithmetic needs to know about them.
namespace residua {

/// Bits of precision with so many moduli of 31 bits: floor(log2 sqrt(M)) - 1, M their product.
///
/// The largest primes below 2^31 have M > 2^(31 count - 1/2) up to 1000 of them.
constexpr int rns_precision(int count) { return (31 * count - 1) / 2 - 1; }

/// The least number of moduli for p bits.
constexpr int rns_count(int precision_bits)
{
    int count = 2;
    while (rns_precision(count) < precision_bits) {
        ++count;
    }
    return count;
}

/// The largest `count` primes below 2^31, descending.
///
/// throws  error unless 2 <= count <= 1000
std::vector<std::uint32_t> rns_moduli(int count);

/// Constants of one modulus m, M being the product of all.
struct rns_modulus {
    std::uint32_t m;
    std::uint32_t inverse;         ///< m^-1 mod 2^32
    std::uint32_t to_montgomery;   ///< 2^64 mod m
    std::uint32_t weight;          ///< (M/m)^-1 2^32 mod m
    std::uint32_t cofactor_low;    ///< M/m mod 2^32
    std::uint32_t reciprocal;      ///< floor(2^62 / m)
    std::uint64_t reciprocal_long; ///< floor(2^94 / m)
};

/// The constants for L moduli, made once on the host; kernels get a copy.
///
/// A number is X 2^e with 0 <= X < M. Between operations X <= 2^width, and no intermediate one is above
/// M / 2: width = rns_precision(L) + 1.
template <int L>
struct rns_set {
    static constexpr int count = L;
    static constexpr int precision = rns_precision(L);
    static constexpr int width = precision + 1;
    static constexpr int powers = (2 * width) / 32 + 2;

    rns_modulus modulus[L];
    std::uint32_t power[powers][L];  ///< 2^(32 a + 64) mod m
    std::uint32_t product_low;       ///< M mod 2^32
    extended product[2];             ///< M, rounded down and up
    extended unit[2];                ///< 1 / M, rounded down and up

    /// The one on the host.
    static const rns_set& host();
};

namespace detail {

/// Fills a set of any size; power has `powers` rows of `count`.
void make_rns_set(int count, int powers, rns_modulus* modulus, std::uint32_t* power,
                  std::uint32_t& product_low, extended* product, extended* unit);

}  // namespace detail

template <int L>
const rns_set<L>& rns_set<L>::host()
{
    static const rns_set set = [] {
        rns_set s;
        detail::make_rns_set(L, powers, s.modulus, s.power[0], s.product_low, s.product, s.unit);
        return s;
    }();
    return set;
}

}  // namespace residua
