#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace residua {

/// The memory that control groups leave to this process, as those of a batch system, of a container or of systemd.
class group_memory {
public:
    /// root  as io::control_groups has it
    explicit group_memory(const std::filesystem::path& root = "/");

    /// Bytes: the least that a group of the process leaves, which is its limit (memory.max and memory.high,
    /// memory.limit_in_bytes) without what is in use, but with what is in use as a cache of files and can be had at once.
    /// Infinite where no group has a limit. It takes no memory.
    double left() const;

private:
    struct group {
        std::vector<std::string> limits;
        std::string usage, statistics;
        const char *inactive, *active;  ///< in the statistics: file caches
    };
    std::vector<group> groups_;
};

}  // namespace residua
