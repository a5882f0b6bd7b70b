#include <residua/blas/slices/gemm_ozaki.hpp>

#include <string>
#include <type_traits>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/executors.hpp>
#include <residua/blas/slices/product.hpp>

namespace residua::blas {
namespace {

template <class Exec>
void product(const Exec& exec, matrix_view<Exec, const double> a, matrix_view<Exec, const double> b,
             matrix_view<Exec, double> c, const ozaki_options& options)
{
    require_equal("gemm_ozaki", "rows of A and C", a.rows, c.rows);
    require_equal("gemm_ozaki", "columns of B and C", b.cols, c.cols);
    require_equal("gemm_ozaki", "columns of A and rows of B", a.cols, b.rows);
    if (options.slices < 0) {
        throw dimension_error("gemm_ozaki: " + std::to_string(options.slices) + " slices; 0 is for all of them");
    }
    constexpr bool on_host = std::is_same_v<Exec, host_executor>;
    if (on_host && options.type == slice_type::int8) {
        throw unsupported_error("gemm_ozaki: 8-bit slices are for CUDA devices; the host has binary32 and binary64");
    }
    if (c.rows == 0 || c.cols == 0) {
        return;
    }
    const detail::sliced_factors<Exec> factors(exec, a, b);
    const auto with = [&]<class T>() {
        if (options.slices == 0 || a.cols == 0) {
            detail::integer_product<T>(exec, factors, 0, c);
        } else {
            detail::split_product<T>(exec, factors, options.slices, c);
        }
    };
    switch (options.type) {
        case slice_type::binary32:
            return with.template operator()<float>();
        case slice_type::binary64:
            return with.template operator()<double>();
        case slice_type::int8:
            if constexpr (!on_host) {
                detail::integer_product<std::int8_t>(exec, factors, options.slices, c);
            }
    }
}

}  // namespace

#define RESIDUA_INSTANTIATE(Exec)                                                                           \
    void gemm_ozaki(const Exec& exec, matrix_view<Exec, const double> a, matrix_view<Exec, const double> b, \
                    matrix_view<Exec, double> c, const ozaki_options& options)                              \
    {                                                                                                       \
        product<Exec>(exec, a, b, c, options);                                                              \
    }
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
