#include <residua/blas/slices/spmv_ozaki.hpp>

#include <string>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/executors.hpp>
#include <residua/blas/slices/sparse_product.hpp>

namespace residua::blas {
namespace {

template <class Exec, class Matrix>
void product(const Exec& exec, const char* op, const Matrix& a, matrix_view<Exec, const double> x,
             matrix_view<Exec, double> y, int slices)
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
    const auto rows = detail::rows_of(a);
    using row_type = std::remove_const_t<decltype(rows)>;
    const detail::sparse_rows<row_type> of{rows, a.rows(), a.col().data(), a.value().data()};
    detail::sparse_product<Exec, row_type> factors(exec, op, of, a.value().size, x);
    if (slices == 0) {
        factors.whole(y);
    } else {
        factors.split(slices, y);
    }
}

template <class Exec, class T>
matrix_view<Exec, T> one_column(vector_view<Exec, T> x)
{
    return {x.start, x.size, 1, x.size};
}

}  // namespace

#define RESIDUA_INSTANTIATE_FOR(Exec, Matrix)                                                           \
    void spmm_ozaki(const Exec& exec, const Matrix<Exec, double>& a, matrix_view<Exec, const double> x, \
                    matrix_view<Exec, double> y, int slices)                                            \
    {                                                                                                   \
        product<Exec>(exec, "spmm_ozaki", a, x, y, slices);                                             \
    }                                                                                                   \
    void spmv_ozaki(const Exec& exec, const Matrix<Exec, double>& a, in_vector<Exec, double> x,         \
                    vector_view<Exec, double> y, int slices)                                            \
    {                                                                                                   \
        product<Exec>(exec, "spmv_ozaki", a, one_column(x), one_column(y), slices);                     \
    }
#define RESIDUA_INSTANTIATE(Exec)      \
    RESIDUA_INSTANTIATE_FOR(Exec, csr) \
    RESIDUA_INSTANTIATE_FOR(Exec, sliced_ell)
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
