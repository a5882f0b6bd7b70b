#include <residua/blas/dense/combine.hpp>

#include <algorithm>

#include <residua/blas/base/elementwise.hpp>
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

/// What a column of entries is made of, where rows are neighbours: w <- first, or first + b z; first is x, a x, d x or |x|.
template <class T>
struct column_operands {
    T a{1.0}, b{1.0};
    vector_view<host_executor, const T> x, d, z;
    vector_view<host_executor, T> w;
};

enum class first_term : std::uint8_t { plain, scaled, shifted, multiplied, magnitude };

/// SIMD over the rows of a column, with the bits of combine_numbers.
template <class T, first_term First, bool Adds>
void combine_column(const column_operands<T>& o)
{
    elementwise<T>(
        2.0 * multiply_add_operations<T>,
        [ a = o.a, b = o.b ](const T& x, const T& d, const T& z) __attribute__((always_inline)) {
            T v = x;
            if constexpr (First == first_term::scaled) {
                v = a * x;
            } else if constexpr (First == first_term::multiplied) {
                v = d * x;
            } else if constexpr (First == first_term::magnitude) {
                v = magnitude_of(x);
            } else if constexpr (First == first_term::shifted) {  // by a power of two
                residua::detail::unroll<number_traits<T>::terms>([&](int k) __attribute__((always_inline)) {
                    term(v, k) = term(v, k) * term(a, 0);
                });
            }
            if constexpr (Adds) {
                return axpy_element(b, z, v);
            } else {
                return v;
            }
        },
        o.w, o.x, o.d, o.z);
}

template <class T>
void combine_column(first_term first, bool adds, const column_operands<T>& o)
{
    switch (first) {
        case first_term::plain:
            return adds ? combine_column<T, first_term::plain, true>(o)
                        : combine_column<T, first_term::plain, false>(o);
        case first_term::scaled:
            return adds ? combine_column<T, first_term::scaled, true>(o)
                        : combine_column<T, first_term::scaled, false>(o);
        case first_term::shifted:
            return adds ? combine_column<T, first_term::shifted, true>(o)
                        : combine_column<T, first_term::shifted, false>(o);
        case first_term::multiplied:
            return combine_column<T, first_term::multiplied, false>(o);
        case first_term::magnitude:
            return combine_column<T, first_term::magnitude, false>(o);
    }
}

/// Rows lo, ..., hi - 1 of column j. Returns false where rows are no neighbours, or two factors differ from row to row.
template <class T>
bool combine_rows(const combine_numbers<host_executor, T>& f, index_t j, index_t lo, index_t hi)
{
    const auto of = [&](const entry_places<T>& p) {
        return vector_view<host_executor, const T>(p.start.from(lo * p.row + j * p.col), hi - lo);
    };
    const bool by_row = f.first.kind == multiplier::entry && f.first.by.row != 0;
    if (f.first.x.row != 1 || (by_row && (f.first.by.row != 1 || f.adds)) ||
        (f.adds && (f.second.x.row != 1 || (f.second.kind == multiplier::entry && f.second.by.row != 0))) ||
        (f.adds && f.first.kind == multiplier::magnitude)) {
        return false;
    }
    column_operands<T> o;
    o.x = o.d = o.z = of(f.first.x);
    o.w = f.to.column(j).part(lo, hi);
    first_term first = by_row                                  ? first_term::multiplied
                       : f.first.kind == multiplier::magnitude ? first_term::magnitude
                       : f.first.kind == multiplier::none      ? first_term::plain
                                                               : first_term::scaled;
    if (by_row) {
        o.d = of(f.first.by);
    } else if (first == first_term::scaled) {
        o.a = f.first.kind == multiplier::entry ? number_at(f.first.by, lo, j) : f.first.number;
        first = f.first.kind == multiplier::number && is_power_of_two(o.a) ? first_term::shifted : first;
    }
    if (f.adds) {
        o.b = f.second.kind == multiplier::entry ? number_at(f.second.by, lo, j) : f.second.number;
        o.z = of(f.second.x);
    }
    combine_column(first, f.adds, o);
    return true;
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
    parallel_ranges(to.cols, 1, operations, [&](index_t begin, index_t end) {
        for (index_t j = begin; j < end; ++j) {
            const index_t lo = std::max<index_t>(0, of.least + j);
            const index_t hi = of.most < to.rows ? std::min(to.rows, of.most + j + 1) : to.rows;
            if (lo < hi && !combine_rows(f, j, lo, hi)) {
                for (index_t i = lo; i < hi; ++i) {
                    f.store(i, j);
                }
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
