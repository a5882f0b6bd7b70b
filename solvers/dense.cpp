#include <residua/solvers/dense.hpp>

#include <optional>
#include <utility>

#include <residua/blas/base/check.hpp>
#include <residua/solvers/dense_direct/limb_matrices.hpp>
#include <residua/solvers/dense_direct/triangles.hpp>

namespace residua::dense {
namespace {

/// Rows and columns of op(A).
std::pair<index_t, index_t> shape_of(op op_a, const dense_matrix& a)
{
    return op_a == op::plain ? std::pair(a.rows(), a.cols()) : std::pair(a.cols(), a.rows());
}

op other(op op_a) { return op_a == op::plain ? op::transposed : op::plain; }

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

}  // namespace residua::dense
