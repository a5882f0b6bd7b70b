#pragma once

#include <residua/arith/expansion/lanes/tile.hpp>

namespace residua::lanes {

/// The tile of a GPU: W neighbouring threads of a warp, thread t of the block is lane t % W.
///
/// All 32 threads of the warp call together: its tiles are in step, and none may have returned. A thread that has
/// nothing to compute takes part with any operands. Blocks are one-dimensional, of whole warps. One mask for all
/// tiles makes a vote or a shuffle one instruction of the warp; with a mask each the tiles would take turns.
template <int W>
class warp_tile {
    static_assert(W >= 2 && W <= 32 && (W & (W - 1)) == 0);

public:
    static constexpr int width = W;
    using value = double;

    __device__ __forceinline__ warp_tile()
        : lane_(static_cast<int>(threadIdx.x & (W - 1))),
          tile_((0xffffffffu >> (32 - W)) << (threadIdx.x & 31 & ~(W - 1)))
    {}

    template <class F, class... V>
    __device__ __forceinline__ void each(F f, V&... v) const
    {
        f(lane_, v...);
    }

    template <class F, class... V>
    __device__ __forceinline__ bool any(F f, const V&... v) const
    {
        return (__ballot_sync(warp, f(lane_, v...)) & tile_) != 0;
    }

    template <class F, class... V>
    __device__ __forceinline__ bool any_in_step(F f, const V&... v) const
    {
        return __any_sync(warp, f(lane_, v...)) != 0;
    }

    template <class From>
    __device__ __forceinline__ double shuffled(double v, From from) const
    {
        const int source = from(lane_);
        const double r = __shfl_sync(warp, v, source & (W - 1), W);
        return source >= 0 && source < W ? r : 0.0;
    }

    __device__ __forceinline__ double above(double v) const
    {
        const double r = __shfl_up_sync(warp, v, 1, W);
        return lane_ > 0 ? r : 0.0;
    }

    __device__ __forceinline__ double below(double v) const
    {
        const double r = __shfl_down_sync(warp, v, 1, W);
        return lane_ < W - 1 ? r : 0.0;
    }

    __device__ __forceinline__ double broadcast(double v, int j) const { return __shfl_sync(warp, v, j, W); }

private:
    static constexpr unsigned warp = 0xffffffffu;

    int lane_;
    unsigned tile_;  // the threads of this tile
};

}  // namespace residua::lanes
