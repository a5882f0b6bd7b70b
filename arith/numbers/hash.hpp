#pragma once

#include <cstddef>
#include <functional>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/real/real.hpp>

/// std::hash of numbers: equal values have equal hashes, whatever their terms or precision; so have +0 and -0.
namespace residua::detail {

std::size_t hash_of(const real& x);

}  // namespace residua::detail

template <>
struct std::hash<residua::real> {
    std::size_t operator()(const residua::real& x) const { return residua::detail::hash_of(x); }
};

template <int N>
struct std::hash<residua::expansion<double, N>> {
    std::size_t operator()(const residua::expansion<double, N>& x) const
    {
        return residua::detail::hash_of(to_real(x));
    }
};
