#include <residua/solvers/session/placement.hpp>

#include <vector>

#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/base/tuning_table.hpp>

namespace residua {

bool runs_on_gpu(const arithmetic& in, const candidate& choice)
{
    if (in.format == number_format::rns) {
        return runs_in_rns_on_gpu(choice.method, choice.preconditioner);
    }
    if (choice.method == method::direct) {
        return in.format == number_format::multidigit
                   ? tuning::row_of(tuning::multidigit_panels, in.bits).has_products()
                   : tuning::row_of(tuning::expansion_panels, in.bits).has_products();
    }
    return true;
}

bool takes_gpu_unasked(const candidate& choice)
{
    return applied_by_products(choice.preconditioner) && choice.method != method::direct;
}

placement find_place(const solve_options& options, const arithmetic& in, const candidate& choice, index_t unknowns,
                     double bytes)
{
    const bool asked = options.executor == executor::cuda;
    const bool worth_it =
        options.executor == executor::automatic && takes_gpu_unasked(choice) &&
        (options.format == number_format::rns || unknowns >= tuning::row_of(tuning::devices, in.bits).least_unknowns);
    if (!(asked || worth_it) || !runs_on_gpu(in, choice)) {
        return {};
    }
    const int number = asked ? options.device : 0;
    try {
        const cuda_executor exec = make_cuda_executor(number);
        const double free = static_cast<double>(free_device_memory(exec));
        std::string name;
        for (const cuda_device& each : cuda_devices()) {
            name = each.number == number ? each.name : name;
        }
        if (free < bytes) {
            throw resource_error("the method needs " + bytes_in_words(bytes) + " on the device " +
                                 std::to_string(number) + " (" + name + "), which has " + bytes_in_words(free) +
                                 " free");
        }
        return {exec, name, free};
    } catch (const resource_error&) {
        if (asked) {
            throw;
        }
        return {};  // no device, one that cannot be used, too little memory
    }
}

void require_device(const solve_options& options)
{
    if (options.executor == executor::cuda) {
        (void)make_cuda_executor(options.device);
    }
}

}  // namespace residua
