// Rump's polynomial, whose terms of size 1e37 cancel down to -0.8273960599...: one template, the
// precision is a type.
#include <cstdio>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/native/double.hpp>

using residua::expansion;

template <residua::number T>
T rump(const T& a, const T& b)
{
    const T a2 = a * a;
    const T b2 = b * b;
    const T b4 = b2 * b2;
    const T b6 = b4 * b2;
    const T b8 = b4 * b4;
    return T{333.75} * b6 + a2 * (T{11.0} * a2 * b2 - b6 - T{121.0} * b4 - T{2.0}) + T{5.5} * b8 + a / (T{2.0} * b);
}

template <residua::number T>
void print()
{
    const T value = rump(T{77617.0}, T{33096.0});
    std::printf("%-14s %s\n", residua::number_traits<T>::name.data(), to_string(residua::to_real(value), 20).c_str());
}

int main()
{
    print<double>();
    print<expansion<double, 2>>();
    print<expansion<double, 3>>();
    print<expansion<double, 4>>();
}
