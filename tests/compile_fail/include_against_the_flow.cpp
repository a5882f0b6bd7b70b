// expect: residua/arith/base/eft\.hpp: No such file|'residua/arith/base/eft\.hpp' file not found
#include <residua/io/error.hpp>

#if defined(MISUSE)
#include <residua/arith/base/eft.hpp>  // io must not see arith
#endif
