#pragma once

#include <concepts>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <residua/blas/dense/entries.hpp>
#include <residua/blas/dense/ge_norm.hpp>
#include <residua/blas/dense/rot.hpp>
#include <residua/blas/dense/symv.hpp>
#include <residua/blas/exact/gemm_exact.hpp>
#include <residua/blas/exact/gemv_exact.hpp>
#include <residua/blas/exact/spmv_exact.hpp>
#include <residua/blas/level1/asum.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/dot2.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/gemv2.hpp>
#include <residua/blas/level3/gemm.hpp>
#include <residua/blas/level3/gemm2.hpp>
#include <residua/blas/rns/split.hpp>
#include <residua/blas/slices/gemm_ozaki.hpp>
#include <residua/blas/slices/spmv_ozaki.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/spmv2.hpp>

#include "dense_rows.hpp"
#include "setting.hpp"

/// The table of the operations of `residua bench`. A row makes the case of its operation from a setting; the settings that it
/// takes are the formats and executors that the operation is there for. Its type says that without its body, so that a build
/// without CUDA knows what there is on a device.
namespace residua {

/// Double, or an expansion.
template <class T>
concept terms_format = !run_time_format<T>;

/// The rows, in the order of the help.
inline const auto& operation_table()
{
    constexpr index_t most_elements = index_t{1} << 40;
    constexpr index_t most_rows = index_t{1} << 20;
    constexpr index_t most_points = 46340;  // along a side: column numbers have 31 bits
    const std::vector<index_t> elements{100000, 1000000};
    const std::vector<index_t> rows{1000};
    const std::vector<index_t> square{500};
    const std::vector<index_t> cube{128};
    const std::vector<index_t> grid{256};
    static const std::tuple own{
        bench_row_of{{operation::dot, "dot", "x' y, n numbers each", formula::dot, way::sums, elements, most_elements},
                     []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                         return s.number_of(2.0, [](const Exec& on, auto x, auto y) { return blas::dot<T>(on, x, y); });
                     }},
        bench_row_of{{operation::dot2, "dot2", "x' y as if with twice the precision", formula::dot, way::twofold,
                      elements, most_elements},
                     []<class Exec>(const setting<Exec, double>& s) -> bench_case {
                         return s.number_of(2.0, [](const Exec& on, auto x, auto y) { return blas::dot2(on, x, y); });
                     }},
        bench_row_of{{operation::dot_exact, "dot_exact", "x' y, rounded once", formula::dot, way::exact, elements,
                      most_elements},
                     []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                         const auto result = s.make_vector(operand::y, 1);
                         const auto x = s.make_vector(operand::x, s.n);
                         const auto y = s.make_vector(operand::y, s.n);
                         return s.measured(
                             s.size(), 2.0 * s.size(),
                             [on = s.exec, x, y, result] {
                                 blas::dot_exact<T>(on, x->view(), y->view(), result->view());
                             },
                             result);
                     }},
        bench_row_of{{operation::dot_split, "dot_split", "dot by the kernels of [IKK20]", formula::dot, way::split,
                      elements, most_elements},
                     []<std::same_as<cuda_executor> Exec>(const setting<Exec, rns>& s) -> bench_case {
                         return s.number_of(2.0,
                                            [](const Exec& on, auto x, auto y) { return blas::dot_split(on, x, y); });
                     }},
        bench_row_of{
            {operation::asum, "asum", "the sum of all |x_i|", formula::asum, way::sums, elements, most_elements},
            []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                return s.number_of(1.0, [](const Exec& on, auto x, auto) { return blas::asum<T>(on, x); });
            }},
        bench_row_of{{operation::norm_inf, "norm_inf", "the largest |x_i|", formula::norm_inf, way::sums, elements,
                      most_elements},
                     []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                         return s.number_of(1.0, [](const Exec& on, auto x, auto) { return blas::norm_inf<T>(on, x); });
                     }},
        bench_row_of{{operation::axpy, "axpy", "y <- a x + y, n numbers each", formula::axpy, way::sums, elements,
                      most_elements},
                     []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                         return s.elements(3.0, [a = s.factor(operand::alpha)](const Exec& on, auto x, auto y) {
                             blas::axpy(on, a, x, y);
                         });
                     }},
        bench_row_of{{operation::axpy_split, "axpy_split", "axpy by the kernels of [IKK20]", formula::axpy, way::split,
                      elements, most_elements},
                     []<std::same_as<cuda_executor> Exec>(const setting<Exec, rns>& s) -> bench_case {
                         return s.elements(3.0, [a = s.factor(operand::alpha)](const Exec& on, auto x, auto y) {
                             blas::axpy_split(on, a, x, y);
                         });
                     }},
        bench_row_of{{operation::axpy_basic, "axpy_basic", "axpy by one thread a number", formula::axpy, way::basic,
                      elements, most_elements},
                     []<std::same_as<cuda_executor> Exec>(const setting<Exec, rns>& s) -> bench_case {
                         return s.elements(3.0, [a = s.factor(operand::alpha)](const Exec& on, auto x, auto y) {
                             blas::axpy_basic(on, a, x, y);
                         });
                     }},
        bench_row_of{{operation::add, "add", "w_i <- x_i + y_i, n numbers each", formula::add, way::sums, elements,
                      most_elements},
                     []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                         const auto w = s.make_vector(operand::y, s.n);
                         const auto x = s.make_vector(operand::x, s.n);
                         const auto y = s.make_vector(operand::y, s.n);
                         return s.measured(
                             s.size(), 3.0 * s.size(),
                             [on = s.exec, one = s.one(), x, y, w] {
                                 blas::waxpby(on, one, x->view(), one, y->view(), w->view());
                             },
                             w);
                     }},
        bench_row_of{
            {operation::mul, "mul", "y_i <- x_i y_i, n numbers each", formula::mul, way::sums, elements, most_elements},
            []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                return s.elements(3.0, [](const Exec& on, auto x, auto y) {
                    blas::ge_diag_scale<T>(on, blas::side::left, x,
                                           matrix_view<Exec, T>{y.start, y.size, 1, y.size, y.format});
                });
            }},
        bench_row_of{{operation::rot, "rot", "(x, y) <- (c x + s y, c y - s x), n numbers each", formula::rot,
                      way::sums, elements, most_elements},
                     []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                         const auto x = s.make_vector(operand::x, s.n);
                         const auto y = s.make_vector(operand::y, s.n);
                         return s.measured(
                             4.0 * s.size(), 4.0 * s.size(),
                             [on = s.exec, c = s.factor(operand::alpha), b = s.factor(operand::beta), x, y] {
                                 blas::rot<T>(on, c, b, x->view(), y->view());
                             },
                             x);
                     }},
        bench_row_of{{operation::gemv, "gemv", "y <- A x, A dense, n x n", formula::gemv, way::sums, rows, most_rows},
                     []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                         return s.row_sums([one = s.one(), zero = s.zero()](const Exec& on, auto a, auto x, auto y) {
                             blas::gemv<T>(on, blas::trans::no, one, a, x, zero, y);
                         });
                     }},
        bench_row_of{{operation::gemv_binary64, "gemv_binary64", "y <- A x, A dense, in binary64", formula::gemv,
                      way::sums, rows, most_rows},
                     []<class Exec, terms_format T> requires(number_traits<T>::terms > 1)(const setting<Exec, T>& s)
                         ->bench_case{return s.row_sums(s.make_binary64_matrix(operand::a, s.n, s.n), 8.0,
                                                        [](const Exec& on, auto a, auto x, auto y) {
                                                            blas::gemv<T>(on, blas::trans::no, T{1.0}, a, x, T{0.0}, y);
                                                        });
}
}  // namespace residua
,
    bench_row_of{
        {operation::gemv2, "gemv2", "y <- A x as if with twice the precision", formula::gemv, way::twofold, rows,
         most_rows},
        []<class Exec>(const setting<Exec, double>& s) -> bench_case {
            return s.row_sums([](const Exec& on, auto a, auto x, auto y) { blas::gemv2(on, 1.0, a, x, 0.0, y); });
        }},
    bench_row_of{
        {operation::gemv_exact, "gemv_exact", "y <- A x, each element rounded once", formula::gemv, way::exact, rows,
         most_rows},
        []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
            return s.row_sums([](const Exec& on, auto a, auto x, auto y) { blas::gemv_exact<T>(on, a, x, y); });
        }},
    bench_row_of{
        {operation::exact_matrix, "exact_matrix", "the same with integers of A made before", formula::gemv, way::exact,
         rows, most_rows},
        []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
            const auto a = s.make_matrix(operand::a);
            const auto integers = std::make_shared<blas::exact_matrix<Exec, T>>(s.exec, std::as_const(*a).view());
            return s.row_sums(a, s.numbers.bytes(),
                              [integers](const Exec& on, auto, auto x, auto y) { integers->multiply(on, x, y); });
        }},
    bench_row_of{{operation::gemv_split, "gemv_split", "gemv by the kernels of [IKK20]", formula::gemv, way::split,
                  rows, most_rows},
                 []<std::same_as<cuda_executor> Exec>(const setting<Exec, rns>& s) -> bench_case {
                     return s.row_sums([one = s.one(), zero = s.zero()](const Exec& on, auto a, auto x, auto y) {
                         blas::gemv_split(on, blas::trans::no, one, a, x, zero, y);
                     });
                 }},
    bench_row_of{{operation::gemv_basic, "gemv_basic", "gemv by one thread a number", formula::gemv, way::basic, rows,
                  most_rows},
                 []<std::same_as<cuda_executor> Exec>(const setting<Exec, rns>& s) -> bench_case {
                     return s.row_sums([one = s.one(), zero = s.zero()](const Exec& on, auto a, auto x, auto y) {
                         blas::gemv_basic(on, blas::trans::no, one, a, x, zero, y);
                     });
                 }},
    bench_row_of{
        {operation::symv, "symv", "y <- A x, of A one triangle is read", formula::symv, way::sums, rows, most_rows},
        []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
            return s.row_sums([one = s.one(), zero = s.zero()](const Exec& on, auto a, auto x, auto y) {
                blas::symv<T>(on, blas::uplo::lower, one, a, x, zero, y);
            });
        }},
    bench_row_of{{operation::ger, "ger", "A <- A + alpha x y', n x n", formula::ger, way::sums, square, most_rows},
                 []<class Exec>(const setting<Exec, rns>& s) -> bench_case {
                     return s.rank_one([alpha = s.factor(operand::alpha)](const Exec& on, auto x, auto y, auto a) {
                         blas::ger<rns>(on, alpha, x, y, a);
                     });
                 }},
    bench_row_of{{operation::ger_split, "ger_split", "ger by the kernels of [IKK20]", formula::ger, way::split, square,
                  most_rows},
                 []<std::same_as<cuda_executor> Exec>(const setting<Exec, rns>& s) -> bench_case {
                     return s.rank_one([alpha = s.factor(operand::alpha)](const Exec& on, auto x, auto y, auto a) {
                         blas::ger_split(on, alpha, x, y, a);
                     });
                 }},
    bench_row_of{
        {operation::geadd, "geadd", "C <- a A + b B, dense, n x n", formula::geadd, way::sums, square, most_rows},
        []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
            return s.matrices(
                2.0 * s.size() * s.size(),
                [alpha = s.factor(operand::alpha), beta = s.factor(operand::beta)](
                    const Exec& on, auto a, auto b, auto c) { blas::ge_add<T>(on, alpha, a, beta, b, c); });
        }},
    bench_row_of{{operation::geadd_split, "geadd_split", "geadd by the kernels of [IKK20]", formula::geadd, way::split,
                  square, most_rows},
                 []<std::same_as<cuda_executor> Exec>(const setting<Exec, rns>& s) -> bench_case {
                     return s.matrices(
                         2.0 * s.size() * s.size(),
                         [alpha = s.factor(operand::alpha), beta = s.factor(operand::beta)](
                             const Exec& on, auto a, auto b, auto c) { blas::ge_add_split(on, alpha, a, beta, b, c); });
                 }},
    bench_row_of{{operation::geadd_basic, "geadd_basic", "geadd by one thread a number", formula::geadd, way::basic,
                  square, most_rows},
                 []<std::same_as<cuda_executor> Exec>(const setting<Exec, rns>& s) -> bench_case {
                     return s.matrices(
                         2.0 * s.size() * s.size(),
                         [alpha = s.factor(operand::alpha), beta = s.factor(operand::beta)](
                             const Exec& on, auto a, auto b, auto c) { blas::ge_add_basic(on, alpha, a, beta, b, c); });
                 }},
    bench_row_of{
        {operation::ge_acc, "ge_acc", "B <- a A' + b B, dense, n x n", formula::ge_acc, way::sums, square, most_rows},
        []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
            return s.matrices(2.0 * s.size() * s.size(),
                              [alpha = s.factor(operand::alpha), beta = s.factor(operand::beta)](const Exec& on, auto a,
                                                                                                 auto, auto c) {
                                  blas::ge_acc<T>(on, blas::trans::yes, alpha, a, beta, c);
                              });
        }},
    bench_row_of{{operation::ge_diag_scale_cols, "ge_diag_scale_cols", "A <- A D, D a diagonal matrix, n x n",
                  formula::ge_scale, way::sums, square, most_rows},
                 []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                     const auto d = s.make_vector(operand::x, s.n);
                     return s.matrices(s.size() * s.size(), [d](const Exec& on, auto, auto, auto c) {
                         blas::ge_diag_scale<T>(on, blas::side::right, d->view(), c);
                     });
                 }},
    bench_row_of{{operation::ge_norm, "ge_norm", "the largest sum of a row of |A|, n x n", formula::ge_norm, way::sums,
                  square, most_rows},
                 []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                     const auto a = s.make_matrix(operand::a);
                     const double entries = s.size() * s.size();
                     return s.single(entries, entries, [on = s.exec, a] {
                         return blas::ge_norm<T>(on, blas::matrix_norm::infinity, a->view());
                     });
                 }},
    bench_row_of{{operation::gemm, "gemm", "C <- A B, dense, n x n", formula::gemm, way::sums, cube, most_rows},
                 []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                     return s.products([one = s.one(), zero = s.zero()](const Exec& on, auto a, auto b, auto c) {
                         blas::gemm<T>(on, blas::trans::no, blas::trans::no, one, a, b, zero, c);
                     });
                 }},
    bench_row_of{
        {operation::gemm2, "gemm2", "C <- A B as if with twice the precision", formula::gemm, way::twofold, cube,
         most_rows},
        []<class Exec>(const setting<Exec, double>& s) -> bench_case {
            return s.products([](const Exec& on, auto a, auto b, auto c) { blas::gemm2(on, 1.0, a, b, 0.0, c); });
        }},
    bench_row_of{{operation::gemm_ozaki, "gemm_ozaki", "C <- A B by slices, each element rounded once", formula::gemm,
                  way::slices, cube, most_rows},
                 []<class Exec>(const setting<Exec, double>& s) -> bench_case {
                     return s.products([](const Exec& on, auto a, auto b, auto c) { blas::gemm_ozaki(on, a, b, c); });
                 }},
    bench_row_of{
        {operation::gemm_exact, "gemm_exact", "C <- A B, n x n, each element rounded once", formula::gemm, way::exact,
         cube, most_rows},
        []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
            return s.products([](const Exec& on, auto a, auto b, auto c) { blas::gemm_exact<T>(on, a, b, c); });
        }},
    bench_row_of{{operation::spmv, "spmv", "y <- A x, A Poisson's matrix in binary64, 5 points, n x n grid",
                  formula::spmv, way::sums, grid, most_points},
                 []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
                     return s.template sparse<sliced_ell<host_executor, double>>(
                         [one = s.one(), zero = s.zero()](const Exec& on, const auto& a, auto x, auto y) {
                             blas::spmv(on, one, a, x, zero, y);
                         });
                 }},
    bench_row_of{
        {operation::spmv_csr, "spmv_csr", "spmv in compressed rows", formula::spmv, way::sums, grid, most_points},
        []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
            return s.template sparse<csr<host_executor, double>>(
                [one = s.one(), zero = s.zero()](const Exec& on, const auto& a, auto x, auto y) {
                    blas::spmv(on, one, a, x, zero, y);
                });
        }},
    bench_row_of{{operation::spmv2, "spmv2", "spmv as if with twice the precision", formula::spmv, way::twofold, grid,
                  most_points},
                 []<class Exec>(const setting<Exec, double>& s) -> bench_case {
                     return s.template sparse<sliced_ell<host_executor, double>>(
                         [](const Exec& on, const auto& a, auto x, auto y) { blas::spmv2(on, 1.0, a, x, 0.0, y); });
                 }},
    bench_row_of{{operation::spmv_ozaki, "spmv_ozaki", "spmv by slices, each element rounded once", formula::spmv,
                  way::slices, grid, most_points},
                 []<class Exec>(const setting<Exec, double>& s) -> bench_case {
                     return s.template sparse<sliced_ell<host_executor, double>>(
                         [](const Exec& on, const auto& a, auto x, auto y) { blas::spmv_ozaki(on, a, x, y); });
                 }},
    bench_row_of{{operation::spmm_ozaki, "spmm_ozaki", "the same with four vectors at a time", formula::spmm,
                  way::slices, grid, most_points},
                 []<class Exec>(const setting<Exec, double>& s) -> bench_case {
                     const index_t length = s.n * s.n;
                     return s.template sparse<sliced_ell<host_executor, double>>(
                         static_cast<double>(spmm_columns), s.make_binary64_matrix(operand::b, length, spmm_columns),
                         s.make_binary64_matrix(operand::b, length, spmm_columns),
                         [](const Exec& on, const auto& a, auto x, auto y) { blas::spmm_ozaki(on, a, x, y); });
                 }},
    bench_row_of
{
    {operation::spmv_exact,
     "spmv_exact",
     "spmv, each element rounded once",
     formula::spmv,
     way::exact,
     grid,
     most_points},
        []<class Exec, class T>(const setting<Exec, T>& s) -> bench_case {
            return s.template sparse<sliced_ell<host_executor, double>>(
                [](const Exec& on, const auto& a, auto x, auto y) { blas::spmv_exact<T>(on, a, x, y); });
        }
}
}
;
static const auto table = std::tuple_cat(own, dense_rows());
return table;
}

}  // namespace residua
