#include <residua/blas/exact/residue_gemm.hpp>

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/parallel.hpp>

namespace residua::blas::detail {
namespace {

constexpr index_t depth = 256;         // terms at a time: a strip of B stays in the first cache
constexpr index_t rows_at_once = 192;  // of A, whose strips of `depth` terms stay in the second cache

/// Computes a tile of C from packed strips: element (r, q) is to[q * rows + r]. All sums are exact, fused or not.
struct portable_tile {
    static constexpr index_t rows = 4;
    static constexpr int cols = 4;

    static void multiply(index_t terms, const double* a, const double* b, double* to)
    {
        double sum[cols][rows] = {};
        for (index_t l = 0; l < terms; ++l) {
            for (int q = 0; q < cols; ++q) {
                for (int r = 0; r < rows; ++r) {
                    sum[q][r] += a[l * rows + r] * b[l * cols + q];
                }
            }
        }
        std::copy(&sum[0][0], &sum[0][0] + rows * cols, to);
    }
};

#if defined(__x86_64__)
struct avx2_tile {
    static constexpr int lanes = 4;
    static constexpr int vectors = 3;
    static constexpr index_t rows = index_t{lanes} * vectors;
    static constexpr int cols = 4;

    __attribute__((target("avx2,fma"))) static void multiply(index_t terms, const double* a, const double* b,
                                                             double* to)
    {
        __m256d sum[cols][vectors];
        for (auto& column : sum) {
            std::fill(column, column + vectors, _mm256_setzero_pd());
        }
        for (index_t l = 0; l < terms; ++l, a += rows, b += cols) {
            const __m256d x[vectors] = {_mm256_loadu_pd(a), _mm256_loadu_pd(a + lanes), _mm256_loadu_pd(a + 2 * lanes)};
#pragma GCC unroll 4
            for (int q = 0; q < cols; ++q) {
                const __m256d y = _mm256_broadcast_sd(b + q);
#pragma GCC unroll 3
                for (int v = 0; v < vectors; ++v) {
                    sum[q][v] = _mm256_fmadd_pd(x[v], y, sum[q][v]);
                }
            }
        }
        for (int q = 0; q < cols; ++q) {
            for (int v = 0; v < vectors; ++v) {
                _mm256_storeu_pd(to + q * rows + v * lanes, sum[q][v]);
            }
        }
    }
};

struct avx512_tile {
    static constexpr int lanes = 8;
    static constexpr int vectors = 3;
    static constexpr index_t rows = index_t{lanes} * vectors;
    static constexpr int cols = 8;

