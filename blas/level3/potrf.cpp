#include <residua/blas/level3/potrf.hpp>

#include <string>

#include <residua/blas/base/single_threaded_blas.hpp>

extern "C" void dpotrf_(const char* triangle, const int* n, double* a, const int* lda, int* info);
extern "C" void spotrf_(const char* triangle, const int* n, float* a, const int* lda, int* info);

namespace residua::blas {
namespace {

constexpr char lower = 'L';

void call_lapack(int n, double* a, int ld, int& info) { dpotrf_(&lower, &n, a, &ld, &info); }
void call_lapack(int n, float* a, int ld, int& info) { spotrf_(&lower, &n, a, &ld, &info); }

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
        call_lapack(static_cast<int>(a.n), a.data, static_cast<int>(a.ld), info);
    }
    if (info < 0) {
        throw error("potrf: LAPACK refuses argument " + std::to_string(-info));
    }
    return info;
}

template index_t potrf<double>(const host_executor&, lapack_matrix<host_executor, double>);
template index_t potrf<float>(const host_executor&, lapack_matrix<host_executor, float>);

}  // namespace residua::blas
