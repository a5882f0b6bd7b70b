#pragma once

#include <cstdint>

#include <residua/arith/multidigit/add.hpp>
#include <residua/arith/multidigit/div.hpp>
#include <residua/arith/multidigit/mul.hpp>
#include <residua/arith/multidigit/sizes.hpp>

/// Long functions, which no loop has inlined: number.cpp compiles them, and not each file that calls them.
#define RESIDUA_MULTIDIGIT_FUNCTIONS(EXTERN, N)                                                                \
    EXTERN template multidigit_float<std::uint64_t, N> add(const multidigit_float<std::uint64_t, N>&,          \
                                                           const multidigit_float<std::uint64_t, N>&, int);    \
    EXTERN template multidigit_float<std::uint64_t, N> div(const multidigit_float<std::uint64_t, N>&,          \
                                                           const multidigit_float<std::uint64_t, N>&, int);    \
    EXTERN template multidigit_float<std::uint64_t, N> detail::mul_in_full(multidigit_float<std::uint64_t, N>, \
                                                                           multidigit_float<std::uint64_t, N>, int);

#if !defined(__CUDACC__)
namespace residua {
#define RESIDUA_DECLARE(N) RESIDUA_MULTIDIGIT_FUNCTIONS(extern, N)
RESIDUA_FOR_EACH_MULTIDIGIT_SIZE(RESIDUA_DECLARE)
#undef RESIDUA_DECLARE
}  // namespace residua
#endif
