#include <residua/io/processors.hpp>

#include <algorithm>
#include <cmath>

#include <omp.h>
#include <sched.h>

#include <residua/io/control_groups.hpp>
#include <residua/io/system_file.hpp>
#include <residua/io/team.hpp>

namespace residua::io {
namespace {

/// "max" and -1 are no quota.
double ratio(double quota, double period)
{
    return quota > 0.0 && period > 0.0 && std::isfinite(quota) && std::isfinite(period) ? quota / period
                                                                                        : detail::no_quota;
}

double quota_in(const std::filesystem::path& group)
{
    const auto file = [&](const char* name) { return system_file((group / name).c_str()); };
    const system_file newer = file("cpu.max");
    return std::min(ratio(newer.number_after(""), newer.number_after(" ")),
                    ratio(file("cpu.cfs_quota_us").number_after(""), file("cpu.cfs_period_us").number_after("")));
}

int affine_processors()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    // fails on machines with more processors than the set holds
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : omp_get_num_procs();
}

}  // namespace

double detail::quota_of(const std::filesystem::path& root)
{
    double least = no_quota;
    for (const std::filesystem::path& group : control_groups("cpu", root)) {
        least = std::min(least, quota_in(group));
    }
    return least;
}

int available_processors()
{
    static const double quota = detail::quota_of("/");
    const double most = std::min(static_cast<double>(affine_processors()), std::ceil(quota));
    return std::max(1, static_cast<int>(most));
}

}  // namespace residua::io
