#include "early_device.hpp"

#include <system_error>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/io/error.hpp>

namespace residua {

early_device::early_device(const solve_options& options)
{
    if (options.executor != executor::cuda) {
        return;
    }
    const auto make_ready = [device = options.device] {
        try {
            (void)make_cuda_executor(device);
        } catch (const error&) {  // the solve asks again
        }
    };
    try {
        ready_ = std::async(std::launch::async, make_ready);
    } catch (const std::system_error&) {  // no thread for it
    }
}

}  // namespace residua
