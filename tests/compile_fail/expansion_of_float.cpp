// expect: the terms of an expansion are binary64
#include <residua/arith/expansion/expansion.hpp>

#if defined(MISUSE)
using term = float;
#else
using term = double;
#endif

residua::expansion<term, 2> x{1.0};
