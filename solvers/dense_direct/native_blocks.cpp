#include <residua/solvers/dense_direct/native_blocks.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/simd.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/dense_direct/block_product.hpp>

extern "C" {
void dgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
void sgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
            const int* ldc);
void dtrsm_(const char* side, const char* triangle, const char* op, const char* diagonal, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
void strsm_(const char* side, const char* triangle, const char* op, const char* diagonal, const int* m, const int* n,
            const float* alpha, const float* a, const int* lda, float* b, const int* ldb);
}

namespace residua::detail {
namespace {

/// y <- y - a x
template <class T>
inline __attribute__((always_inline)) void subtract_multiple(index_t n, T a, const T* x, T* y)
{
#pragma omp simd
    for (index_t i = 0; i < n; ++i) {
        y[i] -= x[i] * a;
    }
}

template <class T>
inline __attribute__((always_inline)) void scale(index_t n, T a, T* x)
{
#pragma omp simd
    for (index_t i = 0; i < n; ++i) {
        x[i] *= a;
    }
}

constexpr index_t columns_of_piece = 128;
constexpr double least_blas_operations = 2000.0;  // below these a plain loop is as fast

/// C <- C - A op(B)
template <class T>
void call_gemm(const char* op_b, native_block<T> a, native_block<T> b, native_block<T> c)
{
    const int m = static_cast<int>(c.rows), n = static_cast<int>(c.cols), k = static_cast<int>(a.cols);
    const int lda = static_cast<int>(a.ld), ldb = static_cast<int>(b.ld), ldc = static_cast<int>(c.ld);
    const T minus_one = -1, one = 1;
    if constexpr (std::same_as<T, double>) {
        dgemm_("N", op_b, &m, &n, &k, &minus_one, a.data(), &lda, b.data(), &ldb, &one, c.data(), &ldc);
    } else {
        sgemm_("N", op_b, &m, &n, &k, &minus_one, a.data(), &lda, b.data(), &ldb, &one, c.data(), &ldc);
    }
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
            io::ask_for_stop();
            f(j, std::min(columns_of_piece, to - j));
        }
    });
}

}  // namespace

template <native_number T>
void subtract(native_block<T> l, native_block<T> u, native_block<T> c)
{
    const double operations = work(c.rows, c.cols, l.cols);
    if (operations < least_blas_operations) {
        blas::detail::run_simd([&]() __attribute__((always_inline)) {
            for (index_t j = 0; j < c.cols; ++j) {
                for (index_t k = 0; k < l.cols; ++k) {
                    subtract_multiple(c.rows, u.data()[j * u.ld + k], l.data() + k * l.ld, c.data() + j * c.ld);
                }
            }
        });
        return;
    }
    for_pieces(c.cols, operations, [&](index_t j, index_t columns) {
        call_gemm("N", l, u.block(0, j, u.rows, columns), c.block(0, j, c.rows, columns));
    });
}

template <native_number T>
void subtract_lower(native_block<T> l, native_block<T> c)
{
    if (c.cols == 0 || l.cols == 0) {
        return;
    }
    const double operations = work(c.rows, c.cols, l.cols);
    if (operations < least_blas_operations) {
        blas::detail::run_simd([&]() __attribute__((always_inline)) {
            for (index_t j = 0; j < c.cols; ++j) {
                for (index_t k = 0; k < l.cols; ++k) {
                    const T* const l_k = l.data() + k * l.ld + j;
                    subtract_multiple(c.rows - j, l_k[0], l_k, c.data() + j * c.ld + j);
                }
            }
        });
        return;
    }
    for_pieces(c.cols, operations, [&](index_t j, index_t columns) {
        const index_t rows = c.rows - j;
        call_gemm("T", l.block(j, 0, rows, l.cols), l.block(j, 0, columns, l.cols), c.block(j, j, rows, columns));
    });
}

template <native_number T>
void subtract_lower(native_block<T> l, native_block<T> v, native_block<T> c)
{
    if (c.cols == 0 || l.cols == 0) {
        return;
    }
    const double operations = work(c.rows, c.cols, l.cols);
    if (operations < least_blas_operations) {
        blas::detail::run_simd([&]() __attribute__((always_inline)) {
            for (index_t j = 0; j < c.cols; ++j) {
                for (index_t k = 0; k < l.cols; ++k) {
                    subtract_multiple(c.rows - j, v.data()[j * v.ld + k], l.data() + k * l.ld + j,
                                      c.data() + j * c.ld + j);
                }
            }
        });
        return;
    }
    for_pieces(c.cols, operations, [&](index_t j, index_t columns) {
        const index_t rows = c.rows - j;
        call_gemm("N", l.block(j, 0, rows, l.cols), v.block(0, j, v.rows, columns), c.block(j, j, rows, columns));
    });
}

template <native_number T>
void solve_unit_lower(native_block<T> l, native_block<T> x)
{
    const double operations = work(x.rows, x.rows, x.cols) / 2.0;
    if (operations < least_blas_operations) {
        blas::detail::run_simd([&]() __attribute__((always_inline)) {
            for (index_t j = 0; j < x.cols; ++j) {
                T* const x_j = x.data() + j * x.ld;
                for (index_t k = 0; k < x.rows; ++k) {
                    subtract_multiple(x.rows - k - 1, x_j[k], l.data() + k * l.ld + k + 1, x_j + k + 1);
                }
            }
        });
        return;
    }
    for_pieces(x.cols, operations, [&](index_t j, index_t columns) {
        const int m = static_cast<int>(x.rows), n = static_cast<int>(columns);
        const int ldl = static_cast<int>(l.ld), ldx = static_cast<int>(x.ld);
        const T one = 1;
        if constexpr (std::same_as<T, double>) {
            dtrsm_("L", "L", "N", "U", &m, &n, &one, l.data(), &ldl, x.data() + j * x.ld, &ldx);
        } else {
            strsm_("L", "L", "N", "U", &m, &n, &one, l.data(), &ldl, x.data() + j * x.ld, &ldx);
        }
    });
}

