#include <residua/solvers/dense_direct/binary64_columns.hpp>

#include <algorithm>
#include <cstring>

#include <residua/blas/base/simd.hpp>

namespace residua::detail {
namespace {

constexpr index_t lanes = 8;
constexpr index_t together = 4;         // columns that share the loads of a vector
constexpr index_t rows_of_tile = 1024;  // rows of one vector: a part that the first cache keeps
constexpr index_t rows_of_eight = 256;  // rows of eight vectors
constexpr index_t columns_of_tile = 32;

/// Eight numbers: of rows that follow one another, or of eight vectors.
using eight = double __attribute__((vector_size(8 * sizeof(double))));

inline __attribute__((always_inline)) void load(const double* from, eight& x) { std::memcpy(&x, from, sizeof x); }
inline __attribute__((always_inline)) void load(const float* from, eight& x)
{
    float narrow __attribute__((vector_size(8 * sizeof(float))));
    std::memcpy(&narrow, from, sizeof narrow);
    x = __builtin_convertvector(narrow, eight);
}
inline __attribute__((always_inline)) void store(const eight& x, double* to) { std::memcpy(to, &x, sizeof x); }

/// The numbers of one vector, or of eight.
template <index_t Width>
struct number_of;
template <>
struct number_of<1> {
    using type = double;
};
template <>
struct number_of<8> {
    using type = eight;
};
template <index_t Width>
using numbers = typename number_of<Width>::type;

template <index_t Width>
inline __attribute__((always_inline)) void load_numbers(const double* x, index_t i, numbers<Width>& to)
{
    std::memcpy(&to, x + i * Width, sizeof to);
}
template <index_t Width>
inline __attribute__((always_inline)) void store_numbers(const numbers<Width>& from, double* x, index_t i)
{
    std::memcpy(x + i * Width, &from, sizeof from);
}

/// y <- y - sum of a_q x_q for Count columns a_q, which lie `step` numbers apart, in their order.
template <index_t Count, class T>
inline __attribute__((always_inline)) void subtract_columns_1(index_t rows, const T* a, index_t step, const double* x,
                                                              index_t x_step, double* y)
{
    double factor[Count];
    for (index_t q = 0; q < Count; ++q) {
        factor[q] = x[q * x_step];
    }
#pragma omp simd
    for (index_t i = 0; i < rows; ++i) {
        double sum = y[i];
        for (index_t q = 0; q < Count; ++q) {
            sum -= static_cast<double>(a[q * step + i]) * factor[q];
        }
        y[i] = sum;
    }
}

template <index_t Count, class T>
inline __attribute__((always_inline)) void subtract_columns_8(index_t rows, const T* a, index_t step, const double* x,
                                                              index_t x_step, double* y)
{
    eight factor[Count];
    for (index_t q = 0; q < Count; ++q) {
        load(x + q * x_step * lanes, factor[q]);
    }
    for (index_t i = 0; i < rows; ++i) {
        eight sum;
        load(y + i * lanes, sum);
        for (index_t q = 0; q < Count; ++q) {
            sum -= static_cast<double>(a[q * step + i]) * factor[q];
        }
        store(sum, y + i * lanes);
    }
}

template <index_t Width, index_t Count, class T>
inline __attribute__((always_inline)) void subtract_columns(index_t rows, const T* a, index_t step, const double* x,
                                                            index_t x_step, double* y)
{
    if constexpr (Width == 1) {
        subtract_columns_1<Count>(rows, a, step, x, x_step, y);
    } else {
        subtract_columns_8<Count>(rows, a, step, x, x_step, y);
    }
}

/// y <- y - (((s_0 + s_4) + (s_1 + s_5)) + ((s_2 + s_6) + (s_3 + s_7)))
template <class T>
inline __attribute__((always_inline)) void subtract_sums(const T* s, T& y)
{
    y -= ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

/// y_q <- y_q - a_q' x for Count columns a_q, which lie ld numbers apart.
template <index_t Count, class T>
inline __attribute__((always_inline)) void subtract_dots_1(index_t rows, const T* a, index_t ld, const double* x,
                                                           double* y)
{
    eight sum[Count] = {};
    index_t i = 0;
    for (; i + lanes <= rows; i += lanes) {
        eight x_i;
        load(x + i, x_i);
        for (index_t q = 0; q < Count; ++q) {
            eight a_i;
            load(a + q * ld + i, a_i);
            sum[q] += a_i * x_i;
        }
    }
    for (index_t q = 0; q < Count; ++q) {
        double each[lanes];
        store(sum[q], each);
        for (index_t k = i; k < rows; ++k) {
            each[0] += static_cast<double>(a[q * ld + k]) * x[k];
        }
        subtract_sums(each, y[q]);
    }
}

/// Adds `rows` rows to the sums of Count columns. It is a multiple of eight, unless the rows are the last ones.
template <index_t Count, class T>
inline __attribute__((always_inline)) void add_products_8(index_t rows, const T* a, index_t ld, const double* x,
                                                          eight* sums)
{
    eight sum[Count * lanes];
    for (index_t k = 0; k < Count * lanes; ++k) {
        sum[k] = sums[k];
    }
    index_t i = 0;
    for (; i + lanes <= rows; i += lanes) {
        for (index_t l = 0; l < lanes; ++l) {
            eight x_i;
            load(x + (i + l) * lanes, x_i);
            for (index_t q = 0; q < Count; ++q) {
                sum[q * lanes + l] += static_cast<double>(a[q * ld + i + l]) * x_i;
            }
        }
    }
    for (; i < rows; ++i) {
        eight x_i;
        load(x + i * lanes, x_i);
        for (index_t q = 0; q < Count; ++q) {
            sum[q * lanes] += static_cast<double>(a[q * ld + i]) * x_i;
        }
    }
    for (index_t k = 0; k < Count * lanes; ++k) {
        sums[k] = sum[k];
    }
}

template <class T>
inline __attribute__((always_inline)) void subtract_dots_8(index_t rows, index_t cols, const T* a, index_t ld,
                                                           const double* x, double* y)
{
    eight sums[columns_of_tile * lanes];
    for (index_t j = 0; j < cols; j += columns_of_tile) {
        const index_t columns = std::min(columns_of_tile, cols - j);
        std::fill_n(sums, columns * lanes, eight{});
        for (index_t i = 0; i < rows; i += rows_of_eight) {
            const index_t tile = std::min(rows_of_eight, rows - i);
            const T* const a_i = a + j * ld + i;
            index_t q = 0;
            for (; q + 2 <= columns; q += 2) {
                add_products_8<2>(tile, a_i + q * ld, ld, x + i * lanes, sums + q * lanes);
            }
            if (q < columns) {
                add_products_8<1>(tile, a_i + q * ld, ld, x + i * lanes, sums + q * lanes);
            }
        }
        for (index_t q = 0; q < columns; ++q) {
            eight y_q;
            load(y + (j + q) * lanes, y_q);
            subtract_sums(sums + q * lanes, y_q);
            store(y_q, y + (j + q) * lanes);
        }
    }
}

template <index_t Width, class T>
inline __attribute__((always_inline)) void subtract_dots(index_t rows, index_t cols, const T* a, index_t ld,
                                                         const double* x, double* y)
{
    if constexpr (Width == 1) {
        index_t j = 0;
        for (; j + together <= cols; j += together) {
            subtract_dots_1<together>(rows, a + j * ld, ld, x, y + j);
        }
        for (; j < cols; ++j) {
            subtract_dots_1<1>(rows, a + j * ld, ld, x, y + j);
        }
    } else {
        subtract_dots_8(rows, cols, a, ld, x, y);
    }
}

template <index_t Width, class T>
inline __attribute__((always_inline)) void subtract_in(native_block<T> a, const double* x, double* y)
{
    constexpr index_t tile = Width == 1 ? rows_of_tile : rows_of_eight;
    for (index_t i = 0; i < a.rows; i += tile) {
        const index_t rows = std::min(tile, a.rows - i);
        const T* const a_i = a.data() + i;
        index_t j = 0;
        for (; j + together <= a.cols; j += together) {
            subtract_columns<Width, together>(rows, a_i + j * a.ld, a.ld, x + j * Width, 1, y + i * Width);
        }
        for (; j < a.cols; ++j) {
            subtract_columns<Width, 1>(rows, a_i + j * a.ld, a.ld, x + j * Width, 1, y + i * Width);
        }
    }
}

/// The columns of a triangle in the order in which its unknowns are found, four at a time, which begin at a multiple of four.
template <index_t Width, class T>
class triangle_solve {
public:
    blas::uplo triangle;
    bool divides;
    native_block<T> a;
    double* x;

    __attribute__((always_inline)) void run() const
    {
        const bool lower = triangle == blas::uplo::lower;
        for (index_t done = 0; done < a.cols;) {
            const index_t begin = lower ? done : (a.cols - done - 1) / together * together;
            const index_t end = lower ? std::min(done + together, a.cols) : a.cols - done;
            for (index_t k = 0; k < end - begin; ++k) {
                const index_t j = lower ? begin + k : end - 1 - k;
                finish(j);
                lower ? subtract_columns<Width, 1>(end - j - 1, at(j + 1, j), 0, x + j * Width, 0, x + (j + 1) * Width)
                      : subtract_columns<Width, 1>(j - begin, at(begin, j), 0, x + j * Width, 0, x + begin * Width);
            }
            if (end - begin < together) {
                for (index_t k = 0; k < end - begin; ++k) {
                    const index_t j = lower ? begin + k : end - 1 - k;
                    lower ? subtract_columns<Width, 1>(a.cols - end, at(end, j), 0, x + j * Width, 0, x + end * Width)
                          : subtract_columns<Width, 1>(begin, at(0, j), 0, x + j * Width, 0, x);
                }
            } else if (lower) {
                subtract_columns<Width, together>(a.cols - end, at(end, begin), a.ld, x + begin * Width, 1,
                                                  x + end * Width);
            } else {
                subtract_columns<Width, together>(begin, at(0, end - 1), -a.ld, x + (end - 1) * Width, -1, x);
            }
            done += end - begin;
        }
    }

    __attribute__((always_inline)) void run_transposed() const
    {
        const bool lower = triangle == blas::uplo::lower;
        for (index_t done = 0; done < a.cols;) {
            const index_t begin = lower ? (a.cols - done - 1) / together * together : done;
            const index_t end = lower ? a.cols - done : std::min(done + together, a.cols);
            lower ? subtract_dots<Width>(a.cols - end, end - begin, at(end, begin), a.ld, x + end * Width,
                                         x + begin * Width)
                  : subtract_dots<Width>(begin, end - begin, at(0, begin), a.ld, x, x + begin * Width);
            for (index_t k = 0; k < end - begin; ++k) {
                const index_t j = lower ? end - 1 - k : begin + k;
                for (index_t found = 0; found < k; ++found) {
                    const index_t i = lower ? end - 1 - found : begin + found;
                    numbers<Width> x_i, x_j;
                    load_numbers<Width>(x, i, x_i);
                    load_numbers<Width>(x, j, x_j);
                    x_j -= static_cast<double>(*at(i, j)) * x_i;
                    store_numbers<Width>(x_j, x, j);
                }
                finish(j);
            }
            done += end - begin;
        }
    }

private:
    __attribute__((always_inline)) const T* at(index_t i, index_t j) const { return a.data() + j * a.ld + i; }
    __attribute__((always_inline)) void finish(index_t j) const
    {
        if (divides) {
            numbers<Width> x_j;
            load_numbers<Width>(x, j, x_j);
            x_j /= static_cast<double>(*at(j, j));
            store_numbers<Width>(x_j, x, j);
        }
    }
};

}  // namespace

template <native_number T>
void subtract(native_block<T> a, binary64_columns x, binary64_columns y)
{
    blas::detail::run_simd([&]() __attribute__((always_inline)) {
        x.width == 1 ? subtract_in<1>(a, x.data, y.data) : subtract_in<8>(a, x.data, y.data);
    });
}

template <native_number T>
void subtract_transposed(native_block<T> a, binary64_columns x, binary64_columns y)
{
    blas::detail::run_simd([&]() __attribute__((always_inline)) {
        x.width == 1 ? subtract_dots<1>(a.rows, a.cols, a.data(), a.ld, x.data, y.data)
                     : subtract_dots<8>(a.rows, a.cols, a.data(), a.ld, x.data, y.data);
    });
}

template <native_number T>
void solve_triangle(blas::uplo triangle, blas::diag diagonal, bool transposed, native_block<T> a, binary64_columns x)
{
    const bool divides = diagonal == blas::diag::non_unit;
    blas::detail::run_simd([&]() __attribute__((always_inline)) {
        const triangle_solve<1, T> one{triangle, divides, a, x.data};
        const triangle_solve<8, T> all{triangle, divides, a, x.data};
        if (x.width == 1) {
            transposed ? one.run_transposed() : one.run();
        } else {
            transposed ? all.run_transposed() : all.run();
        }
    });
}

#define RESIDUA_INSTANTIATE(...)                                                                      \
    template void subtract(native_block<__VA_ARGS__>, binary64_columns, binary64_columns);            \
    template void subtract_transposed(native_block<__VA_ARGS__>, binary64_columns, binary64_columns); \
    template void solve_triangle(blas::uplo, blas::diag, bool, native_block<__VA_ARGS__>, binary64_columns);
RESIDUA_INSTANTIATE(double)
RESIDUA_INSTANTIATE(float)

}  // namespace residua::detail
