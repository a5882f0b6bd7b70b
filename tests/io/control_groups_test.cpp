#include <residua/io/control_groups.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/control_groups.hpp"

namespace residua::io {
namespace {

using support::fake_root, support::mount_of_version_1, support::mount_of_version_2;

/// The folders below the root.
std::vector<std::string> folders(const std::string& groups, const std::string& mounts,
                                 const std::string& controller = "memory")
{
    const fake_root root(groups, mounts);
    std::vector<std::string> found;
    for (const std::filesystem::path& at : control_groups(controller, root.path())) {
        found.push_back(at.lexically_relative(root.path()).string());
    }
    return found;
}

using paths = std::vector<std::string>;

}  // namespace

TEST(control_groups_test, are_the_one_of_the_process_and_those_above_of_either_version)
{
    const paths newer{"sys/fs/cgroup/system.slice/job", "sys/fs/cgroup/system.slice", "sys/fs/cgroup"};
    EXPECT_EQ(folders("0::/system.slice/job\n", mount_of_version_2()), newer);
    const paths older{"sys/fs/cgroup/memory/slurm/job", "sys/fs/cgroup/memory/slurm", "sys/fs/cgroup/memory"};
    EXPECT_EQ(folders("4:memory:/slurm/job\n3:cpu,cpuacct:/other\n",
                      mount_of_version_1("cpu,cpuacct") + mount_of_version_1("memory")),
              older);
    EXPECT_EQ(folders("3:cpu,cpuacct:/a\n", mount_of_version_1("cpu,cpuacct"), "cpu"),
              (paths{"sys/fs/cgroup/cpu,cpuacct/a", "sys/fs/cgroup/cpu,cpuacct"}));
}

TEST(control_groups_test, are_those_of_both_versions_where_both_are_mounted)
{
    EXPECT_EQ(folders("1:memory:/a\n0::/b\n", mount_of_version_1("memory") + mount_of_version_2()),
              (paths{"sys/fs/cgroup/memory/a", "sys/fs/cgroup/memory", "sys/fs/cgroup/b", "sys/fs/cgroup"}));
}

TEST(control_groups_test, are_found_below_the_group_that_a_container_sees_as_the_top)
{
    const paths below{"sys/fs/cgroup/memory/sub", "sys/fs/cgroup/memory"};
    EXPECT_EQ(folders("4:memory:/docker/1234/sub\n", mount_of_version_1("memory", "/docker/1234")), below);
    EXPECT_EQ(folders("4:memory:/docker/1234\n", mount_of_version_1("memory", "/docker/1234")),
              (paths{"sys/fs/cgroup/memory"}));
    EXPECT_EQ(folders("0::/../elsewhere\n", mount_of_version_2()), (paths{"sys/fs/cgroup"}));
    EXPECT_EQ(folders("0::/beside\n", mount_of_version_2("/top")), (paths{"sys/fs/cgroup"}));
}

TEST(control_groups_test, are_none_where_nothing_says_so)
{
    EXPECT_TRUE(folders("", "").empty());
    EXPECT_TRUE(folders("0::/a\n", "").empty());
    EXPECT_TRUE(folders("", mount_of_version_2()).empty());
    EXPECT_TRUE(folders("nonsense\n::\n", "nonsense\n - \n1 2 3 - cgroup2\n").empty());
    EXPECT_TRUE(folders("3:cpu:/a\n", mount_of_version_1("cpu")).empty());
}

TEST(control_groups_test, may_be_mounted_at_a_path_with_blanks)
{
    EXPECT_EQ(folders("0::/a\n", "30 24 0:26 / /my\\040groups rw - cgroup2 none rw\n"),
              (paths{"my groups/a", "my groups"}));
}

}  // namespace residua::io
