#include <residua/solvers/space/native_blocks.hpp>

#include <algorithm>
#include <cmath>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/simd.hpp>
#include <residua/solvers/space/block_product.hpp>

extern "C" {
void dgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
void dtrsm_(const char* side, const char* triangle, const char* op, const char* diagonal, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
}

namespace residua::detail {
namespace {

/// y <- y - a x
inline __attribute__((always_inline)) void subtract_multiple(index_t n, double a, const double* x, double* y)
{
#pragma omp simd
    for (index_t i = 0; i < n; ++i) {
        y[i] -= x[i] * a;
    }
}

inline __attribute__((always_inline)) void scale(index_t n, double a, double* x)
{
#pragma omp simd
    for (index_t i = 0; i < n; ++i) {
        x[i] *= a;
    }
}

constexpr index_t columns_of_piece = 128;
constexpr double least_blas_operations = 2000.0;  // below these a plain loop is as fast

/// C <- C - A op(B)
void call_gemm(const char* op_b, native_block a, native_block b, native_block c)
{
    const int m = static_cast<int>(c.rows), n = static_cast<int>(c.cols), k = static_cast<int>(a.cols);
    const int lda = static_cast<int>(a.ld), ldb = static_cast<int>(b.ld), ldc = static_cast<int>(c.ld);
    const double minus_one = -1.0, one = 1.0;
    dgemm_("N", op_b, &m, &n, &k, &minus_one, a.data, &lda, b.data, &ldb, &one, c.data, &ldc);
}

double work(index_t m, index_t n, index_t k)
{
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

/// f(first column, columns) for pieces of `columns`.
template <class F>
void for_pieces(index_t columns, double operations, const F& f)
{
    blas::detail::parallel_ranges(columns, columns_of_piece, operations, [&](index_t from, index_t to) {
        for (index_t j = from; j < to; j += columns_of_piece) {
            f(j, std::min(columns_of_piece, to - j));
        }
    });
}

}  // namespace

void subtract(native_block l, native_block u, native_block c)
{
    const double operations = work(c.rows, c.cols, l.cols);
    if (operations < least_blas_operations) {
        blas::detail::run_simd<double>([&]() __attribute__((always_inline)) {
            for (index_t j = 0; j < c.cols; ++j) {
                for (index_t k = 0; k < l.cols; ++k) {
                    subtract_multiple(c.rows, u.data[j * u.ld + k], l.data + k * l.ld, c.data + j * c.ld);
                }
            }
        });
        return;
    }
    for_pieces(c.cols, operations, [&](index_t j, index_t columns) {
        call_gemm("N", l, block(u, 0, j, u.rows, columns), block(c, 0, j, c.rows, columns));
    });
}

void subtract_lower(native_block l, native_block c)
{
    if (c.cols == 0 || l.cols == 0) {
        return;
    }
    const double operations = work(c.rows, c.cols, l.cols);
    if (operations < least_blas_operations) {
        blas::detail::run_simd<double>([&]() __attribute__((always_inline)) {
            for (index_t j = 0; j < c.cols; ++j) {
                for (index_t k = 0; k < l.cols; ++k) {
                    const double* const l_k = l.data + k * l.ld + j;
                    subtract_multiple(c.rows - j, l_k[0], l_k, c.data + j * c.ld + j);
                }
            }
        });
        return;
    }
    for_pieces(c.cols, operations, [&](index_t j, index_t columns) {
        const index_t rows = c.rows - j;
        call_gemm("T", block(l, j, 0, rows, l.cols), block(l, j, 0, columns, l.cols), block(c, j, j, rows, columns));
    });
}

void subtract_lower(native_block l, native_block v, native_block c)
{
    if (c.cols == 0 || l.cols == 0) {
        return;
    }
    const double operations = work(c.rows, c.cols, l.cols);
    if (operations < least_blas_operations) {
        blas::detail::run_simd<double>([&]() __attribute__((always_inline)) {
            for (index_t j = 0; j < c.cols; ++j) {
                for (index_t k = 0; k < l.cols; ++k) {
                    subtract_multiple(c.rows - j, v.data[j * v.ld + k], l.data + k * l.ld + j, c.data + j * c.ld + j);
                }
            }
        });
        return;
    }
    for_pieces(c.cols, operations, [&](index_t j, index_t columns) {
        const index_t rows = c.rows - j;
        call_gemm("N", block(l, j, 0, rows, l.cols), block(v, 0, j, v.rows, columns), block(c, j, j, rows, columns));
    });
}

void solve_unit_lower(native_block l, native_block x)
{
    const double operations = work(x.rows, x.rows, x.cols) / 2.0;
    if (operations < least_blas_operations) {
        blas::detail::run_simd<double>([&]() __attribute__((always_inline)) {
            for (index_t j = 0; j < x.cols; ++j) {
                double* const x_j = x.data + j * x.ld;
                for (index_t k = 0; k < x.rows; ++k) {
                    subtract_multiple(x.rows - k - 1, x_j[k], l.data + k * l.ld + k + 1, x_j + k + 1);
                }
            }
        });
        return;
    }
    for_pieces(x.cols, operations, [&](index_t j, index_t columns) {
        const int m = static_cast<int>(x.rows), n = static_cast<int>(columns);
        const int ldl = static_cast<int>(l.ld), ldx = static_cast<int>(x.ld);
        const double one = 1.0;
        dtrsm_("L", "L", "N", "U", &m, &n, &one, l.data, &ldl, x.data + j * x.ld, &ldx);
    });
}

void eliminate_column(native_block a)
{
    blas::detail::run_simd<double>([&]() __attribute__((always_inline)) {
        scale(a.rows - 1, 1.0 / a.data[0], a.data + 1);
        for (index_t j = 1; j < a.cols; ++j) {
            double* const a_j = a.data + j * a.ld;
            subtract_multiple(a.rows - 1, a_j[0], a.data + 1, a_j + 1);
        }
    });
}

void eliminate_definite_column(native_block a)
{
    blas::detail::run_simd<double>([&]() __attribute__((always_inline)) {
        a.data[0] = std::sqrt(a.data[0]);
        scale(a.rows - 1, 1.0 / a.data[0], a.data + 1);
        for (index_t j = 1; j < a.cols; ++j) {
            subtract_multiple(a.rows - j, a.data[j], a.data + j, a.data + j * a.ld + j);
        }
    });
}

void eliminate_symmetric_column(native_block a)
{
    blas::detail::run_simd<double>([&]() __attribute__((always_inline)) {
        const double inverse = 1.0 / a.data[0];
        for (index_t j = 1; j < a.cols; ++j) {
            subtract_multiple(a.rows - j, a.data[j] * inverse, a.data + j, a.data + j * a.ld + j);
        }
        scale(a.rows - 1, inverse, a.data + 1);
    });
}

void eliminate_symmetric_pair(native_block a)
{
    blas::detail::run_simd<double>([&]() __attribute__((always_inline)) {
        double* const first = a.data;
        double* const second = a.data + a.ld;
        const double beside = first[1], of_first = first[0] / beside, of_second = second[1] / beside;
        const double t = 1.0 / (of_first * of_second - 1.0) / beside;  // inverse(D) = [of_second, -1; -1, of_first] t
        for (index_t j = 2; j < a.cols; ++j) {
            const double x = t * (of_second * first[j] - second[j]), y = t * (of_first * second[j] - first[j]);
            double* const a_j = a.data + j * a.ld;
#pragma omp simd
            for (index_t i = j; i < a.rows; ++i) {
                a_j[i] = a_j[i] - first[i] * x - second[i] * y;
            }
        }
#pragma omp simd
        for (index_t i = 2; i < a.rows; ++i) {
            const double x = t * (of_second * first[i] - second[i]);
            second[i] = t * (of_first * second[i] - first[i]);
            first[i] = x;
        }
        second[0] = beside;
        first[1] = 0.0;
    });
}

}  // namespace residua::detail
