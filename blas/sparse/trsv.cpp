#include <residua/blas/sparse/trsv.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>

namespace residua::blas {

template <number T>
void trsv(const host_executor&, triangle part, const csr<host_executor, double>& a,
          in_vector<host_executor, T> b, vector_view<host_executor, T> x)
{
    require_equal("trsv", "rows and columns of A", a.rows(), a.cols());
    require_equal("trsv", "size of A and b", a.rows(), b.size);
    require_equal("trsv", "size of A and x", a.rows(), x.size);

    const index_t n = a.rows();
    const auto row_begin = a.row_begin();
    const auto col = a.col();
    const auto value = a.value();
    for (index_t i = 0; i < n; ++i) {
        if (row_begin[i] == row_begin[i + 1]) {
            throw dimension_error("trsv: row " + std::to_string(i) + " has no diagonal entry");
        }
    }
    for (index_t step = 0; step < n; ++step) {
        const index_t i = part == triangle::lower ? step : n - 1 - step;
        index_t begin = row_begin[i];
        index_t end = row_begin[i + 1];
        const index_t diagonal = part == triangle::lower ? --end : begin++;
        accumulator<number_traits<T>::terms> sum(b.load(i));
        for (index_t p = begin; p < end; ++p) {
            sum.add_product(x.load(col[p]), -value.load(p));
        }
        x.store(i, sum.result() / value.load(diagonal));
    }
}

#define RESIDUA_INSTANTIATE(...)                                                                \
    template void trsv<__VA_ARGS__>(const host_executor&, triangle,                             \
                                    const csr<host_executor, double>&,                          \
                                    in_vector<host_executor, __VA_ARGS__>,                      \
                                    vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
#undef RESIDUA_INSTANTIATE

}  // namespace residua::blas
