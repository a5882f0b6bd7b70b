#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <residua/arith/base/random.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// Vectors that a Krylov method makes its residuals orthogonal to: pseudo-random, with elements, or parts of complex
/// ones, from -1 to 1, and the same on every machine. They have nothing in common with A and b, unlike the first
/// residual, to which A r is orthogonal where A is skew.
template <vector_space S>
std::vector<typename S::vector> make_shadow_vectors(const S& space, index_t n, index_t count)
{
    constexpr std::uint64_t seed = 0x1d5a9f3c7e24b680;  // no seed that a right-hand side is asked for with
    splitmix64 random{seed};
    std::vector<double> values(static_cast<std::size_t>(n * numbers_in_scalar<S>));
    std::vector<typename S::vector> shadow;
    for (index_t i = 0; i < count; ++i) {
        std::generate(values.begin(), values.end(), [&] { return uniform(random); });
        shadow.push_back(space.make_vector(values));
    }
    return shadow;
}

}  // namespace residua
