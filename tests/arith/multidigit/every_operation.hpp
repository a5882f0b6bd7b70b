#pragma once

#include <residua/arith/multidigit/multidigit.hpp>

namespace residua::support {

template <class Digit, int N>
struct multidigit_operands {
    multidigit_float<Digit, N> x, y, z;
    double d;
};

/// What every operation makes of them: the same function for host and device.
template <class Digit, int N>
struct multidigit_results {
    static constexpr int numbers = 10;
    multidigit_float<Digit, N> number[numbers];
    double nearest;
    bool less, equal;
};

inline constexpr const char* multidigit_operation_names[] = {
    "add", "sub", "mul", "fma", "mul by a double", "fma by a double", "div", "sqrt", "ldexp", "add_scaled"};

/// How far ldexp scales, by a number that operands tell.
RESIDUA_HD std::int64_t scaling_of(double d) { return static_cast<std::int64_t>(to_bits(d)) >> 30; }

/// Another one, of any size.
RESIDUA_HD std::int64_t short_scaling_of(double d) { return scaling_of(d) >> static_cast<int>((to_bits(d) >> 3) % 40); }

template <class Digit, int N>
RESIDUA_HD_LONG inline void every_operation(const multidigit_operands<Digit, N>& o, int p,
                                            multidigit_results<Digit, N>& r)
{
    r.number[0] = add(o.x, o.y, p);
    r.number[1] = sub(o.x, o.y, p);
    r.number[2] = mul(o.x, o.y, p);
    r.number[3] = fma(o.x, o.y, o.z, p);
    r.number[4] = mul(o.x, o.d, p);
    r.number[5] = fma(o.x, o.d, o.z, p);
    r.number[6] = div(o.x, o.y, p);
    r.number[7] = sqrt(o.x, p);
    r.number[8] = ldexp(o.x, scaling_of(o.d));
    r.number[9] = add_scaled(o.x, short_scaling_of(o.d), o.y, p);
    r.nearest = to_double(o.x);
    r.less = o.x < o.y;
    r.equal = o.x == o.y;
}

/// every_operation for n operands on the device; false if there is none.
template <class Digit, int N>
bool every_operation_on_device(const multidigit_operands<Digit, N>* operands, int p,
                               multidigit_results<Digit, N>* results, int n);

}  // namespace residua::support
