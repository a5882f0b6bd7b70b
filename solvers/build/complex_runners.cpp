// Methods with complex scalars in binary64 and in expansions.
#include <residua/solvers/build/complex_runner.hpp>

#include <residua/blas/base/executors.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua {

#define RESIDUA_INSTANTIATE_ON(Exec, ...)                                                                   \
    template std::unique_ptr<method_runner<blas_space<Exec, __VA_ARGS__>::vector>> make_complex_runner(     \
        method, const blas_space<Exec, __VA_ARGS__>&, const method_problem<blas_space<Exec, __VA_ARGS__>>&, \
        solve_methods);
#define RESIDUA_INSTANTIATE_ON_HOST(...) RESIDUA_INSTANTIATE_ON(host_executor, __VA_ARGS__)
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE_ON_HOST)
#if defined(RESIDUA_CUDA)
#define RESIDUA_INSTANTIATE_ON_DEVICE(...) RESIDUA_INSTANTIATE_ON(cuda_executor, __VA_ARGS__)
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE_ON_DEVICE)
#endif

}  // namespace residua
