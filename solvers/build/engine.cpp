#include <residua/solvers/build/engine.hpp>

#include <residua/solvers/build/shared_engine.hpp>

namespace residua {

std::unique_ptr<correction_engine> make_engine(const arithmetic& in, const engine_request& request)
{
    if (request.shared != nullptr) {
        return make_shared_engine(in, request);
    }
    if (request.method == method::gmres_ir) {
        return make_gmres_ir_engine(in, request);
    }
    if (request.method == method::direct) {
        return make_direct_engine(in, request);
    }
    switch (in.format) {
        case number_format::multidigit:
            return make_multidigit_engine(in.bits, request);
        case number_format::rns:
            return make_rns_engine(in.bits, request);
        default:
            return make_expansion_engine(in.bits, request);
    }
}

}  // namespace residua
