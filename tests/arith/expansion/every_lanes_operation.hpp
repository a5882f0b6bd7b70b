#pragma once

#include <residua/arith/expansion/lanes/product.hpp>
#include <residua/arith/expansion/lanes/sum.hpp>

namespace residua::testing {

inline constexpr int lanes_operations = 7;

/// Every operation of expansions with one term a lane, for n terms, on the host and in a warp:
/// out[k * width + i] <- lane i of operation k.
template <lanes::tile_model Tile>
RESIDUA_HD void every_lanes_operation(const Tile& tile, const double* x, const double* y, int n, double* out)
{
    constexpr int width = Tile::width;
    const auto a = lanes::load(tile, x, n);
    const auto b = lanes::load(tile, y, n);
    const auto raw = lanes::raw_product(tile, a, b);
    const auto fast = lanes::fast_sum(tile, a, b, n);
    auto tidy = a;
    lanes::renormalize(tile, tidy);
    auto facts = fast;
    const bool valid = lanes::is_valid_sum(tile, fast, a, b);
    const bool apart = lanes::is_nonoverlapping(tile, fast);
    tile.each([valid, apart](int, double& f) { f = (valid ? 1.0 : 0.0) + (apart ? 2.0 : 0.0); }, facts);
    lanes::store(tile, lanes::safe_sum(tile, a, b, n), out, width);
    lanes::store(tile, fast, out + width, width);
    lanes::store(tile, lanes::sum(tile, a, b, n), out + 2 * width, width);
    lanes::store(tile, raw, out + 3 * width, width);
    lanes::store(tile, lanes::product(tile, a, b, n), out + 4 * width, width);
    lanes::store(tile, tidy, out + 5 * width, width);
    lanes::store(tile, facts, out + 6 * width, width);
}

/// The same on the device for count pairs of n terms each, x[i * n...], with a tile for every pair, n = 2 to 32:
/// out[i * lanes_operations * width...].
///
/// reports  false if there is no device
bool every_lanes_operation_on_device(const double* x, const double* y, int n, double* out, int count);

}  // namespace residua::testing
