#pragma once

#include <residua/arith/expansion/elementary.hpp>

namespace residua::testing {

inline constexpr int elementary_functions = 11;

/// Every elementary function once, for host and device.
template <int N>
RESIDUA_HD void every_elementary(const expansion<double, N>& x, expansion<double, N>* out)
{
    out[0] = exp(x);
    out[1] = log(abs(x));
    out[2] = sin(x);
    out[3] = cos(x);
    sincos(x, out[4], out[5]);
    out[6] = tan(x);
    out[7] = atan(x);
    out[8] = reciprocal(x);
    out[9] = pow(x, 7);
    out[10] = pow(x, -3);
}

/// out[i * elementary_functions + k] <- function k of x[i], on the device, for n elements.
///
/// reports  false if there is no device
template <int N>
bool every_elementary_on_device(const expansion<double, N>* x, expansion<double, N>* out, int n);

}  // namespace residua::testing
