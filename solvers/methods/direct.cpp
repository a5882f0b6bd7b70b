#include <residua/solvers/methods/direct.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/single_threaded_blas.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/multidigit/dense.hpp>
#include <residua/blas/rns/level2.hpp>
#include <residua/solvers/space/elements.hpp>
#include <residua/solvers/space/expansion_space.hpp>
#include <residua/solvers/space/format_space.hpp>

namespace residua {

template <array_space S>
dense_factors<S>::dense_factors(const S& space, matrix a, bool symmetric, const elimination_options& options)
    : space_(space), a_(std::move(a))
{
    const blas::detail::single_threaded_blas one_thread;
    const index_t n = a_.cols();
    block_elimination<S> elimination(space, options);
    const auto finish = [&] {
        panel_ = elimination.panel();
        products_on_device_ = elimination.products_on_device();
        interrupted_ = elimination.is_stopped();
    };
    if (symmetric) {
        matrix original = a_;
        cholesky_ = elimination.cholesky(a_.view());
        if (cholesky_ || elimination.is_stopped()) {
            finish();
            return;
        }
        a_ = std::move(original);
    }
    lu_pivots pivots = elimination.lu(a_.view(), n, 0.0);
    finish();
    pivot_ = std::move(pivots.row_swap);
    if (pivots.count < n && !interrupted_) {
        const index_t column = *std::min_element(pivots.column.begin() + pivots.count, pivots.column.end());
        failure_ =
            "no usable pivot in column " + std::to_string(column + 1) + ": the matrix is singular to working precision";
    }
}

template <array_space S>
void dense_factors<S>::solve(vector& x, bool transposed) const
{
    const host_executor exec;
    const auto a = a_.view();
    const auto v = x.view();
    if (cholesky_) {
        blas::trsv(exec, blas::uplo::lower, blas::diag::non_unit, a, v, v);
        blas::trsv_t(exec, blas::uplo::lower, blas::diag::non_unit, a, v, v);
        return;
    }
    const index_t n = a.cols;
    if (!transposed) {
        for (index_t k = 0; k < n; ++k) {
            detail::swap_elements<typename S::element>(v, k, pivot_[k]);
        }
        blas::trsv(exec, blas::uplo::lower, blas::diag::unit, a, v, v);
        blas::trsv(exec, blas::uplo::upper, blas::diag::non_unit, a, v, v);
    } else {
        blas::trsv_t(exec, blas::uplo::upper, blas::diag::non_unit, a, v, v);
        blas::trsv_t(exec, blas::uplo::lower, blas::diag::unit, a, v, v);
        for (index_t k = n - 1; k >= 0; --k) {
            detail::swap_elements<typename S::element>(v, k, pivot_[k]);
        }
    }
}

template <array_space S>
std::optional<real> dense_factors<S>::find_determinant() const
{
    if (!failure_.empty() || interrupted_) {
        return std::nullopt;
    }
    const long bits = precision_of(space_) + 64;
    real product(1.0, bits);
    for (index_t k = 0; k < a_.cols(); ++k) {
        const real pivot = to_real(a_.get(k, k));
        product = (product * pivot).with_precision(bits);
        if (cholesky_) {
            product = (product * pivot).with_precision(bits);
        } else if (pivot_[static_cast<std::size_t>(k)] != k) {
            product = -product;
        }
    }
    return product;
}

#define RESIDUA_INSTANTIATE(...) template class dense_factors<host_space<__VA_ARGS__>>;
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
template class dense_factors<multidigit_space<host_executor>>;
template class dense_factors<rns_space<host_executor>>;

}  // namespace residua
