#include <residua/blas/level3/getrf_mixed.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/single_threaded_blas.hpp>
#include <residua/io/interruption.hpp>

extern "C" {
void sgetrf_(const int* m, const int* n, float* a, const int* lda, int* ipiv, int* info);
void slaswp_(const int* n, float* a, const int* lda, const int* first, const int* last, const int* ipiv,
             const int* step);
void strsm_(const char* side, const char* triangle, const char* op_a, const char* diagonal, const int* m, const int* n,
            const float* alpha, const float* a, const int* lda, float* b, const int* ldb);
void sgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
            const int* ldc);
}

namespace residua::blas {
namespace {

constexpr const char* op = "getrf_mixed";
constexpr index_t panel_columns_of_host = 128;  // as fast as getrf for n = 500 to 2000; 64 and 256 hardly differ

/// The factors of a matrix while they are made; sizes as LAPACK counts them.
class factorization {
public:
    factorization(lapack_matrix<host_executor, float> a, low_precision of_products, int panel_columns)
        : a_(a.data),
          n_(static_cast<int>(a.n)),
          ld_(static_cast<int>(a.ld)),
          of_products_(of_products),
          l_(a.n * panel_columns, {}, uninitialized{}),
          u_(a.n * panel_columns, {}, uninitialized{}),
          swapped_(static_cast<std::size_t>(a.n))
    {}

    /// Factorises columns `first` to `next` by LAPACK, with swaps in all others; returns the first zero pivot, or 0.
    int factorize_panel(int first, int next)
    {
        const int rows = n_ - first;
        const int columns = next - first;
        const int right = n_ - next;
        int* const pivots = swapped_.data() + first;
        int info = 0;
        sgetrf_(&rows, &columns, at(first, first), &ld_, pivots, &info);
        if (info < 0) {
            throw error(std::string(op) + ": LAPACK refuses argument " + std::to_string(-info));
        }
        const int step = 1;
        const int top = 1;
        slaswp_(&first, at(first, 0), &ld_, &top, &columns, pivots, &step);
        slaswp_(&right, at(first, next), &ld_, &top, &columns, pivots, &step);
        return info > 0 ? first + info : 0;
    }

    /// Computes the rows of U beside that panel, and subtracts the product of the panel and these rows from the rest.
    void update(int first, int next)
    {
        const int columns = next - first;
        const int rest = n_ - next;
        const float one = 1.0f;
        const float minus_one = -1.0f;
        strsm_("L", "L", "N", "U", &columns, &rest, &one, at(first, first), &ld_, at(first, next), &ld_);
        round(next, first, rest, columns, l_.data());
        round(first, next, columns, rest, u_.data());
        sgemm_("N", "N", &rest, &rest, &columns, &minus_one, l_.data(), &rest, u_.data(), &columns, &one,
               at(next, next), &ld_);
    }

    const std::vector<int>& swapped() const { return swapped_; }

private:
    float* at(int i, int j) { return a_ + index_t{j} * ld_ + i; }

    /// to <- a part of A, rounded, by columns without gaps.
    void round(int i, int j, int rows, int columns, float* to)
    {
        for (int k = 0; k < columns; ++k, to += rows) {
            std::transform(at(i, j + k), at(i, j + k) + rows, to,
                           [this](float x) { return detail::rounded_to(of_products_, x); });
        }
    }

    float* a_;
    int n_, ld_;
    low_precision of_products_;
    buffer<host_executor, float> l_, u_;
    std::vector<int> swapped_;
};

}  // namespace

index_t getrf_mixed(const host_executor& exec, lapack_matrix<host_executor, float> a, std::span<std::int64_t> pivots,
                    low_precision of_products)
{
    return detail::getrf_mixed(exec, a, pivots, of_products, panel_columns_of_host);
}

index_t detail::getrf_mixed(const host_executor& exec, lapack_matrix<host_executor, float> a,
                            std::span<std::int64_t> pivots, low_precision of_products, index_t panel_columns)
{
    require_lapack_matrix(exec, op, a.n, a.ld, pivots.size());
    require_panel_columns(panel_columns);
    factorization f(a, of_products, static_cast<int>(panel_columns));
    index_t report = 0;
    {
        const single_threaded_blas one_thread;
        for (index_t first = 0; first < a.n; first += panel_columns) {
            io::ask_for_stop();
            const index_t next = std::min(first + panel_columns, a.n);
            const int zero_pivot = f.factorize_panel(static_cast<int>(first), static_cast<int>(next));
            report = report == 0 ? zero_pivot : report;
            if (next < a.n) {
                f.update(static_cast<int>(first), static_cast<int>(next));
            }
        }
    }
    for (index_t k = 0; k < a.n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        pivots[at] = pivot_of_matrix(f.swapped()[at], k, panel_columns);
    }
    return report;
}

void detail::require_panel_columns(index_t columns)
{
    if (columns < 1 || columns > most_panel_columns) {
        throw dimension_error(std::string(op) + ": a panel has from 1 to " + std::to_string(most_panel_columns) +
                              " columns, not " + std::to_string(columns));
    }
}

}  // namespace residua::blas
