#include <residua/blas/rns/level2.hpp>

#include <optional>

#include <residua/blas/base/executors.hpp>
#include <residua/blas/rns/operands.hpp>

namespace residua::blas {

using namespace detail;

namespace {

/// The operand that is a(i, k), or a(k, i) if transposed, in a sum over k.
template <class Exec>
rns_operand in_sum(const matrix_view<Exec, const rns>& a, trans op)
{
    return op == trans::no ? rns_operand{.start = a.start, .row = 1, .step = a.ld}
                           : rns_operand{.start = a.start, .row = a.ld, .step = 1};
}

bool is_one(const rns_number& a) { return a == rns_number(a.format(), 1.0); }
bool is_zero(const rns_number& a) { return residua::is_zero(a.value()); }

/// alpha x, in `work` unless alpha is one
template <class Exec>
vector_view<Exec, const rns> times(const Exec& exec, const rns_number& alpha, const vector_view<Exec, const rns>& x,
                                   std::optional<vector<Exec, rns>>& work)
{
    if (is_one(alpha)) {
        return x;
    }
    work.emplace(x.format, x.size, exec);
    combine(exec, work->view(), scaled(alpha, by_row(x)));
    return work->view();
}

/// y <- beta y + sum
template <class Exec>
void add_to(const Exec& exec, const rns_number& beta, const vector_view<Exec, const rns>& sum,
            const vector_view<Exec, rns>& y)
{
    const rns_term added = plain(by_row(sum));
    if (is_zero(beta)) {
        combine(exec, y, added);
    } else {
        combine(exec, y, scaled(beta, by_row<Exec>(y)), &added);
    }
}

/// y <- alpha op(A) x + beta y, A as an operand of (i, k)
template <class Exec>
void multiply(const Exec& exec, const rns_number& alpha, const rns_operand& a, const vector_view<Exec, const rns>& x,
              const rns_number& beta, const vector_view<Exec, rns>& y)
{
    std::optional<vector<Exec, rns>> work;
    const vector_view<Exec, const rns> d = times(exec, alpha, x, work);
    const vector<Exec, rns> sum = reduce(exec, y.format, reduction::products, y.size, 1, x.size, in_chunks, a,
                                         {.start = d.start, .step = d.stride});
    add_to<Exec>(exec, beta, first(sum, y.size), y);
}

}  // namespace

template <class Exec>
void gemv(const Exec& exec, trans op, const rns_number& alpha, in_matrix<Exec, rns> a, in_vector<Exec, rns> x,
          const rns_number& beta, vector_view<Exec, rns> y)
{
    require_gemv<Exec>("gemv", op, alpha, a, x, beta, y);
    multiply<Exec>(exec, alpha, in_sum<Exec>(a, op), x, beta, y);
}

template <class Exec>
void ger(const Exec& exec, const rns_number& alpha, in_vector<Exec, rns> x, in_vector<Exec, rns> y,
         matrix_view<Exec, rns> a)
{
    require_ger<Exec>("ger", alpha, x, y, a);
    std::optional<vector<Exec, rns>> work;
    const vector_view<Exec, const rns> d = times<Exec>(exec, alpha, y, work);
    const rns_term kept = plain(entries<Exec>(a));
    combine(exec, a, scaled(by_row(x), by_col(d)), &kept);
}

template <class Exec>
rns_number ge_norm(const Exec& exec, matrix_norm norm, in_matrix<Exec, rns> a)
{
    if (a.rows == 0 || a.cols == 0) {
        return rns_number(a.format);
    }
    // one reduction for each row or column, and then one of these results
    const bool rows = norm == matrix_norm::infinity;
    const index_t results = rows ? a.rows : a.cols;
    const index_t n = rows ? a.cols : a.rows;
    const reduction inner = norm == matrix_norm::frobenius ? reduction::products
                            : norm == matrix_norm::largest ? reduction::largest
                                                           : reduction::magnitudes;
    const reduction outer = norm == matrix_norm::frobenius ? reduction::products : reduction::largest;
    const rns_operand x = in_sum<Exec>(a, rows ? trans::no : trans::yes);
    vector<Exec, rns> sums = reduce(exec, a.format, inner, results, 1, n, in_chunks, x, x);
    merge(exec, a.format, outer, 1, results, sums.view().start);
    const rns_number result = fetched_number(exec, a.format, sums.view().start, 0);
    return norm == matrix_norm::frobenius ? sqrt(result) : result;
}

template <class Exec>
void gemm(const Exec& exec, trans op_a, trans op_b, const rns_number& alpha, in_matrix<Exec, rns> a,
          in_matrix<Exec, rns> b, const rns_number& beta, matrix_view<Exec, rns> c)
{
    const index_t n = op_a == trans::no ? a.cols : a.rows;
    require_equal("gemm", "rows of op(A) and C", op_a == trans::no ? a.rows : a.cols, c.rows);
    require_equal("gemm", "columns of op(B) and C", op_b == trans::no ? b.cols : b.rows, c.cols);
    require_equal("gemm", "columns of op(A) and rows of op(B)", n, op_b == trans::no ? b.rows : b.cols);
    require_formats("gemm", c, alpha, a, b, beta);
    std::optional<matrix<Exec, rns>> work;
    matrix_view<Exec, const rns> d = b;
    if (!is_one(alpha)) {
        work.emplace(b.format, b.rows, b.cols, exec);
        combine(exec, work->view(), scaled(alpha, entries(b)));
        d = work->view();
    }
    const rns_operand right = op_b == trans::no ? rns_operand{.start = d.start, .col = d.ld, .step = 1}
                                                : rns_operand{.start = d.start, .col = 1, .step = d.ld};
    const vector<Exec, rns> sum =
        reduce(exec, c.format, reduction::products, c.rows, c.cols, n, left_to_right(n), in_sum<Exec>(a, op_a), right);
    const rns_term added = plain({.start = sum.view().start, .row = 1, .col = c.rows});
    if (is_zero(beta)) {
        combine(exec, c, added);
    } else {
        combine(exec, c, scaled(beta, entries<Exec>(c)), &added);
    }
}

#define RESIDUA_INSTANTIATE(Exec)                                                                                \
    template void gemv(const Exec&, trans, const rns_number&, in_matrix<Exec, rns>, in_vector<Exec, rns>,        \
                       const rns_number&, vector_view<Exec, rns>);                                               \
    template void ger(const Exec&, const rns_number&, in_vector<Exec, rns>, in_vector<Exec, rns>,                \
                      matrix_view<Exec, rns>);                                                                   \
    template rns_number ge_norm(const Exec&, matrix_norm, in_matrix<Exec, rns>);                                 \
    template void gemm(const Exec&, trans, trans, const rns_number&, in_matrix<Exec, rns>, in_matrix<Exec, rns>, \
                       const rns_number&, matrix_view<Exec, rns>);
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
