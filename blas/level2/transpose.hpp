#pragma once

#include <residua/blas/base/check.hpp>
#include <residua/blas/level2/combine.hpp>

namespace residua::blas {

/// B <- A', exactly
///
/// shapes  A (m x n), B (n x m), which does not overlap A
/// throws  dimension_error if sizes do not fit; error if formats differ; on a device cuda_error if the launch fails
template <class T, class Exec>
void transpose(const Exec& exec, in_matrix<Exec, T> a, out_matrix<Exec, T> b)
{
    require_equal("transpose", "columns of A and rows of B", a.cols, b.rows);
    require_equal("transpose", "rows of A and columns of B", a.rows, b.cols);
    require_formats("transpose", b, a);
    detail::combine_entries(exec, "transpose", detail::entry_sum<Exec, T>{b, {.x = detail::places_of(a, trans::yes)}});
}

}  // namespace residua::blas
