#include <residua/arith/rns/number.hpp>
#include <residua/solvers/build/format_engine.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua {

std::unique_ptr<correction_engine> make_rns_engine(long bits, const engine_request& request)
{
    return engine_on<rns_space>(request, rns_format(bits));
}

}  // namespace residua
