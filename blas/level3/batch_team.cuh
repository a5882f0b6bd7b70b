#pragma once

#include <algorithm>
#include <string>

#include <residua/io/error.hpp>

/// How the threads of a device are shared among the systems of a batch.
namespace residua::blas::detail {

inline constexpr unsigned all_lanes = 0xffffffffu;
inline constexpr int warp = 32;
inline constexpr int block_threads = 128;  // threads of a block that several systems share
inline constexpr int most_threads = 256;   // threads of a system at most

/// The threads of a system: `rows` of them, neighbours in a warp, take rows i, i + rows, ...; `columns` such groups take
/// columns in turn. A block has several systems if a system takes a warp or less, otherwise one.
struct team_shape {
    int rows = 1;
    int columns = 1;
    int systems = 1;
    int ld = 1;     ///< leading dimension in shared memory; odd, so that entries of a row lie in different banks
    int words = 0;  ///< words of shared memory for a system

    __host__ __device__ int threads() const { return rows * columns; }
};

/// The least power of two that is not below n.
inline int power_from(int n)
{
    int power = 1;
    while (power < n) {
        power *= 2;
    }
    return power;
}

inline team_shape rows_of_team(int n)
{
    team_shape shape;
    shape.rows = std::min(power_from(n), warp);
    shape.systems = block_threads / shape.rows;
    return shape;
}

/// throws  unsupported_error for more blocks than a grid has
inline unsigned blocks_for_teams(const char* op, index_t count, int systems)
{
    const index_t blocks = (count + systems - 1) / systems;
    if (blocks > 0x7fffffff) {
        throw unsupported_error(std::string(op) + ": a device takes up to " +
                                std::to_string(index_t{0x7fffffff} * systems) + " systems at once, not " +
                                std::to_string(count));
    }
    return static_cast<unsigned>(blocks);
}

}  // namespace residua::blas::detail
