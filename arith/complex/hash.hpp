#pragma once

#include <cstddef>
#include <functional>

#include <residua/arith/complex/type.hpp>

/// Equal numbers have equal hashes, whatever the signs of their zeros; of parts that have a std::hash.
template <class T>
    requires std::default_initializable<std::hash<T>>
struct std::hash<residua::complex_number<T>> {
    std::size_t operator()(const residua::complex_number<T>& z) const
    {
        const std::hash<T> of_part;
        const std::size_t h = of_part(z.real()) * 0x9e3779b97f4a7c15u;
        return (h ^ h >> 29) + of_part(z.imag());
    }
};
