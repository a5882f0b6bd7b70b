#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <residua/solvers/processes/processes.hpp>

namespace residua {

/// The library that has MPI's processes, where it was built.
inline constexpr const char* mpi_library = "libresidua_mpi.so";

/// The processes of a library, which is opened now and stays open; without a file this process alone. The library has a
/// function with C linkage,
///
///   residua::processes* residua_make_processes(std::int64_t interface)
///
/// which returns null if `interface` is not the one that it was compiled for.
///
/// MPI that was begun here ends with the last of its processes, and does not begin again in this program.
///
/// throws  resource_error if the file cannot be opened, has no such function, or was compiled for another interface;
///         error if MPI has ended in this program
std::unique_ptr<processes> open_processes(const std::string& file);

}  // namespace residua
