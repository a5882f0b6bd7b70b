// Methods with complex scalars on several processes.
#include <residua/solvers/build/complex_runner.hpp>

#include <residua/blas/base/executors.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/solvers/processes/distributed_space.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua {

#define RESIDUA_INSTANTIATE_ON(Exec, ...)                                                               \
    template std::unique_ptr<method_runner<blas_space<Exec, __VA_ARGS__>::vector>> make_complex_runner( \
        method, const distributed_space<blas_space<Exec, __VA_ARGS__>>&,                                \
        const method_problem<distributed_space<blas_space<Exec, __VA_ARGS__>>>&, shared_method_list);
#define RESIDUA_INSTANTIATE_ON_HOST(...) RESIDUA_INSTANTIATE_ON(host_executor, __VA_ARGS__)
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE_ON_HOST)
RESIDUA_INSTANTIATE_ON_HOST(multidigit)
#if defined(RESIDUA_CUDA)
#define RESIDUA_INSTANTIATE_ON_DEVICE(...) RESIDUA_INSTANTIATE_ON(cuda_executor, __VA_ARGS__)
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE_ON_DEVICE)
RESIDUA_INSTANTIATE_ON_DEVICE(multidigit)
#endif

}  // namespace residua
