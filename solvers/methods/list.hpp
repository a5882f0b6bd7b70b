#pragma once

#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/methods/bicg.hpp>
#include <residua/solvers/methods/bicgstab.hpp>
#include <residua/solvers/methods/bicgstabl.hpp>
#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/methods/cocg.hpp>
#include <residua/solvers/methods/cocr.hpp>
#include <residua/solvers/methods/gmres.hpp>
#include <residua/solvers/methods/gmres_ir.hpp>
#include <residua/solvers/methods/idr.hpp>
#include <residua/solvers/methods/lsqr.hpp>
#include <residua/solvers/methods/minres.hpp>
#include <residua/solvers/methods/refine.hpp>
#include <residua/solvers/methods/tfqmr.hpp>

namespace residua {

template <class... M>
struct method_list {};

/// The methods of solve() in the order of the enumeration `method`. A row is a type with
///
///   traits                           its method_traits
///   make_workspace(space, problem)   what it works on for a method_problem<S> in a space S
///   run_method(space, of, at, work)  solves A x = b for the problem `of` and the method_column `at`, with its guess
///                                    x; its iteration_report. One that takes several right-hand sides (traits.together)
///                                    has a vector of columns in place of `at`, and returns as many reports
///
/// GMRES-IR and `direct` have traits alone: an engine is built around them (build/gmres_ir_engine.cpp, format_engine.hpp).
using solve_methods =
    method_list<cg_method, minres_method, gmres_method, bicgstab_method, bicgstabl_method, idr_method, tfqmr_method,
                bicg_method, cocg_method, cocr_method, lsqr_method, refine_method, gmres_ir_method, direct_method>;

/// The methods that several processes share: products with A and M are all that they take of these.
using shared_method_list = method_list<cg_method, minres_method, gmres_method, bicgstab_method, bicgstabl_method,
                                       idr_method, tfqmr_method, cocg_method, cocr_method>;

}  // namespace residua
