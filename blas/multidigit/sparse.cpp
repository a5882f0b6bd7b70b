#include <residua/blas/multidigit/sparse.hpp>

#include <concepts>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/executors.hpp>
#include <residua/blas/multidigit/for_indices.hpp>
#include <residua/blas/multidigit/update.hpp>
#include <residua/blas/sparse/row_entries.hpp>

namespace residua::blas {
namespace {

using namespace detail;

template <class Exec, class A>
void multiply(const Exec& exec, const multidigit_number& alpha, const A& a,
              const vector_view<Exec, const multidigit>& x, const multidigit_number& beta,
              const vector_view<Exec, multidigit>& y)
{
    require_equal("spmv", "rows of A and size of y", a.rows(), y.size);
    require_equal("spmv", "columns of A and size of x", a.cols(), x.size);
    require_formats("spmv", y, alpha, x, beta);
    constexpr bool binary64 = std::same_as<typename A::value_type, double>;
    multidigit_spmv<binary64> f;
    f.p = y.format.bits();
    f.rows = stored_rows_of(a);
    f.x = {x.start, x.stride};
    if constexpr (binary64) {
        f.binary64 = a.value().data();
    } else {
        require_formats("spmv", y, a.value());
        f.value = {a.value().start, a.value().stride};
    }
    const double each = a.rows() > 0 ? static_cast<double>(a.entries()) / static_cast<double>(a.rows()) : 0.0;
    update<Exec>(exec, alpha, beta, y, [&](const vector_view<Exec, multidigit>& s) {
        f.y = {s.start, s.stride};
        for_indices(exec, "spmv", s.format, s.size, f, 1.0 + each);
    });
}

}  // namespace

template <class Exec, class V>
void spmv(const Exec& exec, const multidigit_number& alpha, const csr<Exec, V>& a, in_vector<Exec, multidigit> x,
          const multidigit_number& beta, vector_view<Exec, multidigit> y)
{
    multiply<Exec>(exec, alpha, a, x, beta, y);
}

template <class Exec, class V>
void spmv(const Exec& exec, const multidigit_number& alpha, const sliced_ell<Exec, V>& a, in_vector<Exec, multidigit> x,
          const multidigit_number& beta, vector_view<Exec, multidigit> y)
{
    multiply<Exec>(exec, alpha, a, x, beta, y);
}

void trsv(const host_executor&, uplo triangle, diag diagonal, const csr<host_executor, double>& a,
          in_vector<host_executor, multidigit> b, vector_view<host_executor, multidigit> x)
{
    const multidigit_solve_row solve = solve_row<host_executor>(triangle, diagonal, a, b, x);
    with_multidigit_size<std::uint64_t>(multidigit_count<std::uint64_t>(x.format.bits()), [&]<int N>() {
        for (index_t step = 0; step < x.size; ++step) {
            solve.template operator()<std::uint64_t, N>(triangle == uplo::lower ? step : x.size - 1 - step);
        }
    });
}

void trsv(const host_executor&, const row_levels& levels, diag diagonal, const csr<host_executor, double>& a,
          in_vector<host_executor, multidigit> b, vector_view<host_executor, multidigit> x)
{
    const multidigit_solve_row solve = solve_row<host_executor>(levels.triangle, diagonal, a, b, x);
    require_equal("trsv", "rows of A and of levels", a.rows(), static_cast<index_t>(levels.rows.size()));
    const double operations = static_cast<double>(a.entries()) * operations_of(x.format);
    with_multidigit_size<std::uint64_t>(multidigit_count<std::uint64_t>(x.format.bits()), [&]<int N>() {
        solve_by_levels(levels, operations, [&](index_t first, index_t last, const auto& row_at) {
            for (index_t k = first; k < last; ++k) {
                solve.template operator()<std::uint64_t, N>(row_at(k));
            }
        });
    });
}

#define RESIDUA_INSTANTIATE(Exec)                                                                                    \
    template void spmv(const Exec&, const multidigit_number&, const csr<Exec, double>&, in_vector<Exec, multidigit>, \
                       const multidigit_number&, vector_view<Exec, multidigit>);                                     \
    template void spmv(const Exec&, const multidigit_number&, const csr<Exec, multidigit>&,                          \
                       in_vector<Exec, multidigit>, const multidigit_number&, vector_view<Exec, multidigit>);        \
    template void spmv(const Exec&, const multidigit_number&, const sliced_ell<Exec, double>&,                       \
                       in_vector<Exec, multidigit>, const multidigit_number&, vector_view<Exec, multidigit>);        \
    template void spmv(const Exec&, const multidigit_number&, const sliced_ell<Exec, multidigit>&,                   \
                       in_vector<Exec, multidigit>, const multidigit_number&, vector_view<Exec, multidigit>);
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
