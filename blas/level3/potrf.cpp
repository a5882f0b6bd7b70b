#include <residua/blas/level3/potrf.hpp>

#include <algorithm>
#include <string>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/single_threaded_blas.hpp>
#include <residua/blas/level3/lapack_panels.hpp>
#include <residua/io/interruption.hpp>

extern "C" void dpotrf_(const char* triangle, const int* n, double* a, const int* lda, int* info);
extern "C" void spotrf_(const char* triangle, const int* n, float* a, const int* lda, int* info);

namespace residua::blas {
namespace {

constexpr char lower = 'L';

void call_lapack(int n, double* a, int ld, int& info) { dpotrf_(&lower, &n, a, &ld, &info); }
void call_lapack(int n, float* a, int ld, int& info) { spotrf_(&lower, &n, a, &ld, &info); }

/// A = L L' by panels [Higham02, Sec. 10.1].
template <class Real>
void factorize(Real* a, index_t n, index_t ld, int& info)
{
    using detail::at;
    const index_t panel = n <= detail::whole_order ? n : detail::lapack_panel;
    for (index_t k = 0; k < n && info == 0; k += panel) {
        io::ask_for_stop();
        const index_t width = std::min(panel, n - k), next = k + width, rest = n - next;
        call_lapack(static_cast<int>(width), at(a, ld, k, k), static_cast<int>(ld), info);
        if (info != 0) {
            info += info > 0 ? static_cast<int>(k) : 0;
            return;
        }
        const double of_panel = static_cast<double>(width) * static_cast<double>(width) * static_cast<double>(rest);
        detail::parallel_ranges(rest, detail::lapack_piece, of_panel, [&](index_t from, index_t to) {
            for (index_t i = next + from; i < next + to; i += detail::lapack_piece) {
                detail::solve_lower_right(std::min(detail::lapack_piece, next + to - i), width, at(a, ld, k, k), ld,
                                          at(a, ld, i, k), ld);
            }
        });
        const double work = static_cast<double>(rest) * static_cast<double>(width) * static_cast<double>(rest);
        const index_t pieces = (rest + detail::lapack_piece - 1) / detail::lapack_piece;
        detail::parallel_weighted_ranges(
            pieces, [&](index_t p) { return p * (2 * pieces - p); }, work,
            [&](index_t from, index_t to) {
                for (index_t p = from; p < to; ++p) {
                    const index_t j = next + p * detail::lapack_piece;
                    const index_t columns = std::min(detail::lapack_piece, n - j);
                    detail::subtract_product("T", n - j, columns, width, at(a, ld, j, k), ld, at(a, ld, j, k), ld,
                                             at(a, ld, j, j), ld);
                }
            });
    }
}

}  // namespace

template <std::floating_point Real>
index_t potrf(const host_executor& exec, lapack_matrix<host_executor, Real> a)
{
    detail::require_lapack_matrix(exec, "potrf", a.n, a.ld, static_cast<std::size_t>(a.n));
    if (a.n == 0) {
        return 0;
    }
    int info = 0;
    {
        const detail::single_threaded_blas one_thread;
        factorize(a.data, a.n, a.ld, info);
    }
    if (info < 0) {
        throw error("potrf: LAPACK refuses argument " + std::to_string(-info));
    }
    return info;
}

template index_t potrf<double>(const host_executor&, lapack_matrix<host_executor, double>);
template index_t potrf<float>(const host_executor&, lapack_matrix<host_executor, float>);

}  // namespace residua::blas
