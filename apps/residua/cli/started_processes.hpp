#pragma once

#include <memory>

#include <residua/solvers/processes/processes.hpp>

namespace residua {

/// The processes that mpirun, mpiexec or srun has started, by the variables that Open MPI, PMI and SLURM set; null:
/// this process was started alone. RESIDUA_MPI names another file than libresidua_mpi.so, or is `off`: then each
/// process is alone.
///
/// throws  resource_error if several were started, and MPI cannot be opened
std::unique_ptr<processes> started_processes();

/// Whether this process has a number other than 0, before MPI is opened.
bool started_as_another();

/// Threads of a process whose caller names no number: its share of the processors of this machine, or 1.
int threads_of_process();

}  // namespace residua
