#include <residua/blas/level1/convert.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/elementwise.cuh>

namespace residua::blas {
namespace {

template <class From, class To>
struct convert_to {
    vector_view<cuda_executor, const From> x;
    vector_view<cuda_executor, To> y;

    __device__ void operator()(index_t i) const { y.store(i, detail::converted<To>(x.load(i))); }
};

}  // namespace

template <number From, number To>
void convert(const cuda_executor& exec, vector_view<cuda_executor, const From> x, vector_view<cuda_executor, To> y)
{
    require_equal("convert", "sizes of x and y", x.size, y.size);
    detail::run_elementwise(exec, "convert", y.size, convert_to<From, To>{x, y});
}

#define RESIDUA_ONE_WAY(From, To)                                                                        \
    template void convert(const cuda_executor&, vector_view<cuda_executor, const format_of_terms<From>>, \
                          vector_view<cuda_executor, format_of_terms<To>>);
#define RESIDUA_INSTANTIATE(One, Other) RESIDUA_ONE_WAY(One, Other) RESIDUA_ONE_WAY(Other, One)
RESIDUA_FOR_EACH_CONVERSION(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
