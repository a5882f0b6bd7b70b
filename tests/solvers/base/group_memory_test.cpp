#include <residua/solvers/base/group_memory.hpp>

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/control_groups.hpp"

namespace residua {
namespace {

using support::fake_root, support::mount_of_version_1, support::mount_of_version_2;

double left_in(const fake_root& root) { return group_memory(root.path()).left(); }

}  // namespace

TEST(group_memory_test, is_without_end_where_no_group_has_a_limit)
{
    EXPECT_TRUE(std::isinf(left_in(fake_root("", ""))));
    const fake_root newer("0::/a\n", mount_of_version_2());
    newer.write("sys/fs/cgroup/a/memory.max", "max\n");
    newer.write("sys/fs/cgroup/a/memory.high", "max\n");
    newer.write("sys/fs/cgroup/a/memory.current", "5000\n");
    EXPECT_TRUE(std::isinf(left_in(newer)));
    const fake_root older("4:memory:/a\n", mount_of_version_1("memory"));
    older.write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
    older.write("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "5000\n");
    EXPECT_TRUE(std::isinf(left_in(older)));
}

TEST(group_memory_test, is_the_limit_less_what_is_in_use_and_no_cache_of_files)
{
    const fake_root newer("0::/a/b\n", mount_of_version_2());
    newer.write("sys/fs/cgroup/a/b/memory.max", "1000000\n");
    newer.write("sys/fs/cgroup/a/b/memory.current", "600000\n");
    newer.write("sys/fs/cgroup/a/b/memory.stat",
                "anon 100\nfile 900\nactive_anon 77\ninactive_file 200000\nactive_file 50000\n");
    EXPECT_EQ(left_in(newer), 650000.0);
    const fake_root older("4:memory:/slurm/job\n", mount_of_version_1("memory"));
    older.write("sys/fs/cgroup/memory/slurm/job/memory.limit_in_bytes", "1000000\n");
    older.write("sys/fs/cgroup/memory/slurm/job/memory.usage_in_bytes", "600000\n");
    older.write("sys/fs/cgroup/memory/slurm/job/memory.stat",
                "cache 1\ninactive_file 7\nactive_file 7\ntotal_inactive_file 200000\ntotal_active_file 50000\n");
    EXPECT_EQ(left_in(older), 650000.0);
}

TEST(group_memory_test, is_the_least_of_all_groups_above)
{
    const fake_root root("0::/slice/job\n", mount_of_version_2());
    root.write("sys/fs/cgroup/slice/job/memory.max", "max\n");
    root.write("sys/fs/cgroup/slice/job/memory.current", "10\n");
    root.write("sys/fs/cgroup/slice/memory.max", "5000\n");
    root.write("sys/fs/cgroup/slice/memory.current", "4000\n");
    EXPECT_EQ(left_in(root), 1000.0);
    root.write("sys/fs/cgroup/slice/memory.high", "4500\n");  // beyond it the kernel slows the process down
    EXPECT_EQ(left_in(root), 500.0);
    root.write("sys/fs/cgroup/slice/memory.current", "9000\n");
    EXPECT_EQ(left_in(root), 0.0);
}

TEST(group_memory_test, is_what_a_container_sees)
{
    const fake_root root("4:memory:/docker/1234\n", mount_of_version_1("memory", "/docker/1234"));
    root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "3000\n");
    root.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n");
    EXPECT_EQ(left_in(root), 2000.0);
}

}  // namespace residua
