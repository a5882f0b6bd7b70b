#pragma once

#include <residua/blas/base/check.hpp>
#include <residua/blas/level2/triangle.hpp>
#include <residua/blas/multidigit/for_indices.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/blas/sparse/csr.hpp>

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
multidigit_solve_row solve_row(uplo triangle, diag diagonal, const csr<Exec, double>& a,
                               const in_vector<Exec, multidigit>& b, const vector_view<Exec, multidigit>& x)
{
    require_equal("trsv", "rows and columns of A", a.rows(), a.cols());
    require_equal("trsv", "rows of A and size of b", a.rows(), b.size);
    require_equal("trsv", "rows of A and size of x", a.rows(), x.size);
    require_formats("trsv", x, b);
    return {x.format.bits(), triangle == uplo::lower, diagonal == diag::unit, a.row_begin().data(),
            a.col().data(),  a.value().data(),        {b.start, b.stride},    {x.start, x.stride}};
}

}  // namespace residua::blas::detail
