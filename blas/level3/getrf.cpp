#include <residua/blas/level3/getrf.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/single_threaded_blas.hpp>
#include <residua/blas/level3/lapack_panels.hpp>
#include <residua/io/interruption.hpp>

extern "C" void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* ipiv, int* info);
extern "C" void sgetrf_(const int* m, const int* n, float* a, const int* lda, int* ipiv, int* info);

namespace residua::blas {
namespace {

void call_lapack(int m, int n, double* a, int ld, int* pivots, int& info) { dgetrf_(&m, &n, a, &ld, pivots, &info); }
void call_lapack(int m, int n, float* a, int ld, int* pivots, int& info) { sgetrf_(&m, &n, a, &ld, pivots, &info); }

/// Rows k and pivots[k] - 1 change places in these columns, for k from `first` to `last` - 1.
template <class Real>
void swap_rows(Real* a, index_t ld, index_t columns, const std::vector<int>& pivots, index_t first, index_t last)
{
    for (index_t j = 0; j < columns; ++j) {
        Real* const column = a + j * ld;
        for (index_t k = first; k < last; ++k) {
            std::swap(column[k], column[pivots[static_cast<std::size_t>(k)] - 1]);
        }
    }
}

/// P A = L U by panels [Higham02, Sec. 13.1].
template <class Real>
void factorize(Real* a, index_t n, index_t ld, std::vector<int>& pivots, int& info)
{
    using detail::at;
    const index_t panel = n <= detail::whole_order ? n : detail::lapack_panel;
    for (index_t k = 0; k < n; k += panel) {
        io::ask_for_stop();
        const index_t width = std::min(panel, n - k), next = k + width, rest = n - next;
        int info_of_panel = 0;
        call_lapack(static_cast<int>(n - k), static_cast<int>(width), at(a, ld, k, k), static_cast<int>(ld),
                    pivots.data() + k, info_of_panel);
        if (info_of_panel < 0) {
            info = info_of_panel;
            return;
        }
        info = info == 0 && info_of_panel > 0 ? static_cast<int>(k) + info_of_panel : info;
        for (index_t i = k; i < next; ++i) {
            pivots[static_cast<std::size_t>(i)] += static_cast<int>(k);
        }
        swap_rows(a, ld, k, pivots, k, next);
        const double work = static_cast<double>(n - k) * static_cast<double>(width) * static_cast<double>(rest);
        detail::parallel_ranges(rest, detail::lapack_piece, work, [&](index_t from, index_t to) {
            for (index_t j = next + from; j < next + to; j += detail::lapack_piece) {
                const index_t columns = std::min(detail::lapack_piece, next + to - j);
                swap_rows(at(a, ld, 0, j), ld, columns, pivots, k, next);
                detail::solve_unit_lower(width, columns, at(a, ld, k, k), ld, at(a, ld, k, j), ld);
                detail::subtract_product("N", rest, columns, width, at(a, ld, next, k), ld, at(a, ld, k, j), ld,
                                         at(a, ld, next, j), ld);
            }
        });
    }
}

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
        factorize(a.data, a.n, a.ld, swapped, info);
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
