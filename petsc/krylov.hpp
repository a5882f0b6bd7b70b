#pragma once

// The KSP type "residua": what its parts share.
#include <atomic>
#include <string>

#include <petsc/private/kspimpl.h>

#include "engine.hpp"

namespace residua_petsc {

constexpr PetscInt default_digits = 16;

/// What a kept solver was made of.
struct made_of {
    matrix_state a, null_space;
    bool preconditioned = false;
    std::string options;

    bool operator==(const made_of&) const = default;
};

struct krylov {
    explicit krylov(const engine& e) : by(e) {}

    const engine& by;
    PetscInt digits = default_digits;  ///< 0: the tolerances of the KSP decide
    char method[64] = "auto";
    char precision[64] = "auto";
    handle<residua_solver> solver{nullptr, nullptr};
    made_of from;
    all_processes all;
    Vec r = nullptr, z = nullptr;  ///< of the preconditioner
    double norm_of_b = 0.0;
    std::atomic<PetscErrorCode> failed = 0;  ///< of a monitor or of the preconditioner
    int found_digits = 0;
    std::string report;  ///< of the last solve
};

inline krylov& data_of(KSP ksp) { return *static_cast<krylov*>(ksp->data); }

inline PetscObject object_of(KSP ksp) { return reinterpret_cast<PetscObject>(ksp); }

/// Makes the solver on process 0, unless the one that is kept is of the same matrix and options. One that starts from a
/// guess is not kept.
PetscErrorCode require_solver(KSP ksp, bool from_guess);

/// What process 0 has asked for, on another one: a step for monitors, or the program's preconditioner.
PetscErrorCode serve(KSP ksp, const order& asked);

}  // namespace residua_petsc
