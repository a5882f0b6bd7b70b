#pragma once

#include <functional>

namespace residua {

class processes;

/// One program on several processes: process 0 leads, and the others serve.
///
/// On process 0 it calls lead(), in which solve() and solver take solve_options::processes = &all, and returns what that
/// returns. The others do what these solves ask of them, and return the same number: they need no system and no
/// options.
///
///   const std::unique_ptr<residua::processes> all = residua::open_processes(residua::mpi_library);
///   return residua::lead_or_serve(*all, [&] {
///       residua::solve_options options{.method = residua::method::cg, .precision_bits = 212, .processes = all.get()};
///       return use(residua::solve(system, options).x);
///   });
///
/// interrupted  asked once an iteration, on the others; true ends the running solve as solve_options::interrupted does
///              on process 0; may be empty
/// needs        solvers that were made in lead() are destroyed there
/// throws       what lead() throws, on process 0; the others then return 1. A fault of one process within a correction
///              ends all, with its message (processes::end_all)
int lead_or_serve(processes& all, const std::function<int()>& lead, const std::function<bool()>& interrupted = {});

}  // namespace residua
