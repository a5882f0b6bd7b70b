#include <residua/solvers/dense.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/multidigit/for_indices.hpp>
#include <residua/solvers/dense_direct/block_elimination.hpp>
#include <residua/solvers/dense_direct/device_blocks.hpp>
#include <residua/solvers/dense_direct/elements.hpp>
#include <residua/solvers/dense_direct/triangles.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua::dense {
namespace {

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

std::string place_of(const dense_matrix& m)
{
    return m.device() ? "device " + std::to_string(m.device()->device) : std::string("the host");
}

void require_together(std::string_view operation, const dense_matrix& a, const dense_matrix& b)
{
    if (a.bits() != b.bits()) {
        throw error(std::string(operation) + ": matrices of " + std::to_string(a.bits()) + " and " +
                    std::to_string(b.bits()) + " bits do not mix");
    }
    if (place_of(a) != place_of(b)) {
        throw error(std::string(operation) + ": one matrix is on " + place_of(a) + ", the other on " + place_of(b));
    }
}

void require_square(std::string_view operation, const dense_matrix& a)
{
    require_equal(operation, "rows and columns of A", a.rows(), a.cols());
}

/// Rows and columns of op(A).
std::pair<index_t, index_t> shape_of(op op_a, const dense_matrix& a)
{
    return op_a == op::plain ? std::pair(a.rows(), a.cols()) : std::pair(a.cols(), a.rows());
}

op other(op op_a) { return op_a == op::plain ? op::transposed : op::plain; }

template <class Exec>
stored<Exec> transpose_of(const Exec& exec, const_view_of<Exec> a)
{
    stored<Exec> a_t(a.format, a.cols, a.rows, exec);
    residua::detail::copy_transposed<Exec>(exec, a, a_t.view());
    return a_t;
}

/// op(A), which is a copy where it is transposed.
template <class Exec>
class operand {
public:
    operand(const Exec& exec, op op_a, const dense_matrix& a) : plain_(a.numbers<Exec>())
    {
        if (op_a == op::transposed) {
            transposed_ = transpose_of<Exec>(exec, plain_.view());
        }
    }
    const_view_of<Exec> view() const { return transposed_ ? std::as_const(*transposed_).view() : plain_.view(); }

private:
    const stored<Exec>& plain_;
    std::optional<stored<Exec>> transposed_;
};

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

template <class Exec>
void scale(const Exec& exec, const multidigit_number& alpha, view_of<Exec> a)
{
    if (!(alpha == multidigit_number(a.format, 1.0))) {
        for_columns(exec, a.format, a.rows, a.cols, [&](index_t j) { blas::scal(exec, alpha, a.column(j)); });
    }
}

/// C <- alpha P + beta C; P is lost.
template <class Exec>
void add_product(const Exec& exec, const multidigit_number& alpha, stored<Exec> product, const multidigit_number& beta,
                 stored<Exec>& c)
{
    if (beta == multidigit_number(beta.format())) {
        scale<Exec>(exec, alpha, product.view());
        c = std::move(product);
        return;
    }
    const view_of<Exec> p = product.view(), sum = c.view();
    for_columns(exec, sum.format, sum.rows, sum.cols,
                [&](index_t j) { blas::waxpby(exec, beta, sum.column(j), alpha, p.column(j), sum.column(j)); });
}

/// P <- A B, which is symmetric, by halves: both triangles from one of them.
template <class Exec>
void multiply_symmetric(const Exec& exec, const_view_of<Exec> a, const_view_of<Exec> b, view_of<Exec> p)
{
    constexpr index_t rows_at_once = 512;  // fewer rows make less work, and more integers of the same numbers
    const index_t n = p.rows, k = a.cols;
    if (n <= rows_at_once) {
        residua::detail::multiply_exactly<Exec>(exec, a, b, p);
        return;
    }
    const index_t middle = (n + 1) / 2, rest = n - middle;
    const auto upper_rows = a.block(0, 0, middle, k), lower_rows = a.block(middle, 0, rest, k);
    const auto left = b.block(0, 0, k, middle), right = b.block(0, middle, k, rest);
    const auto below = p.block(middle, 0, rest, middle);
    multiply_symmetric<Exec>(exec, upper_rows, left, p.block(0, 0, middle, middle));
    multiply_symmetric<Exec>(exec, lower_rows, right, p.block(middle, middle, rest, rest));
    residua::detail::multiply_exactly<Exec>(exec, lower_rows, left, below);
    residua::detail::copy_transposed<Exec>(exec, below, p.block(0, middle, middle, rest));
}

/// The rows of column j in the triangle that is not `triangle`, and not on the diagonal.
std::pair<index_t, index_t> rows_beside(uplo triangle, index_t n, index_t j)
{
    return triangle == uplo::lower ? std::pair<index_t, index_t>(0, j) : std::pair<index_t, index_t>(j + 1, n);
}

/// Copies `triangle` of a matrix to the other one.
template <class Exec>
void make_symmetric(const Exec& exec, uplo triangle, view_of<Exec> a)
{
    const stored<Exec> a_t = transpose_of<Exec>(exec, a);
    for_columns(exec, a.format, a.rows, a.cols, [&](index_t j) {
        const auto [begin, end] = rows_beside(triangle, a.rows, j);
        blas::copy(exec, column_part(a_t.view(), j, begin, end), column_part(a, j, begin, end));
    });
}

template <class Exec>
void clear_beside(const Exec& exec, uplo triangle, view_of<Exec> a)
{
    const multidigit_number zero(a.format);
    for_columns(exec, a.format, a.rows, a.cols, [&](index_t j) {
        const auto [begin, end] = rows_beside(triangle, a.rows, j);
        blas::fill(exec, zero, column_part(a, j, begin, end));
    });
}

void swap_rows(const host_executor& exec, view_of<host_executor> x, const std::vector<index_t>& pivots, bool backwards)
{
    const auto n = static_cast<index_t>(pivots.size());
    for_columns(exec, x.format, n, x.cols, [&](index_t j) {
        for (index_t step = 0; step < n; ++step) {
            const index_t k = backwards ? n - 1 - step : step;
            if (const index_t p = pivots[static_cast<std::size_t>(k)]; p != k) {
                residua::detail::swap_elements<multidigit>(x.column(j), k, p);
            }
        }
    });
}

#if defined(RESIDUA_CUDA)

void swap_rows(const cuda_executor& exec, view_of<cuda_executor> x, const std::vector<index_t>& pivots, bool backwards)
{
    residua::detail::swap_rows(exec, x, pivots, 0, static_cast<index_t>(pivots.size()), backwards);
}

#endif

/// The order of the first leading minor that Cholesky found not to be positive.
template <class Exec>
index_t order_of_failure([[maybe_unused]] const Exec& exec, const stored<Exec>& a)
{
    if constexpr (std::is_same_v<Exec, host_executor>) {
        const multidigit_number zero(a.format());
        for (index_t k = 0; k < a.rows(); ++k) {
            if (const multidigit_number pivot = a.get(k, k); !(zero < pivot) || !is_finite(pivot)) {
                return k + 1;
            }
        }
        return a.rows();
    } else {
        return order_of_failure(host_executor{}, to_host(exec, a));
    }
}

}  // namespace

