#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/matrix/make_csr.hpp>
#include <residua/solvers/matrix/matrix_storage.hpp>
#include <residua/solvers/matrix/sparse_matrix.hpp>
#include <residua/solvers/space/any_operator.hpp>
#include <residua/solvers/space/dense_residuals.hpp>
#include <residua/solvers/space/exact_entry.hpp>
#include <residua/solvers/space/scaled_vectors.hpp>

namespace residua {

/// The function R = B - A X for several vectors by exact products; empty if the space or the matrix does not allow it.
template <array_space S, class V>
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

/// A matrix in the memory of the space as an operator.
template <array_space S, class Exec, class V>
any_operator<S> matrix_operator(std::shared_ptr<const stored_matrix<Exec, V>> a)
{
    using vector = typename S::vector;
    return std::visit(
        [&](const auto& matrix) {
            any_operator<S> as_operator;
            as_operator.function = [a, &matrix](const S& on, const vector& x, vector& y) { on.spmv(matrix, x, y); };
            if constexpr (requires(const S& on, const vector& x, vector& y) { on.residual(matrix, x, x, y); }) {
                as_operator.exact_residual = [a, &matrix](const S& on, const vector& x, const vector& b, vector& r) {
                    on.residual(matrix, x, b, r);
                };
            }
            return as_operator;
        },
        *a);
}

/// The matrix as an operator, moved to the memory of the space.
template <array_space S, class V>
any_operator<S> matrix_operator(const S& space, stored_matrix<host_executor, V> a)
{
    using stored = stored_matrix<std::remove_const_t<decltype(S::exec)>, V>;
    return std::visit(
        [&]<class Matrix>(Matrix&& matrix) {
            return matrix_operator<S>(std::make_shared<const stored>(space.placed(std::forward<Matrix>(matrix))));
        },
        std::move(a));
}
template <array_space S, class V>
any_operator<S> matrix_operator(const S& space, csr<host_executor, V> a)
{
    return matrix_operator(space, stored_for_products(std::move(a)));
}

inline constexpr index_t rounded_together = 64;  ///< whole tiles, whose numbers have words of their own

/// Calls f(A) with the matrix by rows, in binary64 if that holds its entries, otherwise rounded to the space.
template <array_space S, class F>
void with_entries(const S& space, const sparse_matrix& m, const F& f)
{
    if (m.exact.empty()) {
        f(make_csr(m));
        return;
    }
    auto values = space.make_host_vector(static_cast<index_t>(m.exact.size()));
    const auto to = values.view();
    const auto count = static_cast<index_t>(m.exact.size());
    blas::detail::parallel_ranges(count, rounded_together, operations_of_rounded * static_cast<double>(count),
                                  [&](index_t begin, index_t end) {
                                      real room;
                                      for (index_t k = begin; k < end; ++k) {
                                          io::ask_for_stop_at(k);
                                          to.store(k, exact_entry(space, m.exact, static_cast<std::size_t>(k), room));
                                      }
                                  });
    f(make_csr(m, std::move(values)));
}

/// The matrix in slices, its entries, which binary64 does not hold, rounded to the space where they stay.
template <array_space S>
auto sliced_entries(const S& space, const sparse_matrix& m)
{
    using value = typename decltype(space.make_host_vector(0))::value_type;
    using sliced = sliced_ell<host_executor, value>;
    sliced a(m.cols, {m.row_begin.data(), m.row_begin.size()}, {m.column.data(), m.column.size()},
             space.make_host_vector(0).format());
    const auto to = a.value();
    blas::detail::parallel_weighted_ranges(
        a.slices(), [&](index_t s) { return a.slice_begin()[s]; },
        operations_of_rounded * static_cast<double>(m.exact.size()),
        [&](index_t first, index_t last) {
            real room;
            for (index_t i = first * sliced::slice_rows; i < std::min(m.rows, last * sliced::slice_rows); ++i) {
                for (index_t k = m.row_begin[i]; k < m.row_begin[i + 1]; ++k) {
                    io::ask_for_stop_at(k);
                    to.store(a.place(i, k - m.row_begin[i]),
                             exact_entry(space, m.exact, static_cast<std::size_t>(k), room));
                }
            }
        });
    return a;
}

/// The matrix as an operator. Entries of binary64 are shared with `storage`, if that is not null.
///
/// few  it will be applied a few times only, so that no copy is made for fast products
template <array_space S>
any_operator<S> matrix_in(const S& space, const sparse_matrix& m, matrix_storage* storage = nullptr, bool few = false)
{
    any_operator<S> result;
    if (storage != nullptr && m.exact.empty()) {
        result = matrix_operator<S>(few ? storage->for_few(space.exec) : storage->on(space.exec));
        if constexpr (number<typename S::element>) {
            if (const auto dense = storage->dense_on(space.exec)) {
                using vector = typename S::vector;
                result.function = [dense](const S& on, const vector& x, vector& y) { on.gemv(*dense, x, y); };
            }
        }
        return result;
    }
    if (!m.exact.empty() && sliced_ell<host_executor, double>::padding(make_csr(m)) <= most_padding) {
        auto sliced = sliced_entries(space, m);
        using value = typename decltype(sliced)::value_type;
        return matrix_operator(space, stored_matrix<host_executor, value>(std::move(sliced)));
    }
    with_entries(space, m, [&](auto a) { result = matrix_operator(space, std::move(a)); });
    return result;
}

}  // namespace residua
