#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/base/vector.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/level1/permute.hpp>
#include <residua/blas/level2/block_triangle.hpp>
#include <residua/blas/level2/equilibrate.hpp>
#include <residua/blas/level3/getrf.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua {

/// y = M x with M = C inverse(U) inverse(L) P R. L and U are LU factors in binary64, with partial pivoting, of a dense
/// A. R and C scale its rows and columns by powers of two if it is to be equilibrated. y is solved for in binary64 from
/// the first terms of x. So M is a linear operator to 53 bits, as refine() takes it.
///
/// shapes   A (n x n) in the memory of Exec, which becomes the factors
/// errors   LU as getrf has it, each solve as block_triangle
/// cost     to make M: n^3 / 3 multiply-adds and n^2 m / 3, m rows of a block, and twice the memory of A meanwhile. To
///          apply M: n (n + m)
/// order    M x has the same bits on every executor for the same factors, which come from the machine's library
/// reports  failure() if a pivot is zero, or if factors are not finite: A is singular in binary64
/// throws   dimension_error if A is not square; as getrf and block_triangle
/// from     [Higham02, Sec. 9.1, 9.8]
template <class Exec>
class dense_lu {
public:
    dense_lu(const Exec& exec, matrix<Exec, double> a, bool equilibrated = true,
             index_t rows_of_block = blas::block_triangle<Exec>::default_rows)
        : lu_(std::move(a)), lower_(nothing(exec)), upper_(nothing(exec))
    {
        const index_t n = lu_.cols();
        const auto view = lu_.view();
        require_equal("dense_lu", "rows and columns of A", lu_.rows(), n);
        blas::detail::require_block_triangle(n, n, rows_of_block);
        std::vector<double> rows(static_cast<std::size_t>(n), 1.0);
        if (equilibrated) {
            vector<Exec, double> r(n, exec), c(n, exec);
            blas::equilibrate(exec, view, r.view(), c.view());
            rows = words(fetched(exec, r));
            columns_ = permutation(exec, natural_order(n), words(fetched(exec, c)));
        }
        buffer<Exec, std::int64_t> pivots(n, exec);
        const in_vector<Exec, double> all{view.start, view.ld * n};
        if (blas::getrf(exec, blas::lapack_matrix<Exec, double>{view.data(), n, view.ld}, pivots.span()) != 0 ||
            !std::isfinite(blas::norm_inf<double>(exec, all))) {
            failure_ = "the matrix is singular in binary64";
            return;
        }
        const std::vector<index_t> order = blas::row_order(fetched(exec, pivots).span());
        std::vector<double> scale;
        for (const index_t i : order) {
            scale.push_back(rows[static_cast<std::size_t>(i)]);
        }
        rows_ = permutation(exec, order, scale);
        lower_ = {exec, blas::uplo::lower, blas::diag::unit, view, rows_of_block};
        upper_ = {exec, blas::uplo::upper, blas::diag::non_unit, view, rows_of_block};
        work_ = vector<Exec, double>(n, exec);
    }

    dense_lu(dense_lu&&) noexcept = default;  // the triangles point into a matrix that stays where it is
    dense_lu& operator=(dense_lu&&) noexcept = default;
    dense_lu(const dense_lu&) = delete;
    dense_lu& operator=(const dense_lu&) = delete;

    /// Why there are no factors; M must not be applied then. Empty if there are factors.
    const std::string& failure() const { return failure_; }

    /// shapes  x (n), y (n), different vectors. Not for calls at the same time
    template <number T>
    void apply(const blas_space<Exec, T>& space, const vector<Exec, T>& x, vector<Exec, T>& y) const
    {
        const auto all = y.view();
        if constexpr (number_traits<T>::terms > 1) {
            blas::fill<T>(space.exec, T{0.0}, all);
        }
        const vector_view<Exec, double> first{{all.data(), 0}, all.size};  // the first terms of numbers
        const auto work = work_.view();
        blas::permute<double>(space.exec, rows_, {{x.view().data(), 0}, x.size()}, work);
        lower_.solve(space.exec, work, work);
        if (columns_.source.size() == 0) {
            upper_.solve(space.exec, work, first);
        } else {
            upper_.solve(space.exec, work, work);
            blas::permute<double>(space.exec, columns_, work, first);
        }
    }

private:
    using triangle = blas::block_triangle<Exec>;
    using scaled_permutation = blas::scaled_permutation<Exec>;
    static constexpr bool on_host = std::same_as<Exec, host_executor>;

    static triangle nothing(const Exec& exec) { return {exec, blas::uplo::lower, blas::diag::unit, {}}; }

    template <class X>
    static auto fetched(const Exec& exec, const X& x)
    {
        if constexpr (on_host) {
            return x;
        } else {
            return to_host(exec, x);
        }
    }

    static std::vector<double> words(const vector<host_executor, double>& x)
    {
        return {x.view().data(), x.view().data() + x.size()};
    }

    static std::vector<index_t> natural_order(index_t n)
    {
        std::vector<index_t> order(static_cast<std::size_t>(n));
        std::iota(order.begin(), order.end(), index_t{0});
        return order;
    }

    static scaled_permutation permutation(const Exec& exec, const std::vector<index_t>& source,
                                          const std::vector<double>& factor)
    {
        const auto n = static_cast<index_t>(source.size());
        blas::scaled_permutation<host_executor> p{buffer<host_executor, index_t>(n), buffer<host_executor, double>(n)};
        std::copy(source.begin(), source.end(), p.source.data());
        std::copy(factor.begin(), factor.end(), p.factor.data());
        if constexpr (on_host) {
            return p;
        } else {
            return {to_device(exec, p.source), to_device(exec, p.factor)};
        }
    }

    matrix<Exec, double> lu_;
    triangle lower_, upper_;
    scaled_permutation rows_, columns_;  // P R, and C; the latter is empty without equilibration
    mutable vector<Exec, double> work_;
    std::string failure_;
};

}  // namespace residua
