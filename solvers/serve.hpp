#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <residua/arith/real/real.hpp>

namespace residua {

class long_vector;
class processes;
struct linear_system;
struct named_rhs;

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
/// needs        solvers that were made in lead() are destroyed there, and so are systems and results in pieces
/// throws       what lead() throws, on process 0; the others then return 1. A fault of one process within a correction
///              ends all, with its message (processes::end_all)
int lead_or_serve(processes& all, const std::function<int()>& lead, const std::function<bool()>& interrupted = {});

/// A system whose rows of A all processes get, each its own, so that nobody has the whole: to be called in lead(), where all
/// copies of the result have to be gone at the end. A solve that needs the whole takes it back: one that makes factors, for
/// error estimates too, scales rows, keeps checkpoints, or finds a singular Laplacian. b stays whole, unless
/// share_rhs() hands it out too. load_shared() has a file read so at once.
///
/// throws  unsupported_error if A is not square, or has entries that binary64 does not hold
linear_system share_rows(processes& all, linear_system system);

/// Hands out b of a system whose rows are shared: each process has its rows of it (linear_system::b_in_pieces), and b is
/// empty. solve() takes it so. A b that multi-digit floats do not hold stays as it is.
///
/// needs  system.elsewhere
void share_rhs(linear_system& system);

/// Gives such a system a right-hand side that is nowhere whole. False: multi-digit floats do not hold it, and nothing changes.
///
/// needs  system.elsewhere
bool make_rhs(linear_system& system, const named_rhs& rhs);

/// Hands out a number for each row of such a system: a right-hand side for solver::solve_in_pieces(), or an initial
/// guess for solve_options::guess_in_pieces. Null: multi-digit floats do not hold them.
///
/// needs   system.elsewhere
/// throws  dimension_error if there are more or fewer numbers than rows
std::shared_ptr<const long_vector> share_numbers(const linear_system& system, const std::vector<real>& numbers);

}  // namespace residua
