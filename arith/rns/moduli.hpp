#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <residua/arith/rns/extended.hpp>

/// Moduli of a residue number system and all that their arithmetic needs to know about them.
namespace residua {

/// The bits of precision of `count` moduli of 31 bits: floor(log2 sqrt(M)) - 1, M their product.
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

/// The most moduli that the arithmetic takes: fixed-point sums of fractions fit 32 bits up to here.
inline constexpr int rns_most_moduli = 112;

/// The largest `count` primes below 2^31, descending.
///
/// throws  error unless 2 <= count <= 1000
std::vector<std::uint32_t> rns_moduli(int count);

/// Constants of one modulus m, M being the product of all.
struct rns_modulus {
    std::uint32_t m;
    std::uint32_t inverse;          ///< m^-1 mod 2^32
    std::uint32_t weight;           ///< (M/m)^-1 2^32 mod m
    std::uint32_t reciprocal;       ///< floor(2^56 / m)
    std::uint64_t cofactor_low;     ///< M/m mod 2^64
    std::uint64_t reciprocal_long;  ///< floor(2^94 / m)
};

/// What a set of moduli is as a whole, and the moduli one after the other in memory.
///
/// A number is X 2^e with 0 <= X < M. Between operations X <= 2^width, and no intermediate one is above 2^(2 width),
/// which is M / 2 nearly: at most (1/2 + 2^-12) M, for an odd number of moduli. width = rns_precision(count) + 1.
struct rns_constants {
    int count = 0;
    int width = 0;
    std::uint64_t product_low = 0;  ///< M mod 2^64
    extended product[2];            ///< M, rounded down and up
};

/// The constants for up to N moduli, made once on the host; devices get a copy. Places beyond the
/// moduli hold a neutral one, which adds nothing to any sum.
///
/// This is the model of a set where one thread holds all residues of a number; rns_lanes (blas) is
/// the one where several do. Element functions are written for both:
///   held()         residues that this thread has; unrolled loops take all places, `capacity` of them
///   modulus(k)     constants of the k-th of them
///   index(k)       its place among all residues of the number, linear in k, if present(k): places may be padded
///   tile_bits      of arrays (blas/base/rns_array.hpp), or -1 where they follow from the run-time count
///   leads()        true for one thread of a number
///   meet()         waits until all threads of the number are here
///   power(a, k)    2^(32 a + 64) mod m
///   sum(v)         the sum of v over the threads of the number
///   scalars()      rns_constants
///   handle         how to pass the set to a function that is not inlined
template <int N>
struct rns_set {
    static_assert(N <= rns_most_moduli);
    static constexpr int capacity = N;
    static constexpr bool unrolled = false;  ///< whether loops over residues are to be
    static constexpr int tile_bits = -1;
    using handle = const rns_set&;
    static constexpr int powers = 2 * rns_precision(N) / 32 + 2;

    rns_constants constants;
    rns_modulus moduli[N];
    std::uint32_t table[powers][N];

    RESIDUA_HD int held() const { return constants.count; }
    RESIDUA_HD const rns_modulus& modulus(int k) const { return moduli[k]; }
    RESIDUA_HD int index(int k) const { return k; }
    RESIDUA_HD bool present(int) const { return true; }
    RESIDUA_HD bool leads() const { return true; }
    RESIDUA_HD void meet() const {}
    RESIDUA_HD std::uint32_t power(int a, int k) const { return table[a][k]; }
    template <class T>
    RESIDUA_HD T sum(T v) const
    {
        return v;
    }
    RESIDUA_HD const rns_constants& scalars() const { return constants; }

    /// The set of `count` moduli on the host, made at the first call.
    ///
    /// throws  error unless 4 <= count <= N
    static const rns_set& host(int count = N);
};

namespace detail {

/// Fills a set of any capacity; table has `powers` rows of `capacity`.
void make_rns_set(int count, int capacity, int powers, rns_constants& constants, rns_modulus* moduli,
                  std::uint32_t* table);

/// throws  error unless 4 <= count <= capacity
void require_rns_count(int count, int capacity);

/// f(k) for every residue that this thread holds; unrolled where the residues live in registers.
template <class Set, class F>
RESIDUA_HD void for_residues(const Set& set, const F& f)
{
    if constexpr (Set::unrolled) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
        for (int k = 0; k < Set::capacity; ++k) {
            f(k);  // without asking whether it is a place beyond the moduli: a branch would keep residues apart
        }
    } else {
        const int held = set.held();
        RESIDUA_KEEP_LOOP
        for (int k = 0; k < held; ++k) {
            f(k);
        }
    }
}

}  // namespace detail

template <int N>
const rns_set<N>& rns_set<N>::host(int count)
{
    detail::require_rns_count(count, N);
    static std::vector<std::unique_ptr<rns_set>> all(N + 1);  // each made once
    static std::mutex guard;
    const std::lock_guard lock(guard);
    std::unique_ptr<rns_set>& slot = all[static_cast<std::size_t>(count)];
    if (!slot) {
        auto made = std::make_unique<rns_set>();
        detail::make_rns_set(count, N, powers, made->constants, made->moduli, made->table[0]);
        slot = std::move(made);  // complete: what was thrown above leaves none
    }
    return *slot;
}

}  // namespace residua
