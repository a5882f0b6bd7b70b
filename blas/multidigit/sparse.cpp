#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/trsv.hpp>

#include <concepts>

#include <residua/blas/base/executors.hpp>
#include <residua/blas/multidigit/for_indices.hpp>
#include <residua/blas/multidigit/update.hpp>

/// What blas/sparse declares, for multi-digit floats.
namespace residua::blas::detail {

template <class Exec, class A>
void multiply(const Exec& exec, const spmv_operands<Exec, multidigit, A>& o)
{
    constexpr bool binary64 = std::same_as<typename A::value_type, double>;
    multidigit_spmv<binary64> f;
    f.p = o.y.format.bits();
    f.rows = rows_of(o.a);
    f.x = {o.x.start, o.x.stride};
    if constexpr (binary64) {
        f.binary64 = o.a.value().data();
    } else {
        f.value = {o.a.value().start, o.a.value().stride};
    }
    const auto rows = static_cast<double>(o.a.rows());
    const double each = rows > 0.0 ? static_cast<double>(o.a.entries()) / rows : 0.0;
    update<Exec>(exec, o.alpha, o.beta, o.y, [&](const vector_view<Exec, multidigit>& s) {
        f.y = {s.start, s.stride};
        for_indices(exec, "spmv", s.format, s.size, f, 1.0 + each);
    });
}

void solve(const host_executor&, const sparse_trsv_operands<host_executor, multidigit, double>& o)
{
    const multidigit_solve_row row = solve_row(o.levels.triangle, o);
    const double operations = static_cast<double>(o.a.entries()) * array_traits<multidigit>::operations(o.x.format);
    with_multidigit_size<std::uint64_t>(multidigit_count<std::uint64_t>(o.x.format.bits()), [&]<int N>() {
        o.levels.solve(o.x.size, operations, [&](index_t first, index_t last, const auto& row_at) {
            for (index_t k = first; k < last; ++k) {
                row.template operator()<std::uint64_t, N>(row_at(k));
            }
        });
    });
}

#define RESIDUA_INSTANTIATE_FOR(Exec, Storage, V) \
    template void multiply(const Exec&, const spmv_operands<Exec, multidigit, Storage<Exec, V>>&);
#define RESIDUA_INSTANTIATE(Exec)                     \
    RESIDUA_INSTANTIATE_FOR(Exec, csr, double)        \
    RESIDUA_INSTANTIATE_FOR(Exec, csr, multidigit)    \
    RESIDUA_INSTANTIATE_FOR(Exec, sliced_ell, double) \
    RESIDUA_INSTANTIATE_FOR(Exec, sliced_ell, multidigit)
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas::detail
