#include <residua/solvers/planning/placement.hpp>

#include <algorithm>
#include <cstdio>

#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/base/tuning_table.hpp>
#include <residua/solvers/planning/costs.hpp>
#include <residua/solvers/planning/rates.hpp>

namespace residua {
namespace {

constexpr double second = 1e-9;  // seconds in a nanosecond

/// A GPU makes dense factors of expansions of up to 8 terms (dense_direct/device_blocks.hpp), with or without products.
constexpr long most_bits_of_expansions_eliminated_on_gpu = 8 * 53;

/// Seconds of an iteration's solves with the triangles of a preconditioner.
struct solve_seconds {
    double on_gpu = 0.0;
    double on_host = 0.0;  ///< with copies of a vector to the host and back
    double on_host_alone = 0.0;
};

solve_seconds seconds_of_solves(const iteration_work& work)
{
    constexpr gpu_rates gpu = rates_of_gpu;
    const triangle_path& path = *work.triangles;
    const double entry = rates_of(static_cast<double>(work.solves_in.bits)).front_solve;
    const double bytes = static_cast<double>(work.unknowns) * number_bytes(work.solves_in);
    const double here = path.entries * entry;
    const double each = second * work.solves;
    return {.on_gpu = each * (path.levels * gpu.level + path.steps * (gpu.step + gpu.slowness * entry) +
                              path.entries * entry / gpu.speed),
            .on_host = each * (here + 2.0 * (gpu.copy + bytes * gpu.byte)),
            .on_host_alone = each * here};
}

/// Whether the tuning table prefers a GPU for a system of that size.
bool is_large(const iteration_work& work)
{
    return work.unknowns >= tuning::row_of(tuning::devices, work.in.bits).least_unknowns;
}

}  // namespace

bool runs_on_gpu(const arithmetic& in, const candidate& choice)
{
    if (in.format == number_format::rns) {
        return runs_in_rns_on_gpu(choice.method, choice.preconditioner);
    }
    if (choice.method == method::direct) {
        if (in.format == number_format::expansion && in.bits <= most_bits_of_expansions_eliminated_on_gpu) {
            return true;
        }
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

gpu_use gpu_for(const solve_options& options, const arithmetic& in, const candidate& choice, index_t unknowns)
{
    const bool asked = options.executor == executor::cuda;
    const bool worth_it =
        options.executor == executor::automatic && takes_gpu_unasked(choice) &&
        (options.format == number_format::rns || unknowns >= tuning::row_of(tuning::devices, in.bits).least_unknowns);
    return !(asked || worth_it) || !runs_on_gpu(in, choice) ? gpu_use::none
           : asked                                          ? gpu_use::required
                                                            : gpu_use::if_it_fits;
}

placement find_place(gpu_use use, const solve_options& options, double bytes)
{
    if (use == gpu_use::none) {
        return {};
    }
    const int number = use == gpu_use::required ? options.device : 0;
    try {
        placement gpu{make_cuda_executor(number), {}};
        gpu.free_bytes = static_cast<double>(free_device_memory(*gpu.device));
        for (const cuda_device& each : cuda_devices()) {
            gpu.name = each.number == number ? each.name : gpu.name;
        }
        if (gpu.free_bytes < bytes) {
            throw resource_error("the method needs " + bytes_in_words(bytes) + " on the device " +
                                 std::to_string(number) + " (" + gpu.name + "), which has " +
                                 bytes_in_words(gpu.free_bytes) + " free");
        }
        return gpu;
    } catch (const resource_error&) {
        if (use == gpu_use::required) {
            throw;
        }
        return {};  // no device, one that cannot be used, too little memory
    }
}

iteration_choice place_iteration(const iteration_work& work)
{
    constexpr gpu_rates gpu = rates_of_gpu;
    const solve_seconds solves = work.triangles ? seconds_of_solves(work) : solve_seconds{};
    const operation_rates rates = rates_of(static_cast<double>(work.in.bits));
    const double rest = second * (work.entries * rates.product +
                                  work.vector_operations * static_cast<double>(work.unknowns) * rates.vector);
    const bool host_solves = work.triangles && solves.on_host < solves.on_gpu;
    // what remains on either side, without solves that the host does in any case
    const double here = rest / work.threads + (host_solves ? 0.0 : solves.on_host_alone);
    const double there = rest / gpu.speed + second * gpu.launch * (work.vector_operations + 1.0) +
                         (host_solves ? solves.on_host - solves.on_host_alone : solves.on_gpu);
    const bool may_leave = work.iterations > 0.0 && (work.triangles || !is_large(work));
    char text[240];
    if (may_leave && clear_factor * here < there && work.iterations * (there - here) > most_seconds_lost) {
        const double shared = host_solves ? solves.on_host_alone : 0.0;
        std::snprintf(text, sizeof text, "the method: an iteration takes about %.2g s on the host, %.2g s with a GPU",
                      here + shared, there + shared);
        return {iteration_place::host, text};
    }
    if (host_solves) {
        std::snprintf(text, sizeof text,
                      "triangular solves: %.0f row levels take about %.2g s on a GPU, and %.2g s on the host with the "
                      "way of a vector there and back",
                      work.triangles->levels, solves.on_gpu, solves.on_host);
        return {iteration_place::triangles_on_host, text};
    }
    return {};
}

}  // namespace residua
