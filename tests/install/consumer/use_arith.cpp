#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/real/real.hpp>

int main()
{
    using qd = residua::expansion<double, 4>;
    const qd third = qd{1.0} / 3.0;
    const residua::real error = to_real(third) * residua::real(3L) - residua::real(1.0);
    return abs(error) < residua::real("1e-62", 64) ? 0 : 1;
}
