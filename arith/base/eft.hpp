#pragma once

#include <cmath>

#include <residua/arith/base/host_device.hpp>

namespace residua {

/// The rounded result of an operation and its rounding error.
struct rounded {
    double value;
    double error;
};

/// RN(a b), never fused into a following addition.
///
/// With nvcc's default --fmad=true a plain `a * b` may be contracted; `__dmul_rn` may not.
/// The host side relies on -ffp-contract=off, which residua::arith passes to its users.
RESIDUA_HD double mul_rn(double a, double b)
{
#if defined(__CUDA_ARCH__)
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
}

/// s + e == a + b exactly, s = RN(a + b); 6 flops, no condition but overflow.
///
/// from  Knuth; [MBdD+18, Alg. 4.4]
RESIDUA_HD rounded two_sum(double a, double b)
{
    const double s = a + b;
    const double b_virtual = s - a;
    const double a_virtual = s - b_virtual;
    return {s, (a - a_virtual) + (b - b_virtual)};
}

/// s + e == a + b exactly, s = RN(a + b), if |a| >= |b| or a == 0; 3 flops.
///
/// from  Dekker; [MBdD+18, Alg. 4.3]
RESIDUA_HD rounded fast_two_sum(double a, double b)
{
    const double s = a + b;
    return {s, b - (s - a)};
}

/// p + e == a b exactly, p = RN(a b), if exponent(a) + exponent(b) >= -1022 + 52; 2 flops.
///
/// from  [MBdD+18, Alg. 4.8]
RESIDUA_HD rounded two_prod(double a, double b)
{
    const double p = mul_rn(a, b);
    return {p, std::fma(a, b, -p)};
}

}  // namespace residua
