#pragma once

#include <cstddef>
#include <cstdint>

/// What the library and its plug-in for PETSc, libresidua_petsc.so, know of each other: plain data and functions that throw
/// nothing, so that both may be built by different compilers.
namespace residua {

/// Changes with every member below. The library takes a plug-in of its own version only.
inline constexpr int petsc_table_version = 2;

/// A square matrix by rows; row i has the entries row_begin[i] <= k < row_begin[i + 1], whose columns ascend.
struct petsc_matrix {
    std::int32_t rows;
    const std::int32_t* row_begin;
    const std::int32_t* column;
    const double* value;
    int symmetric;
    int definite;             ///< the caller takes A for symmetric positive definite
    std::int32_t block_size;  ///< rows of a node, which divides `rows`; 1: nothing is known
    /// near-null vectors, one after the other, of the matrix that scaling has made A of: those of A are these divided
    /// by 2^e
    std::int32_t near_null_vectors;
    const double* near_null_space;
    const double*
        coordinates;     ///< of the nodes, `block_size` each, for rigid body motions in place of vectors; null: none
    const int* scaling;  ///< e for each column; null: 0
};

/// How a function of the plug-in ended.
enum class petsc_outcome : int {
    done,
    option,  ///< the options are wrong
    memory,
    failure  ///< anything else, as a pivot that is zero
};

struct petsc_table {
    int version;
    /// Makes M for A, whose arrays have to outlive it, by PETSc's options in `options`. A message that says why not is written
    /// to `message`, a line of at most `size` bytes with the 0 at its end.
    petsc_outcome (*make)(const petsc_matrix* a, const char* options, void** m, char* message, std::size_t size);
    /// z = M r
    petsc_outcome (*apply)(void* m, const double* r, double* z, char* message, std::size_t size);
    void (*free)(void* m);
};

/// The name of the function of the plug-in that returns its table.
inline constexpr const char* petsc_table_function = "residua_petsc_table";

}  // namespace residua
