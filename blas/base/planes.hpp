#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <residua/arith/expansion/type.hpp>
#include <residua/blas/base/check.hpp>
#include <residua/blas/base/vector.hpp>

namespace residua {

/// Refuses a view whose planes overlap each other, or have no place.
///
/// throws  dimension_error with the sizes
template <class Exec, class T>
void require_planes(std::string_view op, const vector_view<Exec, T>& x)
{
    const auto refuse = [&](const std::string& why) {
        throw dimension_error(std::string(op) + ": a view of " + std::to_string(x.size) + " numbers " + why);
    };
    if (x.size < 0) {
        refuse("has a negative size");
    }
    if (x.size > 0 && x.data() == nullptr) {
        refuse("has no memory");
    }
    if (vector_view<Exec, T>::terms > 1 && x.size > 0 && x.start.plane_stride < x.size) {
        refuse("has planes " + std::to_string(x.start.plane_stride) + " apart, which overlap");
    }
}

/// Refuses a view of a matrix whose planes overlap each other, or have no place.
template <class Exec, class T>
void require_planes(std::string_view op, const matrix_view<Exec, T>& a)
{
    const auto refuse = [&](const std::string& why) {
        throw dimension_error(std::string(op) + ": a view of " + std::to_string(a.rows) + " x " +
                              std::to_string(a.cols) + " numbers " + why);
    };
    if (a.rows < 0 || a.cols < 0) {
        refuse("has a negative size");
    }
    if (a.rows == 0 || a.cols == 0) {
        return;
    }
    if (a.data() == nullptr) {
        refuse("has no memory");
    }
    if (a.cols > 1 && a.ld < a.rows) {
        refuse("has columns " + std::to_string(a.ld) + " apart, which overlap");
    }
    if (matrix_view<Exec, T>::terms > 1 && a.start.plane_stride < (a.cols - 1) * a.ld + a.rows) {
        refuse("has planes " + std::to_string(a.start.plane_stride) + " apart, which overlap");
    }
}

/// A structure that consists of the binary64 terms of a T, leading one first: expansion<double, N>, QD's dd_real and
/// qd_real, std::array<double, N>.
template <class Struct, class T>
concept terms_of = std::is_trivially_copyable_v<Struct> && number_traits<T>::terms > 1 &&
                   std::is_same_v<typename number_traits<T>::word, double> &&
                   sizeof(Struct) == number_traits<T>::terms * sizeof(double) && alignof(Struct) <= alignof(double);

/// An array of structures in planes, as the operations of blas take it: `planes<T>(x)`, with T an expansion.
///
/// shapes   as many numbers as x has
/// cost     one pass
/// throws   resource_error if the memory is not there
template <number T, class Struct>
    requires terms_of<std::remove_const_t<Struct>, T>
vector<host_executor, T> planes(std::span<Struct> x)
{
    vector<host_executor, T> in_planes(static_cast<index_t>(x.size()));
    const vector_view<host_executor, T> view = in_planes.view();
    for (std::size_t i = 0; i < x.size(); ++i) {
        T number;
        std::memcpy(number.t, &x[i], sizeof number.t);
        view.store(static_cast<index_t>(i), number);
    }
    return in_planes;
}

/// planes() of expansions, where T follows from the type of x.
template <int N>
vector<host_executor, expansion<double, N>> planes(std::span<const expansion<double, N>> x)
{
    return planes<expansion<double, N>, const expansion<double, N>>(x);
}
template <int N>
vector<host_executor, expansion<double, N>> planes(const std::vector<expansion<double, N>>& x)
{
    return planes(std::span<const expansion<double, N>>(x));
}

/// Planes back into an array of structures.
///
/// throws   dimension_error if the sizes differ, or the view's planes overlap
template <class T, class Struct>
    requires terms_of<Struct, std::remove_const_t<T>>
void interleaved(vector_view<host_executor, T> x, std::span<Struct> to)
{
    require_planes("interleaved", x);
    require_equal("interleaved", "numbers and room", x.size, static_cast<index_t>(to.size()));
    for (std::size_t i = 0; i < to.size(); ++i) {
        const std::remove_const_t<T> number = x.load(static_cast<index_t>(i));
        std::memcpy(static_cast<void*>(&to[i]), number.t, sizeof number.t);
    }
}

}  // namespace residua
