#include <residua/blas/slices/for_indices.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/single_threaded_blas.hpp>

extern "C" {
void sgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
            const int* ldc);
void dgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
}

namespace residua::blas::detail {
namespace {

constexpr double operations_of_call = 16.0;
constexpr index_t columns_together = 48;  // of a product, or rows: whole tiles of the kernels of a BLAS

int blas_size(index_t n)
{
    if (n > std::numeric_limits<int>::max()) {
        throw resource_error("gemm_ozaki: " + std::to_string(n) + " is more than the BLAS of the host counts to");
    }
    return static_cast<int>(n);
}

}  // namespace

template <class F>
void for_indices(const host_executor&, const char*, index_t calls, const F& f)
{
    const double operations = operations_of_call * static_cast<double>(calls);
    const auto range = [&](index_t begin, index_t end) {
        for (index_t k = begin; k < end; ++k) {
            f(k);
        }
    };
    if constexpr (requires { f.work_before(calls); }) {
        const auto before = [&](index_t k) { return f.work_before(k); };
        parallel_weighted_ranges(calls, before, operations + 4.0 * static_cast<double>(before(calls)), range);
    } else {
        parallel_ranges(calls, 1, operations, range);
    }
}

#define RESIDUA_INSTANTIATE(...) \
    template void for_indices(const host_executor&, const char*, index_t, const __VA_ARGS__&);
RESIDUA_FOR_EACH_SLICE_FUNCTION(RESIDUA_INSTANTIATE, float)
RESIDUA_FOR_EACH_SLICE_FUNCTION(RESIDUA_INSTANTIATE, double)
RESIDUA_INSTANTIATE(store_product<integer_sum>)
RESIDUA_FOR_EACH_ROW_FUNCTION(RESIDUA_INSTANTIATE, compressed_rows)
RESIDUA_FOR_EACH_ROW_FUNCTION(RESIDUA_INSTANTIATE, sliced_rows)

int find_exponents(const host_executor&, const sliced_vectors& x, index_t n, const slice_exponents& to)
{
    std::vector<seen_numbers> seen(static_cast<std::size_t>(x.count));
    parallel_ranges(x.count, slice_group, 4.0 * static_cast<double>(n) * static_cast<double>(x.count),
                    [&](index_t begin, index_t end) {
                        if (x.across == 1) {
                            for (index_t l = 0; l < n; ++l) {
                                for (index_t i = begin; i < end; ++i) {
                                    seen[static_cast<std::size_t>(i)].look(x.get(l, i));
                                }
                            }
                        } else {
                            for (index_t i = begin; i < end; ++i) {
                                for (index_t l = 0; l < n; ++l) {
                                    seen[static_cast<std::size_t>(i)].look(x.get(l, i));
                                }
                            }
                        }
                    });
    int widest = 0;
    for (index_t i = 0; i < x.count; ++i) {
        const seen_numbers& of = seen[static_cast<std::size_t>(i)];
        to.exponent[i] = of.any() ? of.exponent : 0;
        to.special[i] = of.special ? 1 : 0;
        widest = of.any() ? std::max(widest, of.exponent - of.last) : widest;
    }
    return widest;
}

template <class T>
void multiply_slices(const host_executor&, const sliced_product& shape, index_t length, const T* a, const T* b,
                     index_t ld, typename slice_sum<T>::type* c, bool adds)
{
    const int ldc = blas_size(shape.ld);
    blas_size(shape.cols);
    const int k = blas_size(length);
    const int lda = blas_size(std::max<index_t>(ld, 1));
    const T alpha = 1;
    const T beta = adds ? 1 : 0;
    const bool by_rows = shape.ld >= shape.cols;
    const double operations = static_cast<double>(shape.ld) * static_cast<double>(shape.cols) * (1.0 + k);
    const single_threaded_blas one_thread;  // each part of the team calls it
    parallel_ranges(by_rows ? shape.ld : shape.cols, columns_together, operations, [&](index_t begin, index_t end) {
        const int m = by_rows ? static_cast<int>(end - begin) : ldc;
        const int n = static_cast<int>(by_rows ? shape.cols : end - begin);
        const T* const left = by_rows ? a + begin * ld : a;
        const T* const right = by_rows ? b : b + begin * ld;
        auto* const to = by_rows ? c + begin : c + begin * shape.ld;
        if constexpr (std::is_same_v<T, float>) {
            sgemm_("T", "N", &m, &n, &k, &alpha, left, &lda, right, &lda, &beta, to, &ldc);
        } else {
            dgemm_("T", "N", &m, &n, &k, &alpha, left, &lda, right, &lda, &beta, to, &ldc);
        }
    });
}

template void multiply_slices(const host_executor&, const sliced_product&, index_t, const float*, const float*, index_t,
                              float*, bool);
template void multiply_slices(const host_executor&, const sliced_product&, index_t, const double*, const double*,
                              index_t, double*, bool);

int max_of(const host_executor&, const int* x, index_t count)
{
    return count > 0 ? *std::max_element(x, x + count) : 0;
}

int fetch(const host_executor&, const int* x) { return *x; }

}  // namespace residua::blas::detail
