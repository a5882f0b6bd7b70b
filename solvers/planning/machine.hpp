#pragma once

#include <residua/io/team.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/precond/petsc.hpp>

namespace residua {

/// What decisions know of the machine. A test makes one by hand.
struct machine {
    double memory = 1e30;  ///< bytes that this process can still take
    int threads = 1;
    /// Whether the plug-in for PETSc is there; null: it is not. It is asked only where multigrid fits, since it opens
    /// the file.
    bool (*has_multigrid)() = nullptr;
};

/// This machine as it is now. Decisions read it nowhere else; GPUs are asked when a method wants one (find_place()).
inline machine this_machine()
{
    return {.memory = available_memory_bytes(), .threads = io::available_threads(), .has_multigrid = has_petsc};
}

}  // namespace residua
