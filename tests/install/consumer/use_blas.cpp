#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/vector.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/elementwise.hpp>

int main()
{
    using dd = residua::expansion<double, 2>;
    const residua::host_executor exec;
    residua::vector<residua::host_executor, dd> x(1000), y(1000);

    residua::blas::fill(exec, dd{0x1p-80}, x.view());
    residua::blas::fill(exec, dd{1.0}, y.view());
    residua::blas::axpy(exec, dd{1.0}, x.view(), y.view());
    const dd sum = residua::blas::dot<dd>(exec, x.view(), y.view());

    return y.get(0) == dd{1.0} + dd{0x1p-80} && sum == (dd{0x1p-80} + dd{0x1p-160}) * 1000.0 ? 0 : 1;
}
