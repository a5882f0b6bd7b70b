#pragma once

#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/multidigit/elements.hpp>
#include <residua/blas/sparse/trsv.hpp>

/// The steps of operations that host and device share.

namespace residua::blas::detail {

/// y <- alpha s + beta y, where sums(s) gives the sums.
template <class Exec, class Sums>
void update(const Exec& exec, const multidigit_number& alpha, const multidigit_number& beta,
            const vector_view<Exec, multidigit>& y, const Sums& sums)
{
    const bool keeps = !(beta == multidigit_number(beta.format()));
    if (!keeps) {
        sums(y);
        if (!(alpha == multidigit_number(alpha.format(), 1.0))) {
            scal<multidigit>(exec, alpha, y);
        }
        return;
    }
    vector<Exec, multidigit> s(y.format, y.size, exec);
    sums(s.view());
    waxpby<multidigit>(exec, beta, y, alpha, s, y);
}

/// The step of a triangular solve for one row.
template <class Exec>
multidigit_solve_row solve_row(uplo triangle, const sparse_trsv_operands<Exec, multidigit, double>& o)
{
    return {o.x.format.bits(),  triangle == uplo::lower, o.diagonal == diag::unit, rows_of<0>(o.a),
            o.a.value().data(), {o.b.start, o.b.stride}, {o.x.start, o.x.stride}};
}

}  // namespace residua::blas::detail