    __attribute__((target("avx512f"))) static void multiply(index_t terms, const double* a, const double* b, double* to)
    {
        __m512d sum[cols][vectors];
#pragma GCC unroll 8
        for (int q = 0; q < cols; ++q) {
#pragma GCC unroll 3
            for (int v = 0; v < vectors; ++v) {
                sum[q][v] = _mm512_setzero_pd();
            }
        }
        for (index_t l = 0; l < terms; ++l, a += rows, b += cols) {
            const __m512d x[vectors] = {_mm512_loadu_pd(a), _mm512_loadu_pd(a + lanes), _mm512_loadu_pd(a + 2 * lanes)};
#pragma GCC unroll 8
            for (int q = 0; q < cols; ++q) {
                const __m512d y = _mm512_set1_pd(b[q]);
#pragma GCC unroll 3
                for (int v = 0; v < vectors; ++v) {
                    sum[q][v] = _mm512_fmadd_pd(x[v], y, sum[q][v]);
                }
            }
        }
#pragma GCC unroll 8
        for (int q = 0; q < cols; ++q) {
#pragma GCC unroll 3
            for (int v = 0; v < vectors; ++v) {
                _mm512_storeu_pd(to + q * rows + v * lanes, sum[q][v]);
            }
        }
    }
};
#endif

/// Packs rows of A in strips as high as a tile, term by term, with zeros for missing rows.
template <index_t Rows>
void pack_rows(const double* a, index_t lda, index_t rows, index_t terms, double* to)
{
    for (index_t i = 0; i < rows; i += Rows) {
        const index_t here = std::min(Rows, rows - i);
        for (index_t l = 0; l < terms; ++l, to += Rows) {
            const double* const from = a + i + l * lda;
            if (here == Rows) {  // this loop has a constant length
                for (index_t r = 0; r < Rows; ++r) {
                    to[r] = from[r];
                }
            } else {
                std::copy(from, from + here, to);
                std::fill(to + here, to + Rows, 0.0);
            }
        }
    }
}

/// Packs columns of B in strips as wide as a tile.
template <int Cols>
void pack_cols(const double* b, index_t ldb, index_t cols, index_t terms, double* to)
{
    for (index_t j = 0; j < cols; j += Cols) {
        for (index_t l = 0; l < terms; ++l) {
            for (int c = 0; c < Cols; ++c) {
                *to++ = j + c < cols ? b[l + (j + c) * ldb] : 0.0;
            }
        }
    }
}

/// C <- packed A times packed B, or C + packed A times packed B.
template <class Tile>
void multiply_block(index_t m, index_t n, index_t terms, const double* a, const double* b, bool adds, double* c,
                    index_t ldc)
{
    constexpr index_t rows = Tile::rows;
    constexpr int cols = Tile::cols;
    alignas(64) double product[rows * cols];
    for (index_t j = 0; j < n; j += cols) {
        for (index_t i = 0; i < m; i += rows) {
            Tile::multiply(terms, a + i * terms, b + j * terms, product);
            const index_t rows_here = std::min(rows, m - i);
            for (index_t q = 0; q < std::min<index_t>(cols, n - j); ++q) {
                double* const to = c + i + (j + q) * ldc;
                for (index_t r = 0; r < rows_here; ++r) {
                    to[r] = product[q * rows + r] + (adds ? to[r] : 0.0);
                }
            }
        }
    }
}

template <class Tile>
void multiply(index_t m, index_t n, index_t k, const double* a, index_t lda, const double* b, index_t ldb, bool adds,
              double* c, index_t ldc)
{
    constexpr index_t rows = Tile::rows;
    constexpr int cols = Tile::cols;
    const index_t strips_of_b = (n + cols - 1) / cols;
    const index_t terms_at_once = std::min(depth, k);
    buffer<host_executor, double> of_b(strips_of_b * cols * terms_at_once, {}, uninitialized{});
    const double operations = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(terms_at_once);
    for (index_t first = 0; first < k; first += depth) {
        const index_t terms = std::min(depth, k - first);
        parallel_ranges(strips_of_b, 1, static_cast<double>(n * terms), [&](index_t begin, index_t end) {
            pack_cols<cols>(b + first + begin * cols * ldb, ldb, std::min(n, end * cols) - begin * cols, terms,
                            of_b.data() + begin * cols * terms);
        });
        parallel_ranges(m, rows, operations, [&](index_t begin, index_t end) {
            buffer<host_executor, double> of_a(std::min(rows_at_once, (end - begin + rows - 1) / rows * rows) * terms,
                                               {}, uninitialized{});
            for (index_t i = begin; i < end; i += rows_at_once) {
                const index_t here = std::min(rows_at_once, end - i);
                pack_rows<rows>(a + i + first * lda, lda, here, terms, of_a.data());
                multiply_block<Tile>(here, n, terms, of_a.data(), of_b.data(), adds || first > 0, c + i, ldc);
            }
        });
    }
}

}  // namespace

void residue_gemm(index_t m, index_t n, index_t k, const double* a, index_t lda, const double* b, index_t ldb,
                  bool adds, double* c, index_t ldc)
{
    if (k == 0 && !adds) {
        for (index_t j = 0; j < n; ++j) {
            std::fill(c + j * ldc, c + j * ldc + m, 0.0);
        }
        return;
    }
#if defined(__x86_64__)
    if (host_isa() == isa::avx512) {
        return multiply<avx512_tile>(m, n, k, a, lda, b, ldb, adds, c, ldc);
    }
    if (host_isa() == isa::avx2) {
        return multiply<avx2_tile>(m, n, k, a, lda, b, ldb, adds, c, ldc);
    }
#endif
    multiply<portable_tile>(m, n, k, a, lda, b, ldb, adds, c, ldc);
}

}  // namespace residua::blas::detail