void gemm(const real& alpha, op op_a, const dense_matrix& a, op op_b, const dense_matrix& b, const real& beta,
          dense_matrix& c)
{
    const auto [m, k] = shape_of(op_a, a);
    const auto [inner, n] = shape_of(op_b, b);
    require_equal("gemm", "columns of op(A) and rows of op(B)", k, inner);
    require_equal("gemm", "rows of op(A) and C", m, c.rows());
    require_equal("gemm", "columns of op(B) and C", n, c.cols());
    require_together("gemm", a, b);
    require_together("gemm", a, c);
    at_place_of(c, [&]<class Exec>(const Exec& exec) {
        stored<Exec>& result = c.numbers<Exec>();
        stored<Exec> product(result.format(), result.rows(), result.cols(), exec);
        residua::detail::multiply_exactly<Exec>(exec, operand<Exec>(exec, op_a, a).view(),
                                                operand<Exec>(exec, op_b, b).view(), product.view());
        add_product<Exec>(exec, {result.format(), alpha}, std::move(product), {result.format(), beta}, result);
    });
}

void syrk(uplo triangle, op op_a, const real& alpha, const dense_matrix& a, const real& beta, dense_matrix& c)
{
    require_square("syrk", c);
    require_equal("syrk", "rows of op(A) and C", shape_of(op_a, a).first, c.rows());
    require_together("syrk", a, c);
    at_place_of(c, [&]<class Exec>(const Exec& exec) {
        stored<Exec>& result = c.numbers<Exec>();
        stored<Exec> product(result.format(), result.rows(), result.cols(), exec);
        multiply_symmetric<Exec>(exec, operand<Exec>(exec, op_a, a).view(), operand<Exec>(exec, other(op_a), a).view(),
                                 product.view());
        if (!is_zero(beta)) {
            make_symmetric<Exec>(exec, triangle, result.view());
        }
        add_product<Exec>(exec, {result.format(), alpha}, std::move(product), {result.format(), beta}, result);
    });
}

