#include <residua/solvers/dense_direct/direct.hpp>

#include <algorithm>
#include <concepts>
#include <string>
#include <utility>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/single_threaded_blas.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/solvers/base/pair_eigenvalues.hpp>
#include <residua/solvers/base/permutation.hpp>
#include <residua/solvers/dense_direct/block_product.hpp>
#include <residua/solvers/dense_direct/device_blocks.hpp>
#include <residua/solvers/dense_direct/elements.hpp>
#include <residua/solvers/dense_direct/solve_pivots.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua {
namespace detail {
namespace {

/// Whether solves go by blocks. gemm of expansions is no faster than trsv where columns are few, and RNS floats have none.
template <class E>
inline constexpr bool go_by_blocks = std::same_as<E, multidigit>;

constexpr index_t columns_of_step = 64;  // which solve_step() takes

/// Which triangle of a matrix, and whether its transpose.
struct triangle_of {
    blas::uplo triangle;
    blas::diag diagonal;
    bool transposed;
};

/// X <- inverse(T) X or inverse(T') X, by steps of columns of T: what a step finds is multiplied with all columns of X at
/// once, or by T' the products of all that is found are subtracted from a step.
template <class S, class E>
void solve_triangle(const S& space, const triangle_of& which, in_matrix<host_executor, E> a,
                    matrix_view<host_executor, E> x)
{
    const host_executor exec;
    const index_t n = a.cols;
    const bool lower = which.triangle == blas::uplo::lower, descends = lower == which.transposed;
    const index_t width = go_by_blocks<E> ? columns_of_step : std::max<index_t>(n, 1), steps = (n + width - 1) / width;
    const auto for_columns = [&](index_t numbers, const auto& f) {
        blas::detail::parallel_ranges(x.cols, 1, operations_of(space) * static_cast<double>(numbers * x.cols),
                                      [&](index_t from, index_t to) {
                                          for (index_t j = from; j < to; ++j) {
                                              f(x.column(j));
                                          }
                                      });
    };
    for (index_t s = 0; s < steps; ++s) {
        const index_t begin = (descends ? steps - 1 - s : s) * width, end = std::min(begin + width, n);
        const index_t first = lower ? end : 0, last = lower ? n : begin;  // rows of T beside the step
        const auto step = a.block(begin, begin, end - begin, end - begin);
        const auto beside = a.block(first, begin, last - first, end - begin);
        if (which.transposed) {
            for_columns((end - begin) * (last - first + end - begin), [&](auto column) {
                const auto own = column.part(begin, end);
                if constexpr (go_by_blocks<E>) {
                    blas::gemv(exec, blas::trans::yes, space.make_scalar(-1.0), beside, column.part(first, last),
                               space.make_scalar(1.0), own);
                }
                blas::trsv(exec, which.triangle, blas::trans::yes, which.diagonal, step, own, own);
            });
            continue;
        }
        for_columns((end - begin) * (end - begin), [&](auto column) {
            const auto own = column.part(begin, end);
            blas::trsv(exec, which.triangle, blas::trans::no, which.diagonal, step, own, own);
        });
        if constexpr (go_by_blocks<E>) {
            subtract_sums<S, E>(space, beside, x.block(begin, 0, end - begin, x.cols),
                                x.block(first, 0, last - first, x.cols));
        }
    }
}

#if defined(RESIDUA_CUDA)

/// The same on a device.
void solve_triangle(const multidigit_space<cuda_executor>& space, const triangle_of& which,
                    in_matrix<cuda_executor, multidigit> a, device_block<multidigit> x)
{
    const index_t n = a.cols, steps = (n + columns_of_step - 1) / columns_of_step;
    const bool lower = which.triangle == blas::uplo::lower, descends = lower == which.transposed;
    for (index_t s = 0; s < steps; ++s) {
        const index_t begin = (descends ? steps - 1 - s : s) * columns_of_step;
        const index_t end = std::min(begin + columns_of_step, n);
        const index_t first = lower ? end : 0, last = lower ? n : begin;  // rows of T beside the step
        const auto step = a.block(begin, begin, end - begin, end - begin);
        const auto beside = a.block(first, begin, last - first, end - begin);
        const auto own = x.block(begin, 0, end - begin, x.cols);
        const auto others = x.block(first, 0, last - first, x.cols);
        for (index_t j = 0; which.transposed && first < last && j < x.cols; ++j) {
            blas::gemv<multidigit>(space.exec, blas::trans::yes, space.make_scalar(-1.0), beside, others.column(j),
                                   space.make_scalar(1.0), own.column(j));
        }
        solve_step(space.exec, which.triangle, which.diagonal, which.transposed, step, own);
        if (!which.transposed) {
            subtract_sums(space.exec, beside, own, others);
        }
    }
}

#endif

}  // namespace
}  // namespace detail

template <array_space S>
dense_factors<S>::dense_factors(const S& space, matrix a, bool symmetric, const elimination_options& options)
    : space_(space), a_(std::move(a)), complex_(options.complex)
{
    const blas::detail::single_threaded_blas one_thread;
    block_elimination<S> elimination(space, options);
    if constexpr (S::on_host) {
        if (complex_) {
            complex_elimination<S> by(space, options);
            if (!make(by, symmetric)) {
                make_ldl(elimination);
            }
            return;
        }
    }
    if (!make(elimination, symmetric)) {
        make_ldl(elimination);
    }
}

