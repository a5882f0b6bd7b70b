#include <residua/io/processors.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include <omp.h>
#include <sched.h>

#include <residua/io/team.hpp>

namespace residua::io {
namespace detail {
namespace {

double ratio(double quota, double period) { return quota > 0.0 && period > 0.0 ? quota / period : no_quota; }

double number_in(const std::filesystem::path& file)
{
    std::ifstream in(file);
    double value = -1.0;
    return in >> value ? value : -1.0;
}

/// Of one group; "max" in cpu.max is no number.
double quota_in(const std::filesystem::path& group)
{
    std::ifstream in(group / "cpu.max");
    double quota = -1.0, period = -1.0;
    const double newer = in >> quota >> period ? ratio(quota, period) : no_quota;
    return std::min(newer, ratio(number_in(group / "cpu.cfs_quota_us"), number_in(group / "cpu.cfs_period_us")));
}

}  // namespace

double quota_of(const std::filesystem::path& root, const std::string& groups)
{
    double least = std::min(quota_in(root), quota_in(root / "cpu"));
    std::istringstream lines(groups);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const bool has_cpu = ("," + controllers + ",").find(",cpu,") != std::string::npos;
        if (!controllers.empty() && !has_cpu) {
            continue;
        }
        const std::filesystem::path at = std::filesystem::path(line.substr(second + 1)).relative_path();
        for (const std::filesystem::path& mount : {root, root / "cpu", root / controllers}) {
            for (std::filesystem::path group = at; !group.empty(); group = group.parent_path()) {
                least = std::min(least, quota_in(mount / group));
            }
        }
    }
    return least;
}

}  // namespace detail

namespace {

int affine_processors()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    // fails on machines with more processors than the set holds
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : omp_get_num_procs();
}

double quota_of_process()
{
    std::ifstream in("/proc/self/cgroup");
    const std::string groups{std::istreambuf_iterator<char>(in), {}};
    return detail::quota_of("/sys/fs/cgroup", groups);
}

}  // namespace

int available_processors()
{
    static const double quota = quota_of_process();
    const double most = std::min(static_cast<double>(affine_processors()), std::ceil(quota));
    return std::max(1, static_cast<int>(most));
}

}  // namespace residua::io
