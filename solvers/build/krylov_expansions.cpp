// Methods that engine.cpp has for expansions, in a file of their own: all together are too much for one.

#include <residua/blas/base/instantiate.hpp>
#include <residua/solvers/build/format_engine.hpp>

namespace residua {

#define RESIDUA_INSTANTIATE(...)                                                    \
    template krylov_method<host_space<__VA_ARGS__>, bicgstabl_workspace> bicgstabl; \
    template krylov_method<host_space<__VA_ARGS__>, idr_workspace> idr;
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
#undef RESIDUA_INSTANTIATE

#if defined(RESIDUA_CUDA)
#define RESIDUA_INSTANTIATE(...)                                                                        \
    template krylov_method<expansion_space<cuda_executor, __VA_ARGS__>, bicgstabl_workspace> bicgstabl; \
    template krylov_method<expansion_space<cuda_executor, __VA_ARGS__>, idr_workspace> idr;
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
#undef RESIDUA_INSTANTIATE
#endif

}  // namespace residua
