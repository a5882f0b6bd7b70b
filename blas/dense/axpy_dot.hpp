#pragma once

#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/elementwise.hpp>

namespace residua::blas {

/// y <- y + a x, and returns y'z of that y; z may be x or y
///
/// errors  as axpy, then as dot: y is rounded to the format in between
/// cost    as axpy and dot, one after the other; waits for the result
/// order   as dot
/// throws  dimension_error if sizes differ, error if formats do
template <class T, class Exec>
typename array_traits<T>::number axpy_dot(const Exec& exec, const factor_of<Exec, T>& a, in_vector<Exec, T> x,
                                          out_vector<Exec, T> y, in_vector<Exec, T> z)
{
    require_equal("axpy_dot", "sizes of y and z", y.size, z.size);
    require_formats("axpy_dot", y, z);
    axpy<T>(exec, a, x, y);
    return dot<T>(exec, y, z);
}

}  // namespace residua::blas
