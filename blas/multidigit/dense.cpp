#include <residua/blas/multidigit/dense.hpp>

#include <type_traits>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/executors.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/multidigit/for_indices.hpp>
#include <residua/blas/multidigit/matrix_elements.hpp>
#include <residua/blas/multidigit/update.hpp>

namespace residua::blas {
namespace {

using namespace detail;
using digit = std::uint64_t;
using view = vector_view<host_executor, multidigit>;
using const_view = vector_view<host_executor, const multidigit>;
using const_matrix = matrix_view<host_executor, const multidigit>;

/// x <- inverse(T) b; T(i, k) is number i row + k col of `t`.
void substitute(uplo triangle, diag diagonal, residua::detail::multidigit_tiles<true> t, index_t row, index_t col,
                const const_view& b, const view& x)
{
    const int p = x.format.bits();
    const index_t n = x.size;
    with_multidigit_size<digit>(multidigit_count<digit>(p), [&]<int N>() {
        for (index_t step = 0; step < n; ++step) {
            const index_t i = triangle == uplo::lower ? step : n - 1 - step;
            multidigit_sum<digit, N> sum;
            sum.add(residua::detail::load<digit, N>(b.start, i * b.stride), p);
            for (index_t k = triangle == uplo::lower ? 0 : i + 1; k < (triangle == uplo::lower ? i : n); ++k) {
                sum.add_product(residua::detail::load<digit, N>(t, i * row + k * col),
                                negated(residua::detail::load<digit, N>(x.start, k * x.stride)), p);
            }
            const auto rest = sum.result(p);
            const auto pivot = residua::detail::load<digit, N>(t, i * (row + col));
            residua::detail::store(x.start, i * x.stride, diagonal == diag::unit ? rest : div(rest, pivot, p));
        }
    });
}

void require_trsv(const const_matrix& a, const const_view& b, const view& x)
{
    require_equal("trsv", "rows and columns of A", a.rows, a.cols);
    require_equal("trsv", "rows of A and size of b", a.rows, b.size);
    require_equal("trsv", "rows of A and size of x", a.rows, x.size);
    require_formats("trsv", x, a, b);
}

}  // namespace

template <class Exec>
void gemv(const Exec& exec, const multidigit_number& alpha, in_matrix<Exec, multidigit> a,
          in_vector<Exec, multidigit> x, const multidigit_number& beta, vector_view<Exec, multidigit> y)
{
    require_equal("gemv", "rows of A and size of y", a.rows, y.size);
    require_equal("gemv", "columns of A and size of x", a.cols, x.size);
    require_formats("gemv", y, alpha, a, x, beta);
    update<Exec>(exec, alpha, beta, y, [&](const vector_view<Exec, multidigit>& s) {
        sum_rows(exec, "gemv", s.format, 1,
                 {a.rows, a.cols, a.start, a.ld, {x.start, x.stride}, 0, {s.start, s.stride}, 0});
    });
}

template <class Exec>
void gemv_t(const Exec& exec, const multidigit_number& alpha, in_matrix<Exec, multidigit> a,
            in_vector<Exec, multidigit> x, const multidigit_number& beta, vector_view<Exec, multidigit> y)
{
    require_equal("gemv_t", "columns of A and size of y", a.cols, y.size);
    require_equal("gemv_t", "rows of A and size of x", a.rows, x.size);
    require_formats("gemv_t", y, alpha, a, x, beta);
    update<Exec>(exec, alpha, beta, y, [&](const vector_view<Exec, multidigit>& s) {
        sum_long(exec, "gemv_t", s.format, a.rows, a.cols, {{a.start, 1}, a.ld, {x.start, x.stride}, false},
                 {s.start, s.stride});
    });
}

template <class Exec>
void gemm(const Exec& exec, const multidigit_number& alpha, in_matrix<Exec, multidigit> a,
          in_matrix<Exec, multidigit> b, const multidigit_number& beta, matrix_view<Exec, multidigit> c)
{
    require_equal("gemm", "rows of A and C", a.rows, c.rows);
    require_equal("gemm", "columns of B and C", b.cols, c.cols);
    require_equal("gemm", "columns of A and rows of B", a.cols, b.rows);
    require_formats("gemm", c, alpha, a, b, beta);
    const bool keeps = !(beta == multidigit_number(beta.format()));
    matrix<Exec, multidigit> s(c.format, keeps ? c.rows : 0, keeps ? c.cols : 0, exec);
    const matrix_view<Exec, multidigit> to = keeps ? s.view() : c;
    sum_rows(exec, "gemm", c.format, c.cols, {a.rows, a.cols, a.start, a.ld, {b.start, 1}, b.ld, {to.start, 1}, to.ld});
    if constexpr (std::is_same_v<Exec, cuda_executor>) {  // one launch for all columns
        using factor = multidigit_entry_term::factor;
        const multidigit_number one(alpha.format(), 1.0);
        const multidigit_entry_term product{
            {to.start, 1, to.ld}, alpha == one ? factor::none : factor::scalar, alpha.value(), {}};
        if (keeps || !(alpha == one)) {
            const multidigit_entry_term kept{
                {c.start, 1, c.ld}, beta == one ? factor::none : factor::scalar, beta.value(), {}};
            const multidigit_combine f{.p = c.format.bits(),
                                       .rows = c.rows,
                                       .of = {},
                                       .terms = keeps ? 2 : 1,
                                       .term = {keeps ? kept : product, product},
                                       .to = c.start,
                                       .to_col = c.ld};
            for_indices(exec, "gemm", c.format, c.rows * c.cols, f);
        }
        return;
    }
    for (index_t j = 0; j < c.cols; ++j) {
        update<Exec>(exec, alpha, beta, c.column(j), [&](const vector_view<Exec, multidigit>& column) {
            if (keeps) {
                copy<multidigit>(exec, to.column(j), column);
            }
        });
    }
}

void ger(const host_executor& exec, const multidigit_number& alpha, in_vector<host_executor, multidigit> x,
         in_vector<host_executor, multidigit> y, matrix_view<host_executor, multidigit> a)
{
    require_equal("ger", "size of x and rows of A", x.size, a.rows);
    require_equal("ger", "size of y and columns of A", y.size, a.cols);
    require_formats("ger", a, alpha, x, y);
    const bool negates = alpha == multidigit_number(alpha.format(), -1.0);
    parallel_ranges(a.cols, 1, operations_of(a.format) * static_cast<double>(a.rows) * static_cast<double>(a.cols),
                    [&](index_t begin, index_t end) {
                        for (index_t j = begin; j < end; ++j) {
                            const multidigit_number y_j = y.load(j);
                            axpy<multidigit>(exec, negates ? -y_j : alpha * y_j, x, a.column(j));
                        }
                    });
}

void trsv(const host_executor&, uplo triangle, diag diagonal, in_matrix<host_executor, multidigit> a,
          in_vector<host_executor, multidigit> b, vector_view<host_executor, multidigit> x)
{
    require_trsv(a, b, x);
    substitute(triangle, diagonal, a.start, 1, a.ld, b, x);
}

void trsv_t(const host_executor&, uplo triangle, diag diagonal, in_matrix<host_executor, multidigit> a,
            in_vector<host_executor, multidigit> b, vector_view<host_executor, multidigit> x)
{
    require_trsv(a, b, x);
    substitute(triangle == uplo::lower ? uplo::upper : uplo::lower, diagonal, a.start, a.ld, 1, b, x);
}

#define RESIDUA_INSTANTIATE(Exec)                                                                               \
    template void gemv(const Exec&, const multidigit_number&, in_matrix<Exec, multidigit>,                      \
                       in_vector<Exec, multidigit>, const multidigit_number&, vector_view<Exec, multidigit>);   \
    template void gemv_t(const Exec&, const multidigit_number&, in_matrix<Exec, multidigit>,                    \
                         in_vector<Exec, multidigit>, const multidigit_number&, vector_view<Exec, multidigit>); \
    template void gemm(const Exec&, const multidigit_number&, in_matrix<Exec, multidigit>,                      \
                       in_matrix<Exec, multidigit>, const multidigit_number&, matrix_view<Exec, multidigit>);
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
