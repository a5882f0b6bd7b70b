#include <residua/blas/dense/combine.hpp>

#include <residua/blas/base/executors.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/dense/elements.hpp>
#include <residua/blas/multidigit/for_indices.hpp>
#include <residua/blas/multidigit/matrix_elements.hpp>
#include <residua/blas/rns/operands.hpp>

namespace residua::blas::detail {
namespace {

multidigit_entries entries_at(const entry_places<multidigit>& a) { return {a.start, a.row, a.col}; }
rns_operand entries_at(const entry_places<rns>& a) { return {.start = a.start, .row = a.row, .col = a.col}; }

template <class Exec>
multidigit_entry_term entry_of(const entry_term<Exec, multidigit>& term)
{
    using factor = multidigit_entry_term::factor;
    multidigit_entry_term t;
    t.x = entries_at(term.x);
    if (term.magnitude) {
        t.kind = factor::magnitude;
    } else if (term.number) {
        const multidigit_number one(term.number->format(), 1.0);
        t.kind = *term.number == one ? factor::none : *term.number == -one ? factor::minus_one : factor::scalar;
        t.scalar = term.number->value();
    } else if (term.entry) {
        t.kind = factor::entry;
        t.by = entries_at(*term.entry);
    }
    return t;
}

template <class Exec>
rns_term entry_of(const entry_term<Exec, rns>& term)
{
    return term.number  ? scaled(*term.number, entries_at(term.x))
           : term.entry ? scaled(entries_at(*term.entry), entries_at(term.x))
                        : plain(entries_at(term.x));
}

}  // namespace

template <number T>
void combine_entries(const host_executor&, const char*, matrix_view<host_executor, T> to,
                     const entry_term<host_executor, T>& first,
                     const std::type_identity_t<entry_term<host_executor, T>>* second, const diagonals& of)
{
    const combine_numbers<host_executor, T> f{to, of, first, second != nullptr, second == nullptr ? first : *second};
    const double operations =
        2.0 * multiply_add_operations<T> * static_cast<double>(to.rows) * static_cast<double>(to.cols);
    parallel_ranges(to.rows * to.cols, 16, operations, [&](index_t begin, index_t end) {
        index_t j = begin / to.rows;
        for (index_t i = begin % to.rows; begin < end; ++begin) {
            f.store(i, j);
            if (++i == to.rows) {
                i = 0;
                ++j;
            }
        }
    });
}

template <class Exec>
void combine_entries(const Exec& exec, const char* op, matrix_view<Exec, multidigit> to,
                     const entry_term<Exec, multidigit>& first,
                     const std::type_identity_t<entry_term<Exec, multidigit>>* second, const diagonals& of)
{
    const multidigit_entry_term one = entry_of(first);
    const multidigit_combine f{.p = to.format.bits(),
                               .rows = to.rows > 0 ? to.rows : 1,
                               .of = of,
                               .terms = second == nullptr ? 1 : 2,
                               .term = {one, second == nullptr ? one : entry_of(*second)},
                               .to = to.start,
                               .to_col = to.ld};
    for_indices(exec, op, to.format, to.rows * to.cols, f);
}

template <class Exec>
void combine_entries(const Exec& exec, const char*, matrix_view<Exec, rns> to, const entry_term<Exec, rns>& first,
                     const std::type_identity_t<entry_term<Exec, rns>>* second, const diagonals& of)
{
    const rns_term one = entry_of(first);
    const combine_element f{.rows = to.rows > 0 ? to.rows : 1,
                            .terms = second == nullptr ? 1 : 2,
                            .term = {one, second == nullptr ? one : entry_of(*second)},
                            .to = to.start,
                            .to_row = 1,
                            .to_col = to.ld,
                            .of = of};
    for_indices(exec, to.format, to.rows * to.cols, f);
}

template <number T>
void solve_columns(const host_executor&, uplo triangle, diag diagonal, in_matrix<host_executor, T> a,
                   matrix_view<host_executor, T> x)
{
    const solve_column<host_executor, T> f{triangle == uplo::lower, diagonal == diag::unit, a, x};
    const double operations = multiply_add_operations<T> * static_cast<double>(x.rows) * static_cast<double>(x.rows) *
                              static_cast<double>(x.cols) / 2.0;
    parallel_ranges(x.cols, 1, operations, [&](index_t begin, index_t end) {
        for (index_t j = begin; j < end; ++j) {
            f(j);
        }
    });
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

#define RESIDUA_INSTANTIATE(...)                                                                              \
    template void combine_entries(const host_executor&, const char*, matrix_view<host_executor, __VA_ARGS__>, \
                                  const entry_term<host_executor, __VA_ARGS__>&,                              \
                                  const entry_term<host_executor, __VA_ARGS__>*, const diagonals&);           \
    template void solve_columns(const host_executor&, uplo, diag, in_matrix<host_executor, __VA_ARGS__>,      \
                                matrix_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

#define RESIDUA_INSTANTIATE_LONG(Exec, T)                                                                     \
    template void combine_entries(const Exec&, const char*, matrix_view<Exec, T>, const entry_term<Exec, T>&, \
                                  const entry_term<Exec, T>*, const diagonals&);                              \
    template void solve_columns(const Exec&, uplo, diag, in_matrix<Exec, T>, matrix_view<Exec, T>);
#define RESIDUA_INSTANTIATE_ON(Exec)           \
    RESIDUA_INSTANTIATE_LONG(Exec, multidigit) \
    RESIDUA_INSTANTIATE_LONG(Exec, rns)
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE_ON)

}  // namespace residua::blas::detail
