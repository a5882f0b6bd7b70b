// What PETSc gets to know of a matrix of several functions: its block size and its near-null space.
#include "nodes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace residua_petsc {
namespace {

using residua::petsc_matrix;

/// Vectors that are destroyed with this object.
struct owned_vectors {
    std::vector<Vec> all;

    owned_vectors() = default;
    owned_vectors(const owned_vectors&) = delete;
    owned_vectors& operator=(const owned_vectors&) = delete;
    ~owned_vectors()
    {
        for (Vec& each : all) {
            (void)VecDestroy(&each);
        }
    }
};

/// Appends the rigid body motions of nodes at these coordinates.
PetscErrorCode add_rigid_body_motions(const petsc_matrix& a, owned_vectors& to)
{
    owned_vectors places;
    PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, a.block_size, a.rows, a.coordinates, &places.all.emplace_back()));
    MatNullSpace motions = nullptr;
    PetscCall(MatNullSpaceCreateRigidBody(places.all.back(), &motions));
    PetscInt count = 0;
    const Vec* each = nullptr;
    PetscErrorCode code = MatNullSpaceGetVecs(motions, nullptr, &count, &each);
    for (PetscInt j = 0; code == 0 && j < count; ++j) {
        code = VecDuplicate(each[j], &to.all.emplace_back());
        code = code == 0 ? VecCopy(each[j], to.all.back()) : code;
    }
    (void)MatNullSpaceDestroy(&motions);
    return code;
}

/// Makes vectors orthonormal by Gram and Schmidt, twice, and leaves out those that depend on others.
PetscErrorCode make_orthonormal(owned_vectors& of)
{
    std::vector<Vec> kept;
    for (Vec& each : of.all) {
        double length = 0.0, rest = 0.0, largest = 0.0;
        PetscCall(VecNorm(each, NORM_INFINITY, &largest));
        PetscCall(VecScale(each, std::ldexp(1.0, largest > 0.0 ? -std::ilogb(largest) : 0)));
        PetscCall(VecNorm(each, NORM_2, &length));
        for (int turn = 0; turn < 2; ++turn) {
            for (Vec const other : kept) {
                double part = 0.0;
                PetscCall(VecDot(each, other, &part));
                PetscCall(VecAXPY(each, -part, other));
            }
        }
        PetscCall(VecNorm(each, NORM_2, &rest));
        if (rest > 1e-10 * length) {
            PetscCall(VecScale(each, 1.0 / rest));
            kept.push_back(std::exchange(each, nullptr));
        } else {
            PetscCall(VecDestroy(&each));
        }
    }
    of.all = std::move(kept);
    return 0;
}

/// Divides vectors by the scaling of columns, up to one common power of two, so that nothing overflows.
PetscErrorCode unscale(const petsc_matrix& a, owned_vectors& of)
{
    const int least = a.scaling != nullptr && a.rows > 0 ? *std::min_element(a.scaling, a.scaling + a.rows) : 0;
    for (Vec const each : of.all) {
        double* numbers = nullptr;
        PetscCall(VecGetArray(each, &numbers));
        for (std::int32_t i = 0; a.scaling != nullptr && i < a.rows; ++i) {
            numbers[i] = std::ldexp(numbers[i], least - a.scaling[i]);
        }
        PetscCall(VecRestoreArray(each, &numbers));
    }
    return 0;
}

}  // namespace

PetscErrorCode describe_nodes(const petsc_matrix& a, Mat matrix)
{
    PetscCall(MatSetBlockSize(matrix, a.block_size));
    owned_vectors vectors;
    if (a.coordinates != nullptr) {
        PetscCall(add_rigid_body_motions(a, vectors));
    }
    for (std::int32_t j = 0; j < a.near_null_vectors; ++j) {
        double* numbers = nullptr;
        PetscCall(VecCreateSeq(PETSC_COMM_SELF, a.rows, &vectors.all.emplace_back()));
        PetscCall(VecGetArrayWrite(vectors.all.back(), &numbers));
        std::copy_n(a.near_null_space + static_cast<std::ptrdiff_t>(j) * a.rows, a.rows, numbers);
        PetscCall(VecRestoreArrayWrite(vectors.all.back(), &numbers));
    }
    if (vectors.all.empty()) {
        return 0;
    }
    PetscCall(unscale(a, vectors));
    PetscCall(make_orthonormal(vectors));
    MatNullSpace space = nullptr;
    PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_FALSE, static_cast<PetscInt>(vectors.all.size()),
                                 vectors.all.data(), &space));
    const PetscErrorCode code = MatSetNearNullSpace(matrix, space);
    (void)MatNullSpaceDestroy(&space);
    return code;
}

}  // namespace residua_petsc
