// expect: could not convert|no matching function
#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/level1/elementwise.hpp>

using residua::expansion;
using residua::host_executor;
using residua::vector_view;

struct other_executor {};

#if defined(MISUSE)
using executor_of_x = other_executor;
#else
using executor_of_x = host_executor;
#endif

void update(vector_view<executor_of_x, expansion<double, 2>> x, vector_view<host_executor, expansion<double, 2>> y)
{
    residua::blas::axpy(host_executor{}, expansion<double, 2>{1.0}, x, y);
}
