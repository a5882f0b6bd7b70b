#pragma once

#include <residua/arith/complex/functions.hpp>

namespace residua::testing {

inline constexpr int operations = 14;

/// Every operation once, for host and device.
template <class T>
RESIDUA_HD void every_operation(const complex_number<T>& z, const complex_number<T>& w, complex_number<T>* out)
{
    const T& t = w.real();
    out[0] = z + w;
    out[1] = z - w;
    out[2] = z * w;
    out[3] = z / w;
    out[4] = z * t;
    out[5] = t / z;
    out[6] = t - z;
    out[7] = conj(z) * z;
    out[8] = norm(z);
    out[9] = abs(z);
    out[10] = sqrt(z);
    out[11] = sqrt(-z);
    out[12] = -w;
    out[13] = T((z == w ? 1.0 : 0.0) + (is_finite(z) ? 2.0 : 0.0));
    out[0] += w;
    out[1] *= z;
}

/// out[i * operations + k] <- operation k on z[i], w[i], on the device, for n elements.
///
/// reports  false if there is no device
template <class T>
bool every_operation_on_device(const complex_number<T>* z, const complex_number<T>* w, complex_number<T>* out, int n);

}  // namespace residua::testing
