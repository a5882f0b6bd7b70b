// expect: constraints not satisfied|no matching|invalid reference
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

#if defined(MISUSE)
using element = const double;
#else
using element = double;
#endif

void set_first(residua::vector_view<residua::host_executor, element> x) { x.store(0, 1.0); }
