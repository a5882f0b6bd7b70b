#include <residua/blas/slices/spmv_ozaki.hpp>

#include <string>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/executors.hpp>
#include <residua/blas/slices/sparse_product.hpp>

namespace residua::blas {

template <class Exec, class A>
void detail::multiply_by_slices(const Exec& exec, const char* op, const A& a, in_matrix<Exec, double> x,
                                out_matrix<Exec, double> y, int slices)
{
    require_equal(op, "rows of A and Y", a.rows(), y.rows);
    require_equal(op, "columns of A and rows of X", a.cols(), x.rows);
    require_equal(op, "columns of X and Y", x.cols, y.cols);
    if (slices < 0) {
        throw dimension_error(std::string(op) + ": " + std::to_string(slices) + " slices; 0 is for all of them");
    }
    if (y.rows == 0 || y.cols == 0) {
        return;
    }
    constexpr int slices_of_a = std::same_as<A, sliced_ell<Exec, double>> ? 1 : 0;
    sparse_product<Exec, rows_in_storage<slices_of_a>> factors(
        exec, op, {rows_of<slices_of_a>(a), a.rows(), a.value().data()}, a.value().size, x);
    if (slices == 0) {
        factors.whole(y);
    } else {
        factors.split(slices, y);
    }
}

#define RESIDUA_INSTANTIATE_FOR(Exec, Storage)                                                             \
    template void detail::multiply_by_slices<Exec>(const Exec&, const char*, const Storage<Exec, double>&, \
                                                   in_matrix<Exec, double>, out_matrix<Exec, double>, int);
#define RESIDUA_INSTANTIATE(Exec)      \
    RESIDUA_INSTANTIATE_FOR(Exec, csr) \
    RESIDUA_INSTANTIATE_FOR(Exec, sliced_ell)
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
