#pragma once

#include <type_traits>
#include <utility>

#include <residua/arith/base/host_device.hpp>

namespace residua::detail {

template <class F, int... I>
RESIDUA_HD void unroll(const F& f, std::integer_sequence<int, I...>)
{
    (f(I), ...);
}

/// f(0), ..., f(Count - 1), written out: a loop inside a SIMD loop may keep that from being
/// vectorised. f is a lambda marked always_inline.
template <int Count, class F>
RESIDUA_HD void unroll(const F& f)
{
    unroll(f, std::make_integer_sequence<int, Count>{});
}

}  // namespace residua::detail
