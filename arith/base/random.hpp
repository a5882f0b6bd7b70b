#pragma once

#include <cmath>
#include <cstdint>

namespace residua {

/// The SplitMix64 generator [SLF14]: small, and the same numbers on every machine.
struct splitmix64 {
    std::uint64_t state = 0;

    std::uint64_t operator()()
    {
        state += 0x9e3779b97f4a7c15;
        std::uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    /// Leaves out the next `count` numbers.
    void skip(std::uint64_t count) { state += count * 0x9e3779b97f4a7c15; }
};

/// Uniformly distributed multiples of 2^-52 from -1 to 1, exact in binary64.
inline double uniform(splitmix64& random) { return std::ldexp(static_cast<double>(random() >> 11), -52) - 1.0; }

}  // namespace residua