template <array_space S>
template <class Elimination>
bool dense_factors<S>::make(Elimination& elimination, bool symmetric)
{
    if (symmetric) {
        matrix original = a_;
        cholesky_ = elimination.cholesky(a_.view()) && detail::column_out_of_range(space_.exec, a_.view(), true) == -1;
        take_figures(elimination);
        if (!cholesky_) {
            a_ = std::move(original);
        }
        return cholesky_;
    }
    lu_pivots pivots = elimination.lu(a_.view());
    take_figures(elimination);
    pivot_ = std::move(pivots.row_swap);
    find_failure(pivots.count, pivots.column);
    return true;
}

template <array_space S>
void dense_factors<S>::make_ldl(block_elimination<S>& elimination)
{
    const index_t before = products_on_device_ - elimination.products_on_device();
    ldl_pivots pivots = elimination.ldl(a_.view(), detail::least_pivot_share);
    take_figures(elimination);
    products_on_device_ += before;
    pivot_ = swaps_of(pivots.column);
    is_pair_ = std::move(pivots.is_pair);
    find_failure(pivots.count, pivots.column);
}

template <array_space S>
dense_factors<S> dense_factors<S>::ldl(const S& space, matrix a, const elimination_options& options)
{
    const blas::detail::single_threaded_blas one_thread;
    dense_factors made(space, std::move(a));
    made.complex_ = options.complex;
    block_elimination<S> elimination(space, options);
    made.make_ldl(elimination);
    return made;
}

template <array_space S>
template <class Elimination>
void dense_factors<S>::take_figures(const Elimination& elimination)
{
    panel_ = elimination.panel();
    products_on_device_ = elimination.products_on_device();
}

template <array_space S>
void dense_factors<S>::find_failure(index_t pivots, const std::vector<index_t>& columns)
{
    index_t column = detail::column_out_of_range(space_.exec, a_.view(), is_ldl());
    if (pivots < a_.cols()) {
        column = *std::min_element(columns.begin() + pivots, columns.end());
    } else if (column != -1) {
        column = columns[static_cast<std::size_t>(column)];
    }
    if (column != -1) {
        failure_ = std::string("no usable pivot in ") + (complex_ ? "complex column " : "column ") +
                   std::to_string((complex_ ? column / 2 : column) + 1) +
                   ": the matrix is singular to working precision";
    }
}

template <array_space S>
void dense_factors<S>::solve(const columns<S>& x, bool transposed) const
    requires solves_there
{
    if (x.empty()) {
        return;
    }
    const index_t n = a_.cols();
    const auto a = a_.view();
    auto together = space_.make_matrix(n, static_cast<index_t>(x.size()));
    const auto all = together.view();
    const auto swap_rows = [&](bool backwards) {
        if constexpr (S::on_host) {
            for (index_t step = 0; step < n; ++step) {
                const index_t k = backwards ? n - 1 - step : step;
                for (index_t j = 0; j < all.cols; ++j) {
                    detail::swap_elements<typename S::element>(all.column(j), k, pivot_[static_cast<std::size_t>(k)]);
                }
            }
        } else {
            detail::swap_rows(space_.exec, all, pivot_, 0, n, backwards);
        }
    };
    for (index_t j = 0; j < all.cols; ++j) {
        blas::copy(space_.exec, std::as_const(*x[static_cast<std::size_t>(j)]).view(), all.column(j));
    }
    if (cholesky_) {
        detail::solve_triangle(space_, {blas::uplo::lower, blas::diag::non_unit, false}, a, all);
        detail::solve_triangle(space_, {blas::uplo::lower, blas::diag::non_unit, true}, a, all);
    } else if (is_ldl()) {
        swap_rows(false);
        detail::solve_triangle(space_, {blas::uplo::lower, blas::diag::unit, false}, a, all);
        detail::solve_with_pivots(space_, a, is_pair_, all);
        detail::solve_triangle(space_, {blas::uplo::lower, blas::diag::unit, true}, a, all);
        swap_rows(true);
    } else if (!transposed) {
        swap_rows(false);
        detail::solve_triangle(space_, {blas::uplo::lower, blas::diag::unit, false}, a, all);
        detail::solve_triangle(space_, {blas::uplo::upper, blas::diag::non_unit, false}, a, all);
    } else {
        detail::solve_triangle(space_, {blas::uplo::upper, blas::diag::non_unit, true}, a, all);
        detail::solve_triangle(space_, {blas::uplo::lower, blas::diag::unit, true}, a, all);
        swap_rows(true);
    }
    for (index_t j = 0; j < all.cols; ++j) {
        blas::copy(space_.exec, std::as_const(together).view().column(j), x[static_cast<std::size_t>(j)]->view());
    }
}

