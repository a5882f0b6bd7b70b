#include <residua/io/processors.hpp>

#include <string>

#include <gtest/gtest.h>

#include <residua/io/team.hpp>

#include "tests/support/control_groups.hpp"

namespace residua::io::detail {
namespace {

using support::fake_root, support::mount_of_version_1, support::mount_of_version_2;

}  // namespace

TEST(processors_test, have_no_quota_where_no_group_says_so)
{
    EXPECT_EQ(quota_of(fake_root("", "").path()), no_quota);
    for (const std::string text : {"max 100000\n", "nonsense\n", ""}) {
        const fake_root newer("0::/a\nnot a line\n", mount_of_version_2());
        newer.write("sys/fs/cgroup/a/cpu.max", text);
        EXPECT_EQ(quota_of(newer.path()), no_quota) << text;
    }
    const fake_root older("3:cpu:/a\n", mount_of_version_1("cpu"));
    older.write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
    older.write("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota_of(older.path()), no_quota);
}

TEST(processors_test, have_the_least_quota_of_a_group_and_those_above)
{
    const fake_root root("0::/a/b/c\n", mount_of_version_2());
    root.write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
    root.write("sys/fs/cgroup/a/b/cpu.max", "400000 100000\n");
    root.write("sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
    root.write("sys/fs/cgroup/other/cpu.max", "10000 100000\n");
    EXPECT_EQ(quota_of(root.path()), 1.5);
}

TEST(processors_test, have_the_quota_of_the_older_groups)
{
    const fake_root root("4:memory:/a\n3:cpu,cpuacct:/a/b\n",
                         mount_of_version_1("memory") + mount_of_version_1("cpu,cpuacct"));
    root.write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n");
    root.write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
    root.write("sys/fs/cgroup/memory/a/cpu.cfs_quota_us", "1000\n");
    root.write("sys/fs/cgroup/memory/a/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota_of(root.path()), 2.5);
}

TEST(processors_test, have_the_quota_at_the_root_of_a_container_and_below)
{
    const fake_root newer("0::/../elsewhere\n", mount_of_version_2());
    newer.write("sys/fs/cgroup/cpu.max", "50000 100000\n");
    EXPECT_EQ(quota_of(newer.path()), 0.5);
    const fake_root older("3:cpu:/docker/1234/sub\n", mount_of_version_1("cpu", "/docker/1234"));
    older.write("sys/fs/cgroup/cpu/sub/cpu.cfs_quota_us", "300000\n");
    older.write("sys/fs/cgroup/cpu/sub/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota_of(older.path()), 3.0);
}

TEST(processors_test, are_one_at_least) { EXPECT_GE(available_processors(), 1); }

}  // namespace residua::io::detail
