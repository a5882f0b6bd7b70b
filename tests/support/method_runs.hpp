#pragma once

#include <type_traits>

#include <residua/blas/sparse/csr.hpp>
#include <residua/solvers/methods/bicg.hpp>
#include <residua/solvers/methods/bicgstab.hpp>
#include <residua/solvers/methods/bicgstabl.hpp>
#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/methods/fcg.hpp>
#include <residua/solvers/methods/gmres.hpp>
#include <residua/solvers/methods/idr.hpp>
#include <residua/solvers/methods/lsqr.hpp>
#include <residua/solvers/methods/tfqmr.hpp>
#include <residua/solvers/space/blas_space.hpp>

/// Methods with workspaces of their own in any space, and a sparse matrix for the spaces of a host.
namespace residua::support {

template <class T>
struct csr_operator {
    csr<host_executor, double> a;

    void apply(const host_space<T>& space, const vector<host_executor, T>& x, vector<host_executor, T>& y) const
    {
        space.spmv(a, x, y);
    }
};

inline const auto run_cg = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x,
                              const stop_rule& r) {
    cg_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
    return cg(space, a, m, b, x, r, work);
};

inline const auto run_bicgstab = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x,
                                    const stop_rule& r) {
    bicgstab_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
    return bicgstab(space, a, m, b, x, r, work);
};

inline const auto run_bicgstabl = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x,
                                     const stop_rule& r) {
    bicgstabl_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
    return bicgstabl(space, a, m, b, x, r, work);
};

inline const auto run_idr = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x,
                               const stop_rule& r) {
    idr_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
    return idr(space, a, m, b, x, r, work);
};

inline const auto run_fcg = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x,
                               const stop_rule& r) {
    cg_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
    return fcg(space, a, m, b, x, r, work);
};

inline const auto run_tfqmr = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x,
                                 const stop_rule& r) {
    tfqmr_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
    return tfqmr(space, a, m, b, x, r, work);
};

/// These two for symmetric A and M.
inline const auto run_bicg = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x,
                                const stop_rule& r) {
    bicg_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
    return bicg(space, a, a, m, m, b, x, r, work);
};

inline const auto run_lsqr = [](const auto& space, const auto& a, const auto&, const auto& b, auto& x,
                                const stop_rule& r) {
    lsqr_workspace<std::decay_t<decltype(space)>> work(space, space.size(b), space.size(x));
    return lsqr(space, a, a, b, x, r, work);
};

inline const auto run_gmres = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x,
                                 const stop_rule& r) {
    gmres_workspace<std::decay_t<decltype(space)>> work(space, space.size(b), 10);
    return gmres(space, a, m, b, x, r, work, orthogonalization::reorthogonalized);
};

}  // namespace residua::support
