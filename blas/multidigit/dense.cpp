#include <residua/blas/level2/combine.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/level3/gemm.hpp>

#include <optional>
#include <type_traits>
#include <utility>

#include <residua/blas/base/executors.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/multidigit/for_indices.hpp>
#include <residua/blas/multidigit/matrix_elements.hpp>
#include <residua/blas/multidigit/update.hpp>

/// What blas/level2 and level3 declare, for multi-digit floats.
namespace residua::blas::detail {

namespace {

template <class Exec>
multidigit_entry_term entry_of(const entry_term<Exec, multidigit>& term)
{
    using factor = multidigit_entry_term::factor;
    multidigit_entry_term t;
    t.x = term.x;
    if (term.magnitude) {
        t.kind = factor::magnitude;
    } else if (term.number) {
        const multidigit_number one(term.number->format(), 1.0);
        t.kind = *term.number == one ? factor::none : *term.number == -one ? factor::minus_one : factor::scalar;
        t.scalar = term.number->value();
    } else if (term.entry) {
        t.kind = factor::entry;
        t.by = *term.entry;
    }
    return t;
}

}  // namespace

template <class Exec>
void combine_entries(const Exec& exec, const char* op, const entry_sum<Exec, multidigit>& sum)
{
    const matrix_view<Exec, multidigit>& to = sum.to;
    const multidigit_combine f{.p = to.format.bits(),
                               .rows = to.rows > 0 ? to.rows : 1,
                               .of = sum.of,
                               .terms = sum.second ? 2 : 1,
                               .term = {entry_of(sum.first), entry_of(sum.second.value_or(sum.first))},
                               .to = to.start,
                               .to_col = to.ld};
    for_indices(exec, op, to.format, to.rows * to.cols, f);
}

template <class Exec>
void solve_columns(const Exec& exec, uplo triangle, diag diagonal, in_matrix<Exec, multidigit> a,
                   matrix_view<Exec, multidigit> x)
{
    const multidigit_solve_column f{.p = x.format.bits(),
                                    .lower = triangle == uplo::lower,
                                    .unit = diagonal == diag::unit,
                                    .n = x.rows,
                                    .t = a.start,
                                    .ld = a.ld,
                                    .x = x.start,
                                    .x_col = x.ld};
    for_indices(exec, "trsm", x.format, x.cols, f, 0.5 * static_cast<double>(x.rows) * static_cast<double>(x.rows));
}

template <class Exec>
void multiply(const Exec& exec, trans op, const gemv_operands<Exec, multidigit>& o)
{
    update<Exec>(exec, o.alpha, o.beta, o.y, [&](const vector_view<Exec, multidigit>& s) {
        const multidigit_operand x{o.x.start, o.x.stride};
        if (op == trans::no) {
            sum_rows(exec, "gemv", s.format, 1, {o.a.rows, o.a.cols, o.a.start, o.a.ld, x, 0, {s.start, s.stride}, 0});
        } else {
            sum_long(exec, "gemv", s.format, o.a.rows, o.a.cols, {{o.a.start, 1}, o.a.ld, x, false},
                     {s.start, s.stride});
        }
    });
}

template <class Exec>
void multiply(const Exec& exec, const gemm_operands<Exec, multidigit>& o)
{
    const multidigit_number one(o.c.format, 1.0);
    const bool keeps = !(o.beta == multidigit_number(o.c.format));
    std::optional<matrix<Exec, multidigit>> work;
    if (keeps) {
        work.emplace(o.c.format, o.c.rows, o.c.cols, exec);
    }
    const matrix_view<Exec, multidigit> s = keeps ? work->view() : o.c;
    sum_rows(exec, "gemm", s.format, s.cols,
             {o.a.rows, o.a.cols, o.a.start, o.a.ld, {o.b.start, 1}, o.b.ld, {s.start, 1}, s.ld});
    if (!keeps && o.alpha == one) {
        return;
    }
    if constexpr (std::is_same_v<Exec, cuda_executor>) {  // one launch for all columns
        entry_sum<Exec, multidigit> sum{o.c, {.x = places_of(s), .number = o.alpha}};
        if (keeps) {
            sum.second = std::exchange(sum.first, {.x = places_of(o.c), .number = o.beta});
        }
        combine_entries(exec, "gemm", sum);
    } else {
        for (index_t j = 0; j < s.cols; ++j) {
            keeps ? waxpby<multidigit>(exec, o.beta, o.c.column(j), o.alpha, s.column(j), o.c.column(j))
                  : scal<multidigit>(exec, o.alpha, s.column(j));
        }
    }
}

void solve(const host_executor&, const trsv_operands<host_executor, multidigit>& o)
{
    const int p = o.x.format.bits();
    const index_t n = o.x.size;
    const bool lower = (o.triangle == uplo::lower) == (o.op == trans::no);  // of op(A)
    const index_t row = o.op == trans::no ? 1 : o.a.ld, col = o.op == trans::no ? o.a.ld : 1;
    with_multidigit_size<std::uint64_t>(multidigit_count<std::uint64_t>(p), [&]<int N>() {
        const auto number = [](const auto& start, index_t i) {
            return residua::detail::load<std::uint64_t, N>(start, i);
        };
        for (index_t step = 0; step < n; ++step) {
            const index_t i = lower ? step : n - 1 - step;
            multidigit_sum<std::uint64_t, N> sum;
            sum.add(number(o.b.start, i * o.b.stride), p);
            for (index_t k = lower ? 0 : i + 1; k < (lower ? i : n); ++k) {
                sum.add_product(number(o.a.start, i * row + k * col), negated(number(o.x.start, k * o.x.stride)), p);
            }
            const auto rest = sum.result(p);
            const auto pivot = number(o.a.start, i * (row + col));
            residua::detail::store(o.x.start, i * o.x.stride, o.diagonal == diag::unit ? rest : div(rest, pivot, p));
        }
    });
}

#define RESIDUA_INSTANTIATE(Exec)                                                                                     \
    template void combine_entries(const Exec&, const char*, const entry_sum<Exec, multidigit>&);                      \
    template void solve_columns(const Exec&, uplo, diag, in_matrix<Exec, multidigit>, matrix_view<Exec, multidigit>); \
    template void multiply(const Exec&, trans, const gemv_operands<Exec, multidigit>&);                               \
    template void multiply(const Exec&, const gemm_operands<Exec, multidigit>&);
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas::detail
