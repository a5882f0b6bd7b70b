#include <residua/blas/level2/combine.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/level3/gemm.hpp>

#include <optional>

#include <residua/blas/base/executors.hpp>
#include <residua/blas/rns/level1.hpp>
#include <residua/blas/rns/operands.hpp>

/// What blas/level2 and level3 declare, for RNS floats.
namespace residua::blas::detail {

namespace {

rns_operand entries_at(const entry_places<rns>& a) { return {.start = a.start, .row = a.row, .col = a.col}; }

template <class Exec>
rns_term entry_of(const entry_term<Exec, rns>& term)
{
    return term.number  ? scaled(*term.number, entries_at(term.x))
           : term.entry ? scaled(entries_at(*term.entry), entries_at(term.x))
                        : plain(entries_at(term.x));
}

/// The operand that is a(i, k), or a(k, i) if transposed, in a sum over k.
template <class Exec>
rns_operand in_sum(const matrix_view<Exec, const rns>& a, trans op)
{
    return op == trans::no ? rns_operand{.start = a.start, .row = 1, .step = a.ld}
                           : rns_operand{.start = a.start, .row = a.ld, .step = 1};
}

bool is_one(const rns_number& a) { return a == rns_number(a.format(), 1.0); }

/// c <- beta c + sum
template <class Exec, class View>
void add_to(const Exec& exec, const rns_number& beta, const rns_operand& sum, const rns_operand& c, const View& to)
{
    const rns_term added = plain(sum);
    if (is_zero(beta.value())) {
        combine(exec, to, added);
    } else {
        combine(exec, to, scaled(beta, c), &added);
    }
}

}  // namespace

template <class Exec>
void combine_entries(const Exec& exec, const char*, const entry_sum<Exec, rns>& sum)
{
    const rns_term second = entry_of(sum.second.value_or(sum.first));
    combine(exec, sum.to, entry_of(sum.first), sum.second ? &second : nullptr, sum.of);
}

template <class Exec>
void solve_columns(const Exec& exec, uplo triangle, diag diagonal, in_matrix<Exec, rns> a, matrix_view<Exec, rns> x)
{
    const solve_column_element f{.lower = triangle == uplo::lower,
                                 .unit = diagonal == diag::unit,
                                 .n = x.rows,
                                 .t = a.start,
                                 .ld = a.ld,
                                 .x = x.start,
                                 .x_col = x.ld};
    for_indices(exec, x.format, x.cols, f, 0.5 * static_cast<double>(x.rows) * static_cast<double>(x.rows));
}

template <class Exec>
void multiply(const Exec& exec, trans op, const gemv_operands<Exec, rns>& o)
{
    std::optional<vector<Exec, rns>> work;
    vector_view<Exec, const rns> d = o.x;
    if (!is_one(o.alpha)) {
        work.emplace(o.x.format, o.x.size, exec);
        combine(exec, work->view(), scaled(o.alpha, by_row(o.x)));
        d = work->view();
    }
    const vector<Exec, rns> sum = reduce(exec, o.y.format, reduction::products, o.y.size, 1, d.size, in_chunks,
                                         in_sum(o.a, op), {.start = d.start, .step = d.stride});
    add_to(exec, o.beta, {.start = sum.view().start, .row = 1}, by_row<Exec>(o.y), o.y);
}

template <class Exec>
void multiply(const Exec& exec, const gemm_operands<Exec, rns>& o)
{
    std::optional<matrix<Exec, rns>> work;
    matrix_view<Exec, const rns> d = o.b;
    if (!is_one(o.alpha)) {
        work.emplace(d.format, d.rows, d.cols, exec);
        combine(exec, work->view(), scaled(o.alpha, entries(o.b)));
        d = work->view();
    }
    const index_t n = o.a.cols;
    const vector<Exec, rns> sum = reduce(exec, o.c.format, reduction::products, o.c.rows, o.c.cols, n, left_to_right(n),
                                         in_sum(o.a, trans::no), {.start = d.start, .col = d.ld, .step = 1});
    add_to(exec, o.beta, {.start = sum.view().start, .row = 1, .col = o.c.rows}, entries<Exec>(o.c), o.c);
}

void solve(const host_executor&, const trsv_operands<host_executor, rns>& o)
{
    const auto& set = o.x.format.set();
    const index_t n = o.x.size;
    const bool lower = (o.triangle == uplo::lower) == (o.op == trans::no);  // of op(A)
    const rns_operand t = in_sum(o.a, o.op);
    for (index_t step = 0; step < n; ++step) {
        const index_t i = lower ? step : n - 1 - step;
        auto rest = residua::detail::load(set, o.b.start, i * o.b.stride);
        for (index_t k = lower ? 0 : i + 1; k < (lower ? i : n); ++k) {
            rest = sub(set, rest, mul(set, t(set, i, 0, k), residua::detail::load(set, o.x.start, k * o.x.stride)));
        }
        if (o.diagonal == diag::non_unit) {
            rest = div(set, rest, t(set, i, 0, i));
        }
        residua::detail::store(set, o.x.start, i * o.x.stride, rest);
    }
}

template <class Exec>
rns_number norm_of_entries(const Exec& exec, matrix_norm norm, in_matrix<Exec, rns> a)
{
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

#define RESIDUA_INSTANTIATE(Exec)                                                                       \
    template void combine_entries(const Exec&, const char*, const entry_sum<Exec, rns>&);               \
    template void solve_columns(const Exec&, uplo, diag, in_matrix<Exec, rns>, matrix_view<Exec, rns>); \
    template void multiply(const Exec&, trans, const gemv_operands<Exec, rns>&);                        \
    template void multiply(const Exec&, const gemm_operands<Exec, rns>&);                               \
    template rns_number norm_of_entries(const Exec&, matrix_norm, in_matrix<Exec, rns>);
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas::detail
