#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include <residua/blas/dense/axpy_dot.hpp>
#include <residua/blas/dense/entries.hpp>
#include <residua/blas/dense/syrk.hpp>
#include <residua/blas/dense/trmv.hpp>
#include <residua/blas/dense/trsm.hpp>

#include "setting.hpp"

namespace residua {

/// An operation, and what makes a case of it from a setting.
template <class Make>
struct bench_row_of {
    bench_operation operation;
    Make make;
};
template <class Make>
bench_row_of(bench_operation, Make) -> bench_row_of<Make>;

/// Rows of table.hpp: operations of the BLAS that every format has by one text.
inline auto dense_rows()
{
    constexpr index_t most_elements = index_t{1} << 40;
    constexpr index_t most_rows = index_t{1} << 20;
    const std::vector<index_t> elements{100000, 1000000};
    const std::vector<index_t> rows{1000};
    const std::vector<index_t> square{500};
    const std::vector<index_t> cube{128};
    return std::tuple{
        bench_row_of{{operation::axpy_dot, "axpy_dot", "y <- a x + y, then y' x, n numbers each", formula::axpy_dot,
                      way::sums, elements, most_elements},
                     []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                         return s.number_of(2.0, [a = s.factor(operand::alpha)](const Exec& on, auto x, auto y) {
                             return blas::axpy_dot<T>(on, a, x, y, x);
                         });
                     }},
        bench_row_of{
            {operation::trmv, "trmv", "y <- T y, T a lower triangle, n x n", formula::trmv, way::sums, rows, most_rows},
            []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                return s.row_sums([](const Exec& on, auto a, auto, auto y) {
                    blas::trmv<T>(on, blas::uplo::lower, blas::trans::no, blas::diag::non_unit, a, y);
                });
            }},
        bench_row_of{{operation::ge_lrscale, "ge_lrscale", "A <- D A E, D and E diagonal matrices, n x n",
                      formula::ge_lrscale, way::sums, square, most_rows},
                     []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                         const auto d = s.make_vector(operand::x, s.n);
                         const auto e = s.make_vector(operand::y, s.n);
                         return s.matrices(2.0 * s.size() * s.size(), [d, e](const Exec& on, auto, auto, auto c) {
                             blas::ge_lrscale<T>(on, d->view(), e->view(), c);
                         });
                     }},
        bench_row_of{{operation::syr, "syr", "A <- A + alpha x x', a lower triangle, n x n", formula::syr, way::sums,
                      square, most_rows},
                     []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                         return s.rank_one([alpha = s.factor(operand::alpha)](const Exec& on, auto x, auto, auto a) {
                             blas::syr<T>(on, blas::uplo::lower, alpha, x, a);
                         });
                     }},
        bench_row_of{
            {operation::syrk, "syrk", "C <- A A', a lower triangle, n x n", formula::syrk, way::sums, cube, most_rows},
            []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                return s.matrices(0.5 * s.size() * s.size() * s.size(),
                                  [one = s.one(), zero = s.zero()](const Exec& on, auto a, auto, auto c) {
                                      blas::syrk<T>(on, blas::uplo::lower, blas::trans::no, one, a, zero, c);
                                  });
            }},
        bench_row_of{{operation::trsm, "trsm", "X <- inverse(T) B', T a lower triangle, n x n", formula::trsm,
                      way::sums, cube, most_rows},
                     []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                         const auto t = s.make_matrix(operand::a, dominant_diagonal(s.n));
                         return s.matrices(0.5 * s.size() * s.size() * s.size(),
                                           [t, one = s.one()](const Exec& on, auto, auto b, auto x) {
                                               blas::transpose<T>(on, b, x);
                                               blas::trsm<T>(on, blas::side::left, blas::uplo::lower, blas::trans::no,
                                                             blas::diag::non_unit, one, std::as_const(*t).view(), x);
                                           });
                     }}};
}

}  // namespace residua
