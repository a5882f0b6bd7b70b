#pragma once

#include <residua/arith/expansion/lanes/product.hpp>
#include <residua/arith/expansion/lanes/sum.hpp>
#include <residua/arith/expansion/type.hpp>

/// The arithmetic of the formats with most terms: arith/expansion/lanes in a tile of 32 lanes, on every executor.
/// A warp of a GPU works on one number, a thread of the host or of a device on all lanes; the bits are the same.
namespace residua {

/// Whether N-term numbers are added and multiplied with one term a lane, rather than one number a thread.
///
/// `bench/arith/chain_bench` on an H200, numbers in registers, 10^9 operations a
/// second, one number a thread | one term a lane (safe sums):
///
///     terms       8            16            32
///     add     24.4 | 12.9   6.27 | 4.25   0.44 | 1.20
///     mul     26.6 | 5.41   1.09 | 1.74   0.27 | 0.47
///
/// One multiplication and one addition take 0.079 | 0.26, 1.08 | 0.81 and 6.0 | 3.0 ns. At 16 terms lanes would be a
/// quarter faster there, but slower on a host, where a sum of products of 24 terms takes six times as long as one of
/// 16, and a format has one arithmetic. A tile has up to 32 lanes.
template <int N>
inline constexpr bool one_term_a_lane = N >= 24 && N <= 32;

namespace lanes {

/// x d in n <= W terms; d has the same number in every lane, x need not be nonoverlapping.
///
/// errors  u^n (1 + 4u) |x d|, as long as no product of terms underflows
/// cost    2 flops a lane and safe_sum
/// from    theorem 8 of docs/error_bounds.md: the products of the terms and their errors are the operands
template <tile_model Tile>
RESIDUA_HD typename Tile::value scaled(const Tile& tile, const typename Tile::value& x, const typename Tile::value& d,
                                       int n = Tile::width)
{
    typename Tile::value p = x;
    typename Tile::value e = d;
    tile.each(
        [](int, double& a, double& b) {
            const rounded r = two_prod(a, b);
            a = r.value;
            b = r.error;
        },
        p, e);
    return safe_sum(tile, p, e, n);
}

/// x / y in n <= W terms, for ulp-nonoverlapping x and y of n terms.
///
/// errors    relative: (2.03 + 5.2^(n+1) u) u^n
/// cost      n + 1 divisions, products with a double and safe sums; fewer if x / y has fewer digits
/// specials  x / 0 and 0 / 0 have the leading term of binary64
/// from      long division, docs/error_bounds.md, theorem 12
template <tile_model Tile>
RESIDUA_HD typename Tile::value quotient(const Tile& tile, const typename Tile::value& x, const typename Tile::value& y,
                                         int n = Tile::width)
{
    static_assert(Tile::width == 32, "each tile ends its division by itself, which takes a warp");
    using value = typename Tile::value;
    const value divisor = tile.broadcast(y, 0);
    const auto next_digit = [&](const value& rest) {
        value q = tile.broadcast(rest, 0);
        tile.each([](int, double& a, double b) { a /= b; }, q, divisor);
        return q;
    };
    const value first = next_digit(x);
    value rest = x;
    value digits{};
    value behind{};  // the digit that has no lane
    for (int k = 0; k <= n; ++k) {
        value q = next_digit(rest);
        tile.each(
            [k](int lane, double& d, double& b, double& a) {
                d = lane == k ? a : d;
                b = lane + Tile::width == k ? a : b;
                a = -a;
            },
            digits, behind, q);
        rest = safe_sum(tile, rest, scaled(tile, y, q, n), n);
        if (!tile.any([](int, double r) { return r != 0.0; }, rest)) {
            break;
        }
    }
    digits = safe_sum(tile, digits, behind, n);
    tile.each([](int lane, double& d, double q) { d = lane > 0 || q - q == 0.0 ? d : q; }, digits, first);
    return digits;
}

}  // namespace lanes

namespace detail {

// One thread computes each of these, for n <= 32 terms; r may be an operand. On the host they are compiled in
// one_term_a_lane.cpp, for the instruction set of the machine.
RESIDUA_HD_LONG void sum_by_lanes(const double* x, const double* y, int n, double* r);
RESIDUA_HD_LONG void product_by_lanes(const double* x, const double* y, int n, double* r);
RESIDUA_HD_LONG void scaled_by_lanes(const double* x, double d, int n, double* r);
RESIDUA_HD_LONG void quotient_by_lanes(const double* x, const double* y, int n, double* r);

/// The same operations, to be inlined into the code around them.
struct by_lanes {
    using tile = lanes::host_tile<32>;
    using value = tile::value;

    static RESIDUA_HD value spread(double d)
    {
        value v;
        tile{}.each([d](int, double& x) { x = d; }, v);
        return v;
    }

    static RESIDUA_HD void sum(const double* x, const double* y, int n, double* r)
    {
        lanes::store(tile{}, lanes::sum(tile{}, lanes::load(tile{}, x, n), lanes::load(tile{}, y, n), n), r, n);
    }

    static RESIDUA_HD void product(const double* x, const double* y, int n, double* r)
    {
        lanes::store(tile{}, lanes::product(tile{}, lanes::load(tile{}, x, n), lanes::load(tile{}, y, n), n), r, n);
    }

    static RESIDUA_HD void scaled(const double* x, double d, int n, double* r)
    {
        lanes::store(tile{}, lanes::scaled(tile{}, lanes::load(tile{}, x, n), spread(d), n), r, n);
    }

    static RESIDUA_HD void quotient(const double* x, const double* y, int n, double* r)
    {
        lanes::store(tile{}, lanes::quotient(tile{}, lanes::load(tile{}, x, n), lanes::load(tile{}, y, n), n), r, n);
    }
};

#if defined(__CUDA_ARCH__)
inline RESIDUA_HD_RARE void sum_by_lanes(const double* x, const double* y, int n, double* r)
{
    by_lanes::sum(x, y, n, r);
}
inline RESIDUA_HD_RARE void product_by_lanes(const double* x, const double* y, int n, double* r)
{
    by_lanes::product(x, y, n, r);
}
inline RESIDUA_HD_RARE void scaled_by_lanes(const double* x, double d, int n, double* r)
{
    by_lanes::scaled(x, d, n, r);
}
inline RESIDUA_HD_RARE void quotient_by_lanes(const double* x, const double* y, int n, double* r)
{
    by_lanes::quotient(x, y, n, r);
}
#endif

}  // namespace detail
}  // namespace residua
