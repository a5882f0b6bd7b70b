#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace residua {

/// The sign of the permutation that takes k to to_k.
///
/// cost  n
inline int sign_of(std::vector<std::int32_t> to)
{
    int sign = 1;
    for (std::size_t k = 0; k < to.size(); ++k) {
        while (static_cast<std::size_t>(to[k]) != k) {
            std::swap(to[k], to[static_cast<std::size_t>(to[k])]);
            sign = -sign;
        }
    }
    return sign;
}

}  // namespace residua
