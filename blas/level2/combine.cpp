#include <residua/blas/level2/combine.hpp>

#include <algorithm>

#include <residua/blas/base/elementwise.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level2/combine_elements.hpp>

namespace residua::blas::detail {
namespace {

/// What a column of entries is made of, where rows are neighbours: w <- first, first + b z or x + d z; first is x, a x,
/// d x or |x|.
template <class T>
struct column_operands {
    T a{1.0}, b{1.0};
    vector_view<host_executor, const T> x, d, z;
    vector_view<host_executor, T> w;
};

enum class first_term : std::uint8_t { plain, scaled, shifted, multiplied, magnitude, beside_multiplied };

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
            if constexpr (First == first_term::beside_multiplied) {
                return axpy_element(d, z, v);
            } else if constexpr (Adds) {
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
        case first_term::beside_multiplied:
            return combine_column<T, first_term::beside_multiplied, true>(o);
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
    const bool second_by_row = f.adds && f.second.kind == multiplier::entry && f.second.by.row != 0;
    if (f.first.x.row != 1 || (by_row && (f.first.by.row != 1 || f.adds)) || (f.adds && f.second.x.row != 1) ||
        (second_by_row && (f.second.by.row != 1 || f.first.kind != multiplier::none)) ||
        (f.adds && f.first.kind == multiplier::magnitude)) {
        return false;
    }
    column_operands<T> o;
    o.x = o.d = o.z = of(f.first.x);
    o.w = f.to.column(j).part(lo, hi);
    first_term first = second_by_row                           ? first_term::beside_multiplied
                       : by_row                                ? first_term::multiplied
                       : f.first.kind == multiplier::magnitude ? first_term::magnitude
                       : f.first.kind == multiplier::none      ? first_term::plain
                                                               : first_term::scaled;
    if (by_row || second_by_row) {
        o.d = of(by_row ? f.first.by : f.second.by);
    } else if (first == first_term::scaled) {
        o.a = f.first.kind == multiplier::entry ? number_at(f.first.by, lo, j) : f.first.number;
        first = f.first.kind == multiplier::number && is_power_of_two(o.a) ? first_term::shifted : first;
    }
    if (f.adds) {
        o.b = f.second.kind == multiplier::entry && !second_by_row ? number_at(f.second.by, lo, j) : f.second.number;
        o.z = of(f.second.x);
    }
    combine_column(first, f.adds, o);
    return true;
}

}  // namespace

template <number T>
void combine_entries(const host_executor&, const char*, const entry_sum<host_executor, T>& sum)
{
    const combine_numbers<host_executor, T> f{sum};
    const matrix_view<host_executor, T>& to = sum.to;
    const diagonals& of = sum.of;
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

#define RESIDUA_INSTANTIATE(...)                                                                                    \
    template void combine_entries(const host_executor&, const char*, const entry_sum<host_executor, __VA_ARGS__>&); \
    template void solve_columns(const host_executor&, uplo, diag, in_matrix<host_executor, __VA_ARGS__>,            \
                                matrix_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas::detail
