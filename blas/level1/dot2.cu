#include <residua/blas/level1/dot2.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/level1/reduce.cuh>

namespace residua::blas {
namespace {

struct add_exact_products {
    __device__ void operator()(accumulator<2>& sum, double x, double y) const { detail::add_product(sum, x, y); }
};

}  // namespace

void dot2(const cuda_executor& exec, in_vector<cuda_executor, double> x, in_vector<cuda_executor, double> y,
          scalar_place<double> result)
{
    require_equal("dot2", "sizes of x and y", x.size, y.size);
    detail::sum_in_order<expansion<double, 2>, double>(exec, "dot2", x.size, add_exact_products{}, result, x, y);
}

double dot2(const cuda_executor& exec, in_vector<cuda_executor, double> x, in_vector<cuda_executor, double> y)
{
    device_scalar<double> result(exec);
    dot2(exec, x, y, result);
    return to_host(exec, result);
}

}  // namespace residua::blas
