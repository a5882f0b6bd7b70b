#include <residua/blas/level1/dot2.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/reduce.hpp>

namespace residua::blas {

double dot2(const host_executor&, in_vector<host_executor, double> x, in_vector<host_executor, double> y)
{
    using twofold = expansion<double, 2>;
    require_equal("dot2", "sizes of x and y", x.size, y.size);
    const double operations = detail::multiply_add_operations<twofold> * static_cast<double>(x.size);
    const auto sum = detail::sum_in_order<twofold>(
        x.size, operations,
        [](auto& to, double xi, double yi) __attribute__((always_inline)) { detail::add_product(to, xi, yi); }, x, y);
    return detail::rounded_to<double>(sum.result());
}

}  // namespace residua::blas
