#pragma once

#include <type_traits>
#include <utility>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <residua/solvers/matrix/make_system.hpp>

/// Eigen's matrices as the matrix of a system. Nothing else of the solvers includes Eigen's headers.
namespace residua {

namespace detail {

/// The numbers of an Eigen vector, map or expression, or of another range.
template <class B>
std::vector<real> right_hand_side(B&& b)
{
    if constexpr (std::is_base_of_v<Eigen::EigenBase<std::remove_cvref_t<B>>, std::remove_cvref_t<B>>) {
        if (b.rows() != 1 && b.cols() != 1) {
            throw dimension_error("make_system: b is " + std::to_string(b.rows()) + " x " + std::to_string(b.cols()) +
                                  "; a system has one right-hand side");
        }
        const auto all = b.eval();
        std::vector<real> numbers;
        for (Eigen::Index i = 0; i < all.size(); ++i) {
            numbers.push_back(to_real(all.coeff(i)));
        }
        return numbers;
    } else {
        return reals(std::forward<B>(b));
    }
}

}  // namespace detail

/// A x = b with a sparse matrix, map, block or expression of Eigen's, by rows or by columns, compressed or not.
///
/// b        also a vector of Eigen's
/// cost     one copy of the arrays; expressions are evaluated
/// throws   as make_system() of a csr_view
template <class Derived, class B = std::vector<real>>
    requires matrix_value<typename Derived::Scalar>
linear_system make_system(const Eigen::SparseMatrixBase<Derived>& a, B&& b = {})
{
    using value = typename Derived::Scalar;
    using by_rows = Eigen::SparseMatrix<value, Eigen::RowMajor, typename Derived::StorageIndex>;
    std::vector<real> right = detail::right_hand_side(std::forward<B>(b));
    const auto copied = [&](const auto& rows) {
        return make_system(
            csr_view<typename Derived::StorageIndex, value>{
                .rows = rows.rows(),
                .cols = rows.cols(),
                .row_begin = {rows.outerIndexPtr(), static_cast<std::size_t>(rows.rows()) + 1},
                .column = {rows.innerIndexPtr(), static_cast<std::size_t>(rows.nonZeros())},
                .value = {rows.valuePtr(), static_cast<std::size_t>(rows.nonZeros())}},
            std::move(right));
    };
    if constexpr (Derived::IsRowMajor && std::is_base_of_v<Eigen::SparseCompressedBase<Derived>, Derived>) {
        if (a.derived().isCompressed()) {
            return copied(a.derived());
        }
    }
    by_rows rows = a;
    rows.makeCompressed();
    return copied(rows);
}

/// make_system() of a dense matrix, map, block or expression of Eigen's. All of its entries are entries of the system.
template <class Derived, class B = std::vector<real>>
    requires matrix_value<typename Derived::Scalar>
linear_system make_system(const Eigen::DenseBase<Derived>& a, B&& b = {})
{
    using value = typename Derived::Scalar;
    const auto all = a.derived().eval();
    csr_arrays<value> rows{a.rows(), a.cols(), {}, {}, {}};
    rows.column.reserve(static_cast<std::size_t>(a.size()));
    rows.value.reserve(static_cast<std::size_t>(a.size()));
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
        rows.row_begin.push_back(i * a.cols());
        for (Eigen::Index j = 0; j < a.cols(); ++j) {
            rows.column.push_back(static_cast<std::int32_t>(j));
            rows.value.push_back(all.coeff(i, j));
        }
    }
    rows.row_begin.push_back(a.size());
    return make_system(std::move(rows), detail::right_hand_side(std::forward<B>(b)));
}

}  // namespace residua
