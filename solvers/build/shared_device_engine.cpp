// Engines of several processes, each of which computes on a device.
#include <residua/solvers/build/shared_format_engine.hpp>
#include <residua/solvers/processes/own_device.hpp>

namespace residua {
namespace {

/// Calls f with the space of a format on a device.
template <class F>
void with_device_space(const cuda_executor& exec, const arithmetic& in, const F& f)
{
    if (in.format == number_format::multidigit) {
        f(multidigit_space<cuda_executor>{exec, multidigit_format(in.bits)});
    } else {
        with_expansions(exec, in.bits, f);
    }
}

}  // namespace

std::unique_ptr<correction_engine> make_shared_device_engine(const arithmetic& in, const engine_request& request)
{
    std::unique_ptr<correction_engine> engine;
    with_device_space(*request.device, in, [&]<class S>(const S& space) {
        engine = std::make_unique<shared_format_engine<S>>(space, in, request);
    });
    return engine;
}

std::unique_ptr<engine_part> make_device_part(const engine_order& order, const engine_rows& rows, processes& all)
{
    std::unique_ptr<engine_part> part;
    with_device_space(own_device(all, order.device), order.in, [&]<class S>(const S& space) {
        part = std::make_unique<shared_part<S>>(space, order, rows, all);
    });
    return part;
}

}  // namespace residua
