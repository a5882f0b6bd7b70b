#pragma once

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
};

}  // namespace residua