template <native_number T>
index_t first_column_out_of_range(native_block<T> a, bool lower)
{
    std::atomic<index_t> first = a.cols;
    blas::detail::parallel_ranges(a.cols, 1, work(a.rows, a.cols, 1), [&](index_t from, index_t to) {
        blas::detail::run_simd([&]() __attribute__((always_inline)) {
            for (index_t j = from; j < std::min(to, first.load()); ++j) {
                const T* const a_j = a.data() + j * a.ld;
                T sum{0};
#pragma omp simd reduction(+ : sum)
                for (index_t i = lower ? j : 0; i < a.rows; ++i) {
                    sum += T{0} * a_j[i];
                }
                if (!(sum == T{0})) {
                    for (index_t known = first; j < known && !first.compare_exchange_weak(known, j);) {
                    }
                }
            }
        });
    });
    return first < a.cols ? first.load() : -1;
}

template <native_number T>
void eliminate_column(native_block<T> a)
{
    blas::detail::run_simd([&]() __attribute__((always_inline)) {
        scale(a.rows - 1, T{1} / a.data()[0], a.data() + 1);
        for (index_t j = 1; j < a.cols; ++j) {
            T* const a_j = a.data() + j * a.ld;
            subtract_multiple(a.rows - 1, a_j[0], a.data() + 1, a_j + 1);
        }
    });
}

template <native_number T>
void subtract_complex_multiple(index_t n, T re, T im, const T* x_re, const T* x_im, T* y_re, T* y_im)
{
    blas::detail::run_simd([&]() __attribute__((always_inline)) {
#pragma omp simd
        for (index_t i = 0; i < n; ++i) {
            const T p = x_re[i], q = x_im[i];
            y_re[i] = y_re[i] - re * p + im * q;
            y_im[i] = y_im[i] - re * q - im * p;
        }
    });
}

template <native_number T>
void eliminate_definite_column(native_block<T> a)
{
    blas::detail::run_simd([&]() __attribute__((always_inline)) {
        a.data()[0] = std::sqrt(a.data()[0]);
        scale(a.rows - 1, T{1} / a.data()[0], a.data() + 1);
        for (index_t j = 1; j < a.cols; ++j) {
            subtract_multiple(a.rows - j, a.data()[j], a.data() + j, a.data() + j * a.ld + j);
        }
    });
}

template <native_number T>
void eliminate_symmetric_column(native_block<T> a)
{
    blas::detail::run_simd([&]() __attribute__((always_inline)) {
        const T inverse = T{1} / a.data()[0];
        for (index_t j = 1; j < a.cols; ++j) {
            subtract_multiple(a.rows - j, a.data()[j] * inverse, a.data() + j, a.data() + j * a.ld + j);
        }
        scale(a.rows - 1, inverse, a.data() + 1);
    });
}

template <native_number T>
void eliminate_symmetric_pair(native_block<T> a)
{
    blas::detail::run_simd([&]() __attribute__((always_inline)) {
        T* const first = a.data();
        T* const second = a.data() + a.ld;
        const T beside = first[1], of_first = first[0] / beside, of_second = second[1] / beside;
        const T t = T{1} / (of_first * of_second - T{1}) / beside;  // inverse(D) = [of_second, -1; -1, of_first] t
        for (index_t j = 2; j < a.cols; ++j) {
            const T x = t * (of_second * first[j] - second[j]), y = t * (of_first * second[j] - first[j]);
            T* const a_j = a.data() + j * a.ld;
#pragma omp simd
            for (index_t i = j; i < a.rows; ++i) {
                a_j[i] = a_j[i] - first[i] * x - second[i] * y;
            }
        }
#pragma omp simd
        for (index_t i = 2; i < a.rows; ++i) {
            const T x = t * (of_second * first[i] - second[i]);
            second[i] = t * (of_first * second[i] - first[i]);
            first[i] = x;
        }
        second[0] = beside;
        first[1] = T{0};
    });
}

#define RESIDUA_INSTANTIATE(...)                                                                                       \
    template void subtract(native_block<__VA_ARGS__>, native_block<__VA_ARGS__>, native_block<__VA_ARGS__>);           \
    template void subtract_lower(native_block<__VA_ARGS__>, native_block<__VA_ARGS__>);                                \
    template void subtract_lower(native_block<__VA_ARGS__>, native_block<__VA_ARGS__>, native_block<__VA_ARGS__>);     \
    template void solve_unit_lower(native_block<__VA_ARGS__>, native_block<__VA_ARGS__>);                              \
    template index_t first_column_out_of_range(native_block<__VA_ARGS__>, bool);                                       \
    template void eliminate_column(native_block<__VA_ARGS__>);                                                         \
    template void subtract_complex_multiple(index_t, __VA_ARGS__, __VA_ARGS__, const __VA_ARGS__*, const __VA_ARGS__*, \
                                            __VA_ARGS__*, __VA_ARGS__*);                                               \
    template void eliminate_definite_column(native_block<__VA_ARGS__>);                                                \
    template void eliminate_symmetric_column(native_block<__VA_ARGS__>);                                               \
    template void eliminate_symmetric_pair(native_block<__VA_ARGS__>);
RESIDUA_INSTANTIATE(double)
RESIDUA_INSTANTIATE(float)

}  // namespace residua::detail
