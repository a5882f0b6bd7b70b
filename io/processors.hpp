#pragma once

#include <filesystem>
#include <limits>

namespace residua::io::detail {

/// The number of processors that a group without a quota may use.
inline constexpr double no_quota = std::numeric_limits<double>::infinity();

/// Processors' worth of time that control groups leave to this process: the least of cpu.max (version 2), and of
/// cpu.cfs_quota_us over cpu.cfs_period_us (version 1), in its group and those above. Files that are not there or not
/// readable set no limit.
///
/// root  as control_groups() has it
double quota_of(const std::filesystem::path& root);

}  // namespace residua::io::detail