void trsm(side where, uplo triangle, op op_a, diag diagonal, const real& alpha, const dense_matrix& a, dense_matrix& b)
{
    require_square("trsm", a);
    require_equal("trsm", where == side::left ? "rows of A and B" : "columns of A and B", a.rows(),
                  where == side::left ? b.rows() : b.cols());
    require_together("trsm", a, b);
    if (&a == &b) {
        throw error("trsm: A and B are one matrix");
    }
    at_place_of(b, [&]<class Exec>(const Exec& exec) {
        stored<Exec>& x = b.numbers<Exec>();
        const auto t = a.numbers<Exec>().view();
        scale<Exec>(exec, {x.format(), alpha}, x.view());
        residua::detail::triangle_kind kind{triangle, diagonal, op_a == op::transposed};
        if (where == side::left) {
            residua::detail::solve_triangle_by_halves<Exec>(exec, kind, t, x.view());
        } else {
            kind.transposed = !kind.transposed;
            stored<Exec> x_t = transpose_of<Exec>(exec, x.view());
            residua::detail::solve_triangle_by_halves<Exec>(exec, kind, t, x_t.view());
            residua::detail::copy_transposed<Exec>(exec, x_t.view(), x.view());
        }
    });
}

index_t potrf(uplo triangle, dense_matrix& a)
{
    require_square("potrf", a);
    return at_place_of(a, [&]<class Exec>(const Exec& exec) -> index_t {
        stored<Exec>& factor = a.numbers<Exec>();
        if (triangle == uplo::upper) {
            factor = transpose_of<Exec>(exec, factor.view());
        }
        block_elimination<multidigit_space<Exec>> elimination({exec, factor.format()});
        if (!elimination.cholesky(factor.view())) {
            return order_of_failure<Exec>(exec, factor);
        }
        clear_beside<Exec>(exec, uplo::lower, factor.view());
        if (triangle == uplo::upper) {
            factor = transpose_of<Exec>(exec, factor.view());
        }
        return 0;
    });
}

index_t getrf(dense_matrix& a, std::vector<index_t>& pivots)
{
    require_square("getrf", a);
    return at_place_of(a, [&]<class Exec>(const Exec& exec) -> index_t {
        stored<Exec>& factors = a.numbers<Exec>();
        block_elimination<multidigit_space<Exec>> elimination({exec, factors.format()});
        lu_pivots found = elimination.lu(factors.view(), factors.rows(), 0.0);
        pivots = std::move(found.row_swap);
        return found.count < factors.cols()
                   ? *std::min_element(found.column.begin() + found.count, found.column.end()) + 1
                   : 0;
    });
}

void potrs(uplo triangle, const dense_matrix& a, dense_matrix& b)
{
    const bool lower = triangle == uplo::lower;
    trsm(side::left, triangle, lower ? op::plain : op::transposed, diag::non_unit, 1.0, a, b);
    trsm(side::left, triangle, lower ? op::transposed : op::plain, diag::non_unit, 1.0, a, b);
}

void getrs(op op_a, const dense_matrix& a, const std::vector<index_t>& pivots, dense_matrix& b)
{
    require_square("getrs", a);
    require_equal("getrs", "rows of A and pivots", a.rows(), static_cast<index_t>(pivots.size()));
    require_equal("getrs", "rows of A and B", a.rows(), b.rows());
    for (const index_t p : pivots) {
        if (p < 0 || p >= a.rows()) {
            throw error("getrs: there is no row " + std::to_string(p) + " to swap among " + std::to_string(a.rows()));
        }
    }
    const auto swapped = [&](bool backwards) {
        at_place_of(
            b, [&]<class Exec>(const Exec& exec) { swap_rows(exec, b.numbers<Exec>().view(), pivots, backwards); });
    };
    require_together("getrs", a, b);
    if (op_a == op::plain) {
        swapped(false);
        trsm(side::left, uplo::lower, op::plain, diag::unit, 1.0, a, b);
        trsm(side::left, uplo::upper, op::plain, diag::non_unit, 1.0, a, b);
    } else {
        trsm(side::left, uplo::upper, op::transposed, diag::non_unit, 1.0, a, b);
        trsm(side::left, uplo::lower, op::transposed, diag::unit, 1.0, a, b);
        swapped(true);
    }
}

namespace {

/// What a solve needs of A and B, before A is lost.
void require_system(std::string_view operation, const dense_matrix& a, const dense_matrix& b)
{
    require_square(operation, a);
    require_equal(operation, "rows of A and B", a.rows(), b.rows());
    require_together(operation, a, b);
    if (&a == &b) {
        throw error(std::string(operation) + ": A and B are one matrix");
    }
}

}  // namespace

index_t posv(uplo triangle, dense_matrix& a, dense_matrix& b)
{
    require_system("posv", a, b);
    const index_t info = potrf(triangle, a);
    if (info == 0) {
        potrs(triangle, a, b);
    }
    return info;
}

index_t gesv(dense_matrix& a, dense_matrix& b)
{
    require_system("gesv", a, b);
    std::vector<index_t> pivots;
    const index_t info = getrf(a, pivots);
    if (info == 0) {
        getrs(op::plain, a, pivots, b);
    }
    return info;
}

}  // namespace residua::dense
