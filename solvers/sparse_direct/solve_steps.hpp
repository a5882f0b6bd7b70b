#pragma once

#include <residua/io/error.hpp>

namespace residua {

/// Pivots of a front that solves find before their products are subtracted from others. Most fronts have fewer. It is part of
/// the order of solves (multifrontal_solve.hpp), on the host and on a device.
inline constexpr index_t columns_of_step = 128;

/// Pivots, from a multiple of this number on, whose products by L' make one sum on the way down. On the host such sums are as
/// fast as one sum over all pivots (a front of 3000), and a device does not wait for the last of them.
inline constexpr index_t columns_of_stretch = 1024;

}  // namespace residua
