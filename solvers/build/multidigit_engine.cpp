#include <residua/arith/multidigit/number.hpp>
#include <residua/solvers/build/format_engine.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua {

std::unique_ptr<correction_engine> make_multidigit_engine(long bits, const engine_request& request)
{
    return engine_on<multidigit_space>(request, multidigit_format(bits));
}

}  // namespace residua
