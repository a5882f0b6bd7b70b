#pragma once

#include <residua/arith/expansion/expansion.hpp>

namespace residua::testing {

inline constexpr int operations = 16;

/// Every operation once, for host and device.
template <int N>
RESIDUA_HD void every_operation(const expansion<double, N>& x, const expansion<double, N>& y, expansion<double, N>* out)
{
    const double d = y.t[0];
    accumulator<N> sum{x};
    sum.add_product(x, y);
    sum.add_product(d, x);
    accumulator<N> other;
    other.add(y);
    other.merge(sum);
    out[0] = x + y;
    out[1] = x + d;
    out[2] = d - x;
    out[3] = x * y;
    out[4] = x * d;
    out[5] = x / y;
    out[6] = d / x;
    out[7] = x / d;
    out[8] = sqrt(abs(x));
    out[9] = multiply_add(x, y, -y);
    out[10] = multiply_add(d, x, y);
    out[11] = sum.result();
    out[12] = other.result();
    out[13] = ldexp(x, 7);
    out[14] = expansion<double, N>{to_double(x - y)};
    out[15] = expansion<double, N>{(x < y ? 1.0 : 0.0) + (x == y ? 2.0 : 0.0) + (x <= d ? 4.0 : 0.0)};
}

/// out[i * operations + k] <- operation k on x[i], y[i], on the device, for n elements.
///
/// reports  false if there is no device
template <int N>
bool every_operation_on_device(const expansion<double, N>* x, const expansion<double, N>* y, expansion<double, N>* out,
                               int n);

}  // namespace residua::testing
