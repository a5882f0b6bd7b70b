#include <residua/solvers/engine.hpp>

#include <residua/arith/rns/number.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/solvers/format_engine.hpp>

namespace residua {
namespace {

/// f(T{}) for the format of so many bits.
template <class F>
auto with_format(long bits, F&& f)
{
    switch (bits) {
        case 53:
            return f(double{});
        case 106:
            return f(expansion<double, 2>{});
        case 159:
            return f(expansion<double, 3>{});
        case 212:
            return f(expansion<double, 4>{});
        case 318:
            return f(expansion<double, 6>{});
        case 424:
            return f(expansion<double, 8>{});
        case 636:
            return f(expansion<double, 12>{});
        case 848:
            return f(expansion<double, 16>{});
        case 1272:
            return f(expansion<double, 24>{});
        case 1696:
            return f(expansion<double, 32>{});
        default:
            throw unsupported_error("no expansion of " + std::to_string(bits) + " bits");
    }
}

template <number T>
std::unique_ptr<correction_engine> make_device_engine([[maybe_unused]] const engine_request& request)
{
#if defined(RESIDUA_CUDA)
    using space = expansion_space<cuda_executor, T>;
    return std::make_unique<format_engine<space>>(space{*request.device}, request);
#else
    throw unsupported_error("this build computes on the host only: " + why_no_cuda_device());
#endif
}

}  // namespace

std::unique_ptr<correction_engine> make_engine(const arithmetic& in, const engine_request& request)
{
    if (in.format == number_format::rns) {
        return make_rns_engine(in.bits, request);
    }
    return with_format(in.bits, [&]<class T>(T) -> std::unique_ptr<correction_engine> {
        if (request.device) {
            return make_device_engine<T>(request);
        }
        return std::make_unique<format_engine<host_space<T>>>(host_space<T>{}, request);
    });
}

double engine_bytes(const arithmetic& in, method method, index_t n, index_t nonzeros, bool exact, index_t restart)
{
    const bool rns = in.format == number_format::rns;
    const double number = rns ? rns_format(in.bits).bytes() : 8.0 * static_cast<double>(in.bits / 53);
    const double rows = static_cast<double>(n);
    if (method == method::direct) {
        return number * rows * rows * 3.0;  // the entries, the factors, and a copy for Cholesky
    }
    const double value = exact ? 8.0 : number;
    double vectors = 12.0;
    double hessenberg = 0.0;
    if (method == method::gmres) {
        const double length = static_cast<double>(std::min(restart, std::max<index_t>(n, 1)));
        vectors += length;
        hessenberg = (length + 1.0) * length * (rns ? static_cast<double>(sizeof(rns_number)) : number);
    }
    return hessenberg + static_cast<double>(nonzeros) * (value + 4.0) * 2.0 + rows * vectors * number;
}

}  // namespace residua
