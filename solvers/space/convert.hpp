#pragma once

#include <concepts>

#include <residua/blas/level1/convert.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/blas/rns/level1.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// y <- x from one space to another of the same executor, by blas::convert. It is exact where the format of y has
/// enough bits. Otherwise it rounds: to binary64 and multi-digit floats to nearest.
template <vector_space From, vector_space To>
void convert(const From&, const typename From::vector& x, const To& to, typename To::vector& y)
{
    if constexpr (std::same_as<From, To> && number<typename From::scalar>) {
        to.copy(x, y);
    } else {
        blas::convert(to.exec, x.view(), y.view());
    }
}

}  // namespace residua