template <array_space S>
auto dense_factors<S>::diagonal(index_t above) const
    requires solves_there
{
    if constexpr (S::on_host) {
        return [this, above](index_t k) { return to_real(a_.get(k, k + above)); };
    } else {
        const auto a = a_.view();
        auto gathered = space_.make_vector(a.cols - above);
        const vector_view<cuda_executor, const multidigit> along{a.start.from(above * a.ld), a.cols - above, a.ld + 1,
                                                                 a.format};
        blas::copy<multidigit>(space_.exec, along, gathered.view());
        return [here = to_host(space_.exec, gathered)](index_t k) { return to_real(here.get(k)); };
    }
}

template <array_space S>
std::optional<real> dense_factors<S>::find_determinant() const
    requires solves_there
{
    if (!failure_.empty()) {
        return std::nullopt;
    }
    const long bits = precision_of(space_) + 64;
    real product(1.0, bits);
    if (is_ldl()) {
        for (const pivot_of_d& pivot : pivots_of_d()) {
            product = (product * pivot.determinant).with_precision(bits);
        }
        return product;
    }
    const auto in_diagonal = diagonal();
    for (index_t k = 0; k < a_.cols(); ++k) {
        const real pivot = in_diagonal(k);
        product = (product * pivot).with_precision(bits);
        if (cholesky_) {
            product = (product * pivot).with_precision(bits);
        } else if (pivot_[static_cast<std::size_t>(k)] != k) {
            product = -product;
        }
    }
    return product;
}

template <array_space S>
auto dense_factors<S>::pivots_of_d() const -> std::vector<pivot_of_d>
    requires solves_there
{
    const long bits = precision_of(space_) + 64;
    std::vector<pivot_of_d> pivots;
    const auto in_diagonal = diagonal(), beside = diagonal(1);
    for (index_t k = 0; k < a_.cols(); ++k) {
        const real first = in_diagonal(k).with_precision(bits);
        if (is_pair_[static_cast<std::size_t>(k)] == 0) {
            pivots.push_back({first, real(0.0), first, first, 1});
            continue;
        }
        const real b = beside(k).with_precision(bits);
        ++k;
        const real last = in_diagonal(k).with_precision(bits);
        pivots.push_back({first, b, last, first * last - b * b, 2});
    }
    return pivots;
}

template <array_space S>
std::optional<inertia> dense_factors<S>::find_inertia() const
    requires solves_there
{
    if (!failure_.empty() || !(cholesky_ || is_ldl())) {
        return std::nullopt;
    }
    if (cholesky_) {
        return inertia{.positive = a_.cols()};
    }
    inertia result;
    const real zero(0.0);
    for (const pivot_of_d& pivot : pivots_of_d()) {
        if (pivot.rows == 2 && pivot.determinant < zero) {
            ++result.positive;
            ++result.negative;
        } else {
            (zero < pivot.first ? result.positive : result.negative) += pivot.rows;
        }
    }
    return result;
}

template <array_space S>
std::vector<real> dense_factors<S>::pivot_numbers() const
    requires solves_there
{
    std::vector<real> numbers;
    if (is_ldl()) {
        for (const pivot_of_d& pivot : pivots_of_d()) {
            auto [larger, other] = pair_eigenvalues(pivot.first, pivot.beside, pivot.last);
            numbers.push_back(std::move(larger));
            if (pivot.rows == 2) {
                numbers.push_back(std::move(other));
            }
        }
        return numbers;
    }
    const auto in_diagonal = diagonal();
    for (index_t k = 0; k < a_.cols(); ++k) {
        const real pivot = in_diagonal(k);
        numbers.push_back(cholesky_ ? pivot * pivot : pivot);
    }
    return numbers;
}

template <array_space S>
std::optional<complex_number<real>> dense_factors<S>::find_complex_determinant() const
    requires solves_there
{
    if constexpr (S::on_host) {
        if (complex_ && failure_.empty() && !is_ldl()) {
            return cholesky_ ? complex_number<real>(sqrt(*find_determinant()))
                             : detail::complex_determinant(order_of(pivot_), precision_of(space_) + 64,
                                                           [&](index_t i, index_t j) { return to_real(a_.get(i, j)); });
        }
    }
    return std::nullopt;
}

template <array_space S>
dense_factors<typename detail::host_space_of<S>::type> dense_factors<S>::on_host() const
    requires(!S::on_host)
{
    dense_factors<typename detail::host_space_of<S>::type> copy(space_.host_counterpart(), to_host(space_.exec, a_),
                                                                pivot_, cholesky_, is_pair_);
    copy.panel_ = panel_;
    copy.products_on_device_ = products_on_device_;
    copy.failure_ = failure_;
    copy.made_on_device_ = true;
    return copy;
}

#define RESIDUA_INSTANTIATE(...) template class dense_factors<host_space<__VA_ARGS__>>;
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
template class dense_factors<multidigit_space<host_executor>>;
template class dense_factors<rns_space<host_executor>>;
#if defined(RESIDUA_CUDA)
#define RESIDUA_INSTANTIATE_ON_DEVICE(...) template class dense_factors<__VA_ARGS__>;
RESIDUA_FOR_EACH_DEVICE_SPACE(RESIDUA_INSTANTIATE_ON_DEVICE)
#endif

}  // namespace residua
