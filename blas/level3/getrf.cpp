#include <residua/blas/level3/getrf.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/single_threaded_blas.hpp>

extern "C" void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* ipiv, int* info);
extern "C" void sgetrf_(const int* m, const int* n, float* a, const int* lda, int* ipiv, int* info);

namespace residua::blas {
namespace {

void call_lapack(int n, double* a, int ld, int* pivots, int& info) { dgetrf_(&n, &n, a, &ld, pivots, &info); }
void call_lapack(int n, float* a, int ld, int* pivots, int& info) { sgetrf_(&n, &n, a, &ld, pivots, &info); }

}  // namespace

void detail::require_lapack_matrix(const char* op, index_t n, index_t ld, std::size_t pivots)
{
    if (n < 0 || ld < n) {
        throw dimension_error(std::string(op) + ": the columns of A are " + std::to_string(ld) +
                              " numbers apart and have " + std::to_string(n));
    }
    require_equal(op, "order of A and number of pivots", n, static_cast<index_t>(pivots));
}

void detail::require_lapack_matrix(const host_executor&, const char* op, index_t n, index_t ld, std::size_t pivots)
{
    require_lapack_matrix(op, n, ld, pivots);
    if (ld > std::numeric_limits<int>::max()) {
        throw unsupported_error(std::string(op) + ": LAPACK counts to 2^31 - 1, and columns of A are " +
                                std::to_string(ld) + " numbers apart");
    }
}

template <std::floating_point Real>
index_t getrf(const host_executor& exec, lapack_matrix<host_executor, Real> a, std::span<std::int64_t> pivots)
{
    detail::require_lapack_matrix(exec, "getrf", a.n, a.ld, pivots.size());
    if (a.n == 0) {
        return 0;
    }
    std::vector<int> swapped(static_cast<std::size_t>(a.n));
    int info = 0;
    {
        const detail::single_threaded_blas one_thread;
        call_lapack(static_cast<int>(a.n), a.data, static_cast<int>(a.ld), swapped.data(), info);
    }
    if (info < 0) {
        throw error("getrf: LAPACK refuses argument " + std::to_string(-info));
    }
    std::copy(swapped.begin(), swapped.end(), pivots.begin());
    return info;
}

std::vector<index_t> row_order(std::span<const std::int64_t> pivots)
{
    std::vector<index_t> order(pivots.size());
    std::iota(order.begin(), order.end(), index_t{0});
    const auto n = static_cast<index_t>(order.size());
    for (index_t k = 0; k < n; ++k) {
        const index_t p = pivots[static_cast<std::size_t>(k)];
        if (p <= k || p > n) {
            throw error("row_order: at step " + std::to_string(k + 1) + " of " + std::to_string(n) +
                        " no row can be swapped with row " + std::to_string(p));
        }
        std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(p - 1)]);
    }
    return order;
}

template index_t getrf<double>(const host_executor&, lapack_matrix<host_executor, double>, std::span<std::int64_t>);
template index_t getrf<float>(const host_executor&, lapack_matrix<host_executor, float>, std::span<std::int64_t>);

}  // namespace residua::blas
