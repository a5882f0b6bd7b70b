#pragma once

#include <utility>

#include <residua/arith/real/real.hpp>

namespace residua {

/// The eigenvalues of [a, b; b, c], the larger one in size first; 0 for both if all numbers are.
///
/// errors   few roundings of the larger one; the other is det / that, as good as a c - b^2
inline std::pair<real, real> pair_eigenvalues(const real& a, const real& b, const real& c)
{
    const real middle = ldexp(a + c, -1), half = ldexp(a - c, -1);
    const real radius = sqrt(half * half + b * b);
    const real larger = middle < real(0.0) ? middle - radius : middle + radius;
    return {larger, is_zero(larger) ? larger : (a * c - b * b) / larger};
}

}  // namespace residua
