// expect: cannot convert|no viable conversion
#include <residua/arith/expansion/expansion.hpp>

double leading(const residua::expansion<double, 2>& x)
{
#if defined(MISUSE)
    return x;
#else
    return to_double(x);
#endif
}
