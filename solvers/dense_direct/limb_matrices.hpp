#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/multidigit/for_indices.hpp>
#include <residua/solvers/dense.hpp>
#include <residua/solvers/dense_direct/triangles.hpp>

/// What operations on matrices of limbs share. Included where these are.
namespace residua::dense {

template <class Exec>
using stored = residua::matrix<Exec, multidigit>;
template <class Exec>
using view_of = matrix_view<Exec, multidigit>;
template <class Exec>
using const_view_of = matrix_view<Exec, const multidigit>;

/// Calls f(executor) with that of the memory of m.
template <class F>
auto at_place_of([[maybe_unused]] const dense_matrix& m, const F& f)
{
#if defined(RESIDUA_CUDA)
    if (m.device()) {
        return f(*m.device());
    }
#endif
    return f(host_executor{});
}

inline std::string place_of(const dense_matrix& m)
{
    return m.device() ? "device " + std::to_string(m.device()->device) : std::string("the host");
}

inline void require_together(std::string_view operation, const dense_matrix& a, const dense_matrix& b)
{
    if (a.bits() != b.bits()) {
        throw error(std::string(operation) + ": matrices of " + std::to_string(a.bits()) + " and " +
                    std::to_string(b.bits()) + " bits do not mix");
    }
    if (place_of(a) != place_of(b)) {
        throw error(std::string(operation) + ": one matrix is on " + place_of(a) + ", the other on " + place_of(b));
    }
}

inline void require_square(std::string_view operation, const dense_matrix& a)
{
    require_equal(operation, "rows and columns of A", a.rows(), a.cols());
}

template <class Exec>
stored<Exec> transpose_of(const Exec& exec, const_view_of<Exec> a)
{
    stored<Exec> a_t(a.format, a.cols, a.rows, exec);
    residua::detail::copy_transposed<Exec>(exec, a, a_t.view());
    return a_t;
}

/// f(j) for all columns, of `rows` numbers, by all threads of the host.
template <class Exec, class F>
void for_columns([[maybe_unused]] const Exec& exec, [[maybe_unused]] const multidigit_format& format,
                 [[maybe_unused]] index_t rows, index_t cols, const F& f)
{
    const auto range = [&](index_t from, index_t to) {
        for (index_t j = from; j < to; ++j) {
            f(j);
        }
    };
    if constexpr (std::is_same_v<Exec, host_executor>) {
        const double work =
            array_traits<multidigit>::operations(format) * static_cast<double>(rows) * static_cast<double>(cols);
        blas::detail::parallel_ranges(cols, 1, work, range);
    } else {
        range(0, cols);
    }
}

/// Rows begin, ..., end - 1 of column j.
template <class View>
auto column_part(const View& a, index_t j, index_t begin, index_t end)
{
    return a.block(begin, j, end - begin, 1).column(0);
}

/// The rows of column j in the triangle that is not `triangle`, and not on the diagonal.
inline std::pair<index_t, index_t> rows_beside(uplo triangle, index_t n, index_t j)
{
    return triangle == uplo::lower ? std::pair<index_t, index_t>(0, j) : std::pair<index_t, index_t>(j + 1, n);
}

}  // namespace residua::dense
