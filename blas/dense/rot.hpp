#pragma once

#include <residua/blas/base/vector.hpp>
#include <residua/blas/level2/combine.hpp>

namespace residua::blas {

/// (x, y) <- (c x + s y, c y - s x), a plane rotation of two different vectors
///
/// shapes  x and y of one size
/// errors  each as an element of waxpby
/// cost    4 multiplications an element; memory of the size of x
/// order   elementwise
/// throws  dimension_error if sizes differ, error if formats do
template <class T, class Exec>
void rot(const Exec& exec, const factor_of<Exec, T>& c, const factor_of<Exec, T>& s, out_vector<Exec, T> x,
         out_vector<Exec, T> y)
{
    require_equal("rot", "sizes of x and y", x.size, y.size);
    require_formats("rot", x, c, s, y);
    vector<Exec, T> minus_x(x.format, x.size, exec);
    copy<T>(exec, x, minus_x);
    scal<T>(exec, detail::constant_of(x, -1.0), minus_x);
    waxpby<T>(exec, c, x, s, y, x);
    waxpby<T>(exec, c, y, s, minus_x, y);
}

}  // namespace residua::blas
