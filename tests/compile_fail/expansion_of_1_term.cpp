// expect: binary64 has the exponent range for 2 to 39 terms
#include <residua/arith/expansion/expansion.hpp>

#if defined(MISUSE)
constexpr int terms = 1;
#else
constexpr int terms = 2;
#endif

residua::expansion<double, terms> x{1.0};
