#include <residua/solvers/base/group_memory.hpp>

#include <algorithm>
#include <cmath>

#include <residua/io/control_groups.hpp>
#include <residua/io/system_file.hpp>

namespace residua {

group_memory::group_memory(const std::filesystem::path& root)
{
    for (const std::filesystem::path& at : io::control_groups("memory", root)) {
        const auto file = [&](const char* name) { return (at / name).string(); };
        std::error_code unknown;
        if (std::filesystem::exists(at / "memory.max", unknown)) {
            groups_.push_back({.limits = {file("memory.max"), file("memory.high")},
                               .usage = file("memory.current"),
                               .statistics = file("memory.stat"),
                               .inactive = "\ninactive_file ",
                               .active = "\nactive_file "});
        } else if (std::filesystem::exists(at / "memory.limit_in_bytes", unknown)) {
            groups_.push_back({.limits = {file("memory.limit_in_bytes")},
                               .usage = file("memory.usage_in_bytes"),
                               .statistics = file("memory.stat"),
                               .inactive = "\ntotal_inactive_file ",
                               .active = "\ntotal_active_file "});
        }
    }
}

double group_memory::left() const
{
    constexpr double no_limit = 0x1p60;  // version 1 writes the most pages that there can be
    double least = io::system_file::no_number;
    for (const group& each : groups_) {
        double limit = no_limit;
        for (const std::string& file : each.limits) {
            limit = std::min(limit, io::number_in(file.c_str()));
        }
        const double used = limit < no_limit ? io::number_in(each.usage.c_str()) : io::system_file::no_number;
        if (std::isfinite(used)) {
            const io::system_file statistics(each.statistics.c_str());
            double cached = 0.0;
            for (const char* kind : {each.inactive, each.active}) {
                const double bytes = statistics.number_after(kind);
                cached += std::isfinite(bytes) ? bytes : 0.0;
            }
            least = std::min(least, std::max(limit - std::max(used - cached, 0.0), 0.0));
        }
    }
    return least;
}

}  // namespace residua
