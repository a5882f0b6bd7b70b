#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>
#include <residua/solvers/base/seconds.hpp>
#include <residua/solvers/methods/stop.hpp>
#include <residua/solvers/space/dense_residuals.hpp>
#include <residua/solvers/space/vector_space.hpp>
#include <residua/solvers/system/make_csr.hpp>
#include <residua/solvers/system/scaled_matrix.hpp>

namespace residua {

/// Any linear operator of the space, so that a method is compiled once for a format; without a function the identity.
template <class S>
struct any_operator {
    using vector = typename S::vector;

    std::function<void(const S&, const vector&, vector&)> function;
    std::function<void(const S&, const vector&, const vector&, vector&)> exact_residual;
    /// The same for several vectors, the second false where it is not to be had for these; may be empty.
    std::function<void(const S&, const const_columns<S>&, const columns<S>&)> together;
    std::function<bool(const S&, const const_columns<S>&, const const_columns<S>&, const columns<S>&)> exact_residuals;
    double* seconds = nullptr;  ///< to add those of every call to; null: not measured

    bool is_identity() const { return !function; }

    void apply(const S& space, const vector& x, vector& y) const
    {
        if (is_identity()) {
            space.copy(x, y);
        } else {
            timed(space, seconds, [&] { function(space, x, y); });
        }
    }

    /// r = b - A x with every element rounded once; false, and nothing is done, where that is not to be had
    bool residual(const S& space, const vector& x, const vector& b, vector& r) const
    {
        if (exact_residual) {
            timed(space, seconds, [&] { exact_residual(space, x, b, r); });
        }
        return static_cast<bool>(exact_residual);
    }

    bool residuals(const S& space, const const_columns<S>& x, const const_columns<S>& b, const columns<S>& r) const
    {
        bool made = false;
        if (exact_residuals) {
            timed(space, seconds, [&] { made = exact_residuals(space, x, b, r); });
        }
        return made;
    }

    void apply_together(const S& space, const const_columns<S>& x, const columns<S>& y) const
    {
        if (together) {
            return timed(space, seconds, [&] { together(space, x, y); });
        }
        for (std::size_t j = 0; j < x.size(); ++j) {
            apply(space, *x[j], *y[j]);
        }
    }
};

/// A Krylov method on these operators.
template <class S, template <class> class Workspace>
using krylov_method = iteration_report(const S&, const any_operator<S>&, const any_operator<S>&,
                                       const typename S::vector&, typename S::vector&, const stop_rule&, Workspace<S>&);

/// Sliced storage may take this many times the places of compressed rows for its speed.
constexpr double most_padding = 2.0;

/// R = B - A X for several vectors by exact products, where the space and the matrix allow that; empty if not.
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

/// f(A) for the scaled matrix by rows: in binary64 if that holds its entries, else rounded to the space.
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

/// The same as an operator.
template <vector_space S>
any_operator<S> matrix_in(const S& space, const scaled_matrix& m)
{
    any_operator<S> result;
    with_entries(space, m, [&](auto a) { result = matrix_operator(space, std::move(a)); });
    return result;
}

}  // namespace residua
