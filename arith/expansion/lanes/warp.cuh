#pragma once

#include <residua/arith/expansion/lanes/tile.hpp>

namespace residua::lanes {

/// The tile of a GPU: W neighbouring threads of a warp, thread t of the block is lane t % W.
///
/// All threads of the tile call together; other tiles of the warp may be elsewhere. Blocks are
/// one-dimensional.
template <int W>
class warp_tile {
    static_assert(W >= 2 && W <= 32 && (W & (W - 1)) == 0);

public:
    static constexpr int width = W;
    using value = double;

    __device__ __forceinline__ warp_tile()
        : lane_(static_cast<int>(threadIdx.x & (W - 1))),
          mask_((0xffffffffu >> (32 - W)) << (threadIdx.x & 31 & ~(W - 1)))
    {}

    template <class F, class... V>
    __device__ __forceinline__ void each(F f, V&... v) const
    {
        f(lane_, v...);
    }

    template <class F, class... V>
    __device__ __forceinline__ bool any(F f, const V&... v) const
    {
        return __any_sync(mask_, f(lane_, v...)) != 0;
    }

    template <class From>
    __device__ __forceinline__ double take(double v, From from) const
    {
        const int source = from(lane_);
        const double r = __shfl_sync(mask_, v, source & (W - 1), W);
        return source >= 0 && source < W ? r : 0.0;
    }

    __device__ __forceinline__ double above(double v) const
    {
        const double r = __shfl_up_sync(mask_, v, 1, W);
        return lane_ > 0 ? r : 0.0;
    }

    __device__ __forceinline__ double below(double v) const
    {
        const double r = __shfl_down_sync(mask_, v, 1, W);
        return lane_ < W - 1 ? r : 0.0;
    }

    __device__ __forceinline__ double broadcast(double v, int j) const { return __shfl_sync(mask_, v, j, W); }

private:
    int lane_;
    unsigned mask_;
};

}  // namespace residua::lanes
