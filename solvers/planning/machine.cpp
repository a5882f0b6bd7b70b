#include <residua/solvers/planning/machine.hpp>

#include <residua/io/team.hpp>
#include <residua/solvers/base/memory.hpp>

namespace residua {

machine this_machine() { return {.memory = available_memory_bytes(), .threads = io::available_threads()}; }

placement this_gpu(int number)
{
    placement found{.device = make_cuda_executor(number), .name = {}};
    found.free_bytes = static_cast<double>(free_device_memory(*found.device));
    for (const cuda_device& each : cuda_devices()) {
        found.name = each.number == number ? each.name : found.name;
    }
    return found;
}

}  // namespace residua
