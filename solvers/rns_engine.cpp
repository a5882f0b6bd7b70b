#include <residua/arith/rns/number.hpp>
#include <residua/blas/rns/sparse.hpp>
#include <residua/solvers/base/format_space.hpp>
#include <residua/solvers/format_engine.hpp>

namespace residua {

#if defined(RESIDUA_CUDA)

bool built_with_cuda() noexcept { return true; }

namespace {

std::unique_ptr<correction_engine> make_device_engine(const rns_format& format, const engine_request& request)
{
    using space = rns_space<cuda_executor>;
    return std::make_unique<format_engine<space>>(space{*request.device, format}, request);
}

}  // namespace

#else

bool built_with_cuda() noexcept { return false; }

namespace {

std::unique_ptr<correction_engine> make_device_engine(const rns_format&, const engine_request&)
{
    throw unsupported_error("this build computes on the host only: " + why_no_cuda_device());
}

}  // namespace

#endif

std::unique_ptr<correction_engine> make_rns_engine(long bits, const engine_request& request)
{
    using space = rns_space<host_executor>;
    const rns_format format(bits);
    if (request.device) {
        return make_device_engine(format, request);
    }
    return std::make_unique<format_engine<space>>(space{{}, format}, request);
}

}  // namespace residua
