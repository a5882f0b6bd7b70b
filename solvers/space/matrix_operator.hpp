#pragma once

#include <concepts>
#include <memory>
#include <utility>

#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>
#include <residua/solvers/space/any_operator.hpp>
#include <residua/solvers/space/dense_residuals.hpp>
#include <residua/solvers/system/make_csr.hpp>
#include <residua/solvers/system/scaled_matrix.hpp>

namespace residua {

/// Sliced storage may take this many times the places of compressed rows for its speed.
constexpr double most_padding = 2.0;

/// The function R = B - A X for several vectors by exact products; empty if the space or the matrix does not allow it.
template <vector_space S, class V>
decltype(any_operator<S>::exact_residuals) residuals_together(const csr<host_executor, V>& a)
{
    if constexpr (S::on_host && (number<typename S::element> || std::same_as<typename S::element, multidigit>)) {
        using together = dense_residuals<S, V>;
        if (together::suits(a)) {
            return [m = std::make_shared<const together>(a)](const S& space, const const_columns<S>& x,
                                                             const const_columns<S>& b,
                                                             const columns<S>& r) { return (*m)(space, x, b, r); };
        }
    }
    return {};
}

/// The matrix as an operator, moved to the memory of the space.
template <vector_space S, class V>
any_operator<S> matrix_operator(const S& space, csr<host_executor, V> a)
{
    using vector = typename S::vector;
    const auto product_with = [](auto matrix) {
        const auto m = std::make_shared<const decltype(matrix)>(std::move(matrix));
        any_operator<S> as_operator;
        as_operator.function = [m](const S& on, const vector& x, vector& y) { on.spmv(*m, x, y); };
        if constexpr (requires(const S& on, const vector& x, vector& y) { on.residual(*m, x, x, y); }) {
            as_operator.exact_residual = [m](const S& on, const vector& x, const vector& b, vector& r) {
                on.residual(*m, x, b, r);
            };
        }
        return as_operator;
    };
    using sliced = sliced_ell<host_executor, V>;
    return sliced::padding(a) <= most_padding ? product_with(space.placed(sliced(a)))
                                              : product_with(space.placed(std::move(a)));
}

/// Calls f(A) with the scaled matrix by rows, in binary64 if that holds its entries, else rounded to the space.
template <vector_space S, class F>
void with_entries(const S& space, const scaled_matrix& m, const F& f)
{
    if (m.exact.empty()) {
        f(make_csr(m.a, m.cols(), m.a.value));
        return;
    }
    auto values = space.make_host_vector(static_cast<index_t>(m.exact.size()));
    for (std::size_t k = 0; k < m.exact.size(); ++k) {
        values.view().store(static_cast<index_t>(k), space.make_scalar(m.exact[k]));
    }
    f(make_csr(m.a, m.cols(), std::move(values)));
}

/// The scaled matrix as an operator.
template <vector_space S>
any_operator<S> matrix_in(const S& space, const scaled_matrix& m)
{
    any_operator<S> result;
    with_entries(space, m, [&](auto a) { result = matrix_operator(space, std::move(a)); });
    return result;
}

}  // namespace residua
