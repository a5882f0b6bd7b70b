// expect: arithmetic is wrong under -ffast-math
#if defined(MISUSE)
#define __FAST_MATH__ 1  // what the compiler defines under -ffast-math
#endif

#include <residua/arith/base/eft.hpp>
