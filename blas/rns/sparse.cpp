#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/trsv.hpp>

#include <concepts>
#include <optional>

#include <residua/blas/base/executors.hpp>
#include <residua/blas/rns/operands.hpp>

/// What blas/sparse declares, for RNS floats.
namespace residua::blas::detail {

template <class Exec, class A>
void multiply(const Exec& exec, const spmv_operands<Exec, rns, A>& o)
{
    constexpr bool binary64 = std::same_as<typename A::value_type, double>;
    const bool keeps = !is_zero(o.beta.value());
    // the sums go to y directly if nothing follows
    const bool direct = o.alpha == rns_number(o.y.format, 1.0) && !keeps && o.y.stride == 1;
    std::optional<vector<Exec, rns>> work;
    if (!direct) {
        work.emplace(o.y.format, o.y.size, exec);
    }
    spmv_element<binary64> f;
    f.rows = rows_of(o.a);
    f.x = o.x.start;
    f.x_stride = o.x.stride;
    f.to = direct ? o.y.start : work->view().start;
    if constexpr (binary64) {
        f.binary64 = o.a.value().data();
    } else {
        f.value = o.a.value().start;
    }
    const auto rows = static_cast<double>(o.a.rows());
    for_indices(exec, o.y.format, o.y.size, f, rows > 0.0 ? static_cast<double>(o.a.entries()) / rows : 0.0);
    if (!direct) {
        const rns_term product = scaled(o.alpha, by_row<Exec>(work->view()));
        combine(exec, o.y, keeps ? scaled(o.beta, by_row<Exec>(o.y)) : product, keeps ? &product : nullptr);
    }
}

void solve(const host_executor&, const sparse_trsv_operands<host_executor, rns, double>& o)
{
    const auto& set = o.x.format.set();
    const bool lower = o.levels.triangle == uplo::lower;
    const compressed_rows rows = rows_of<0>(o.a);
    const double* const value = o.a.value().data();
    const double operations = static_cast<double>(o.a.entries()) * array_traits<rns>::operations(o.x.format);
    o.levels.solve(o.x.size, operations, [&](index_t first, index_t last, const auto& row_at) {
        for (index_t k = first; k < last; ++k) {
            const index_t i = row_at(k);
            auto rest = residua::detail::load(set, o.b.start, i * o.b.stride);
            double pivot = 0.0;
            rows.walk_triangle(
                i, lower,
                [&](index_t p, index_t j) {
                    rest = add(set, rest, mul(set, -value[p], residua::detail::load(set, o.x.start, j * o.x.stride)));
                },
                [&](index_t p) { pivot = value[p]; });
            if (o.diagonal == diag::non_unit) {
                rest = div(set, rest, to_rns(set, pivot));
            }
            residua::detail::store(set, o.x.start, i * o.x.stride, rest);
        }
    });
}

#define RESIDUA_INSTANTIATE_FOR(Exec, Storage, V) \
    template void multiply(const Exec&, const spmv_operands<Exec, rns, Storage<Exec, V>>&);
#define RESIDUA_INSTANTIATE(Exec)                     \
    RESIDUA_INSTANTIATE_FOR(Exec, csr, double)        \
    RESIDUA_INSTANTIATE_FOR(Exec, csr, rns)           \
    RESIDUA_INSTANTIATE_FOR(Exec, sliced_ell, double) \
    RESIDUA_INSTANTIATE_FOR(Exec, sliced_ell, rns)
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas::detail
