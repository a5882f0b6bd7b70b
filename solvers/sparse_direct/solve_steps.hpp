#pragma once

#include <residua/io/error.hpp>

namespace residua {

/// Pivots of a front that solves find before their products are subtracted from others. Most fronts have fewer. It is part of
/// the order of solves (multifrontal_solve.hpp), on the host and on a device.
inline constexpr index_t columns_of_step = 128;

}  // namespace residua
