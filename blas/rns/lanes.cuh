#pragma once

#include <cstdint>

#include <residua/blas/base/rns_array.hpp>

namespace residua::blas::detail {

using residua::detail::residues_each;

/// A model of rns_set: Threads neighbouring threads of a warp share a number; thread t has residues t, t + Threads,
/// ..., seven of them for any number of moduli, since a neutral residue costs less than a branch. All threads run the
/// same element function and compute everything but residues alike.
template <int Threads>
class rns_lanes {
public:
    static constexpr int capacity = residues_each;
    static constexpr bool unrolled = true;
    static constexpr int tile_bits = residua::detail::rns_tile_bits(Threads);
    using handle = rns_lanes;

    __device__ rns_lanes(const rns_set<rns_most_moduli>* set, int thread)
        : set_(set), rank_(thread % Threads), count_(set->constants.count)
    {}

    __device__ __forceinline__ int held() const { return capacity; }
    __device__ __forceinline__ int index(int k) const { return k * Threads + rank_; }
    __device__ __forceinline__ bool present(int k) const { return index(k) < count_; }
    __device__ __forceinline__ bool leads() const { return rank_ == 0; }
    __device__ __forceinline__ const rns_constants& scalars() const { return set_->constants; }

    __device__ __forceinline__ rns_modulus modulus(int k) const
    {
        static_assert(sizeof(rns_modulus) == 32);
        const auto* words = reinterpret_cast<const uint4*>(&set_->moduli[index(k)]);
        const uint4 first = __ldg(words);
        const uint4 second = __ldg(words + 1);
        return {first.x, first.y, first.z, first.w, joined(second.x, second.y), joined(second.z, second.w)};
    }

    __device__ __forceinline__ std::uint32_t power(int a, int k) const { return __ldg(&set_->table[a][index(k)]); }

    template <class T>
    __device__ __forceinline__ T sum(T v) const
    {
        if constexpr (Threads > 1) {
#pragma unroll
            for (int distance = Threads / 2; distance > 0; distance /= 2) {
                v += __shfl_xor_sync(mask(), v, distance);
            }
        }
        return v;
    }

    __device__ __forceinline__ void meet() const
    {
        if constexpr (Threads > 1) {
            __syncwarp(mask());
        }
    }

private:
    /// The threads of this number in the warp.
    static __device__ __forceinline__ unsigned mask()
    {
        return ((1u << Threads) - 1u) << (threadIdx.x % 32 / Threads * Threads);
    }

    static __device__ __forceinline__ std::uint64_t joined(std::uint32_t low, std::uint32_t high)
    {
        return static_cast<std::uint64_t>(high) << 32 | low;
    }

    const rns_set<rns_most_moduli>* set_;
    int rank_;
    int count_;
};

/// The most residues of a number that one thread holds alone: 212 bits.
inline constexpr int residues_alone = 14;

/// A model of rns_set: one thread holds a number of up to N residues in registers; the constants come with the
/// arguments of the kernel, where instructions read them without loading them first.
template <int N>
class rns_alone {
public:
    static constexpr int capacity = N;
    static constexpr bool unrolled = true;
    static constexpr int tile_bits = residua::detail::rns_tile_bits(N / residues_each);
    using handle = rns_alone;

    __device__ __forceinline__ explicit rns_alone(const rns_set<N>& set) : set_(&set) {}

    __device__ __forceinline__ int held() const { return N; }
    __device__ __forceinline__ int index(int k) const { return k; }
    __device__ __forceinline__ bool present(int k) const { return k < set_->constants.count; }
    __device__ __forceinline__ bool leads() const { return true; }
    __device__ __forceinline__ void meet() const {}
    __device__ __forceinline__ const rns_constants& scalars() const { return set_->constants; }
    __device__ __forceinline__ const rns_modulus& modulus(int k) const { return set_->moduli[k]; }
    __device__ __forceinline__ std::uint32_t power(int a, int k) const { return set_->table[a][k]; }
    template <class T>
    __device__ __forceinline__ T sum(T v) const
    {
        return v;
    }

private:
    const rns_set<N>* set_;
};

}  // namespace residua::blas::detail
