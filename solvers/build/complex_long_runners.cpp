// Methods with complex scalars in multi-digit floats and RNS floats.
#include <residua/solvers/build/complex_runner.hpp>

#include <residua/blas/base/executors.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua {

#define RESIDUA_INSTANTIATE(Exec)                                                                             \
    template std::unique_ptr<method_runner<multidigit_space<Exec>::vector>> make_complex_runner(              \
        method, const multidigit_space<Exec>&, const method_problem<multidigit_space<Exec>>&, solve_methods); \
    template std::unique_ptr<method_runner<rns_space<Exec>::vector>> make_complex_runner(                     \
        method, const rns_space<Exec>&, const method_problem<rns_space<Exec>>&, solve_methods);
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

}  // namespace residua
