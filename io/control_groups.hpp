#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace residua::io {

/// The folders of the control groups that this process is in and of all above these, of version 1 and 2, as far as they are
/// mounted: where the files of a controller are, as cpu.max or memory.limit_in_bytes.
///
/// controller  cpu, memory, ...
/// root        the folder that stands for /, in which are proc/self/cgroup, proc/self/mountinfo and what is mounted
std::vector<std::filesystem::path> control_groups(std::string_view controller, const std::filesystem::path& root = "/");

}  // namespace residua::io
