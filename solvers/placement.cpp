#include <residua/solvers/placement.hpp>

#include <cstdio>
#include <vector>

namespace residua {
namespace {

bool fits(const cuda_device& device, double bytes) { return bytes <= static_cast<double>(device.free_bytes); }

std::string gibibytes(double bytes)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g GiB", bytes / 0x1p30);
    return text;
}

}  // namespace

bool runs_on_gpu(const arithmetic& in, const candidate& choice)
{
    return in.format == number_format::rns && choice.method == method::cg &&
           (choice.preconditioner == preconditioner::none || choice.preconditioner == preconditioner::jacobi);
}

placement find_place(const solve_options& options, const arithmetic& in, const candidate& choice, double bytes)
{
    const bool asked = options.executor == executor::cuda;
    const bool worth_it = options.executor == executor::automatic && options.format == number_format::rns;
    if (!(asked || worth_it) || !runs_on_gpu(in, choice)) {
        return {};
    }
    const std::vector<cuda_device> devices = cuda_devices();
    const int number = asked ? options.device : 0;
    if (!asked && (devices.empty() || !fits(devices.front(), bytes))) {
        return {};
    }
    const cuda_executor exec = make_cuda_executor(number);
    const cuda_device& device = devices.at(static_cast<std::size_t>(number));
    if (!fits(device, bytes)) {
        throw resource_error("the method needs " + gibibytes(bytes) + " on the device " + std::to_string(number) +
                             " (" + device.name + "), which has " +
                             gibibytes(static_cast<double>(device.free_bytes)) + " free");
    }
    return {exec, device.name};
}

void require_device(const solve_options& options)
{
    if (options.executor == executor::cuda) {
        (void)make_cuda_executor(options.device);
    }
}

}  // namespace residua
