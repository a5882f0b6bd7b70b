#pragma once

#include <concepts>

#include <residua/arith/base/host_device.hpp>

/// Expansions with one term a lane: a tile of W lanes holds one expansion, the leading term in lane 0.
///
/// The algorithms are written once, over a *tile*, a model of what W lanes can do together. On a GPU the
/// lanes are neighbouring threads of a warp (warp.cuh) and a value is a double of each of them; on the host
/// a value is an array of W doubles. Both do the same operations on the same doubles, so the results have
/// the same bits. An expansion of fewer than W terms has zeros in the lanes behind them.
///
/// The tiles of a warp go in step. A loop ends when none of them needs another round, so a tile may
/// do more rounds than it needs. They change nothing: a result depends on the tile's own operands only.
/// from  [CJMP16]
namespace residua::lanes {

/// The number of lanes of a tile for n <= 32 terms: the least power of two >= n, at least 2.
constexpr int tile_width(int n)
{
    int w = 2;
    while (w < n) {
        w *= 2;
    }
    return w;
}

namespace detail {

// The function objects with which the concept calls a tile; nvcc accepts no lambda there.
struct same_lane {
    RESIDUA_HD int operator()(int lane) const { return lane; }
};
struct is_not_zero {
    RESIDUA_HD bool operator()(int, double x) const { return x != 0.0; }
};
struct clear {
    RESIDUA_HD void operator()(int, double& x) const { x = 0.0; }
};

}  // namespace detail

/// The functions of a tile. All lanes of all tiles in step call its functions together.
///
/// each(f, v...)   f(lane, v_lane...) in every lane; f may change what it takes by reference
/// any(f, v...)    whether f(lane, v_lane...) holds in any lane; the same answer in every lane
/// any_in_step(f, v...)  the same for the lanes of all tiles in step; only rounds that change nothing may depend on it
/// shuffled(v, from)  lane i gets v of lane from(i), or 0 if from(i) is not a lane
/// above(v)        lane i gets v of the more significant lane i - 1, lane 0 gets 0
/// below(v)        lane i gets v of the less significant lane i + 1, the last one gets 0
/// broadcast(v, j) all lanes get v of lane j, 0 <= j < width
template <class T>
concept tile_model = requires(const T tile, typename T::value v) {
    {
        T::width
    } -> std::convertible_to<int>;
    {
        tile.above(v)
    } -> std::same_as<typename T::value>;
    {
        tile.below(v)
    } -> std::same_as<typename T::value>;
    {
        tile.broadcast(v, 0)
    } -> std::same_as<typename T::value>;
    {
        tile.shuffled(v, detail::same_lane{})
    } -> std::same_as<typename T::value>;
    {
        tile.any(detail::is_not_zero{}, v)
    } -> std::same_as<bool>;
    {
        tile.any_in_step(detail::is_not_zero{}, v)
    } -> std::same_as<bool>;
    tile.each(detail::clear{}, v);
};

/// A double in each of W lanes.
template <int W>
struct host_value {
    double lane[W] = {};
};

/// The tile of the host: one thread does the work of all lanes, in loops without branches. It is in step with no other.
template <int W>
class host_tile {
    static_assert(W >= 2 && W <= 32 && (W & (W - 1)) == 0);

public:
    static constexpr int width = W;
    using value = host_value<W>;

    template <class F, class... V>
    RESIDUA_HD void each(F f, V&... v) const
    {
        for (int i = 0; i < W; ++i) {
            f(i, v.lane[i]...);
        }
    }

    template <class F, class... V>
    RESIDUA_HD bool any(F f, const V&... v) const
    {
        bool found = false;
        for (int i = 0; i < W; ++i) {
            found |= f(i, v.lane[i]...);
        }
        return found;
    }

    template <class F, class... V>
    RESIDUA_HD bool any_in_step(F f, const V&... v) const
    {
        return any(f, v...);
    }

    template <class From>
    RESIDUA_HD value shuffled(const value& v, From from) const
    {
        value r;
        for (int i = 0; i < W; ++i) {
            const int source = from(i);
            r.lane[i] = source >= 0 && source < W ? v.lane[source & (W - 1)] : 0.0;
        }
        return r;
    }

    RESIDUA_HD value above(const value& v) const
    {
        value r;
        for (int i = 1; i < W; ++i) {
            r.lane[i] = v.lane[i - 1];
        }
        return r;
    }

    RESIDUA_HD value below(const value& v) const
    {
        value r;
        for (int i = 1; i < W; ++i) {
            r.lane[i - 1] = v.lane[i];
        }
        return r;
    }

    RESIDUA_HD value broadcast(const value& v, int j) const
    {
        value r;
        for (int i = 0; i < W; ++i) {
            r.lane[i] = v.lane[j];
        }
        return r;
    }
};

/// Lane i gets t[i], lanes from n on get 0.
template <tile_model Tile>
RESIDUA_HD typename Tile::value load(const Tile& tile, const double* t, int n)
{
    typename Tile::value v{};
    tile.each([t, n](int lane, double& x) { x = lane < n ? t[lane] : 0.0; }, v);
    return v;
}

/// t[i] <- lane i, for the first n lanes.
template <tile_model Tile>
RESIDUA_HD void store(const Tile& tile, const typename Tile::value& v, double* t, int n)
{
    tile.each(
        [t, n](int lane, const double& x) {
            if (lane < n) {
                t[lane] = x;
            }
        },
        v);
}

/// The first n lanes; zeros behind them.
template <tile_model Tile>
RESIDUA_HD typename Tile::value first_terms(const Tile& tile, typename Tile::value v, int n)
{
    tile.each([n](int lane, double& x) { x = lane < n ? x : 0.0; }, v);
    return v;
}

}  // namespace residua::lanes
