#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace residua::support {

/// A folder that stands for /, with control groups in it; removed at the end.
class fake_root {
public:
    /// groups  /proc/self/cgroup
    /// mounts  /proc/self/mountinfo
    fake_root(const std::string& groups, const std::string& mounts)
    {
        write("proc/self/cgroup", groups);
        write("proc/self/mountinfo", mounts);
    }
    ~fake_root() { std::filesystem::remove_all(path_); }
    fake_root(const fake_root&) = delete;
    fake_root& operator=(const fake_root&) = delete;

    void write(const std::string& file, const std::string& text) const
    {
        std::filesystem::create_directories((path_ / file).parent_path());
        std::ofstream(path_ / file) << text;
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                  ("residua_root_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)));
};

/// Lines of mountinfo: version 2, and a hierarchy of version 1, whose group `top` is what is seen there.
inline std::string mount_of_version_2(const std::string& top = "/")
{
    return "30 24 0:26 " + top + " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
}
inline std::string mount_of_version_1(const std::string& controllers, const std::string& top = "/")
{
    return "35 31 0:32 " + top + " /sys/fs/cgroup/" + controllers + " rw,relatime - cgroup cgroup rw," + controllers +
           "\n";
}

}  // namespace residua::support
