#include <residua/io/processors.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include <residua/io/team.hpp>

namespace residua::io::detail {
namespace {

/// A folder that looks like /sys/fs/cgroup, removed at the end.
class groups {
public:
    groups() { std::filesystem::create_directories(root_); }
    ~groups() { std::filesystem::remove_all(root_); }
    groups(const groups&) = delete;

    void write(const std::string& file, const std::string& text) const
    {
        std::filesystem::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text;
    }
    double quota(const std::string& of) const { return quota_of(root_, of); }

private:
    std::filesystem::path root_ = std::filesystem::temp_directory_path() /
                                  ("residua_groups_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)));
};

}  // namespace

TEST(processors_test, have_no_quota_where_no_group_says_so)
{
    const groups g;
    EXPECT_EQ(g.quota(""), no_quota);
    EXPECT_EQ(g.quota("0::/\n"), no_quota);
    g.write("a/cpu.max", "max 100000\n");
    g.write("b/cpu.max", "nonsense\n");
    g.write("cpu/c/cpu.cfs_quota_us", "-1\n");
    g.write("cpu/c/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(g.quota("0::/a\n"), no_quota);
    EXPECT_EQ(g.quota("0::/b\nnot a line\n"), no_quota);
    EXPECT_EQ(g.quota("3:cpu:/c\n"), no_quota);
}

TEST(processors_test, have_the_least_quota_of_a_group_and_those_above)
{
    const groups g;
    g.write("a/cpu.max", "150000 100000\n");
    g.write("a/b/cpu.max", "400000 100000\n");
    g.write("a/b/c/cpu.max", "max 100000\n");
    g.write("other/cpu.max", "10000 100000\n");
    EXPECT_EQ(g.quota("0::/a/b/c\n"), 1.5);
    EXPECT_EQ(g.quota("0::/a/b\n"), 1.5);
}

TEST(processors_test, have_the_quota_of_the_older_groups)
{
    const groups g;
    g.write("cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n");
    g.write("cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
    g.write("memory/a/cpu.cfs_quota_us", "1000\n");
    g.write("memory/a/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(g.quota("4:memory:/a\n3:cpu,cpuacct:/a/b\n"), 2.5);
}

TEST(processors_test, have_the_quota_at_the_root_of_a_container)
{
    const groups newer;
    newer.write("cpu.max", "50000 100000\n");
    EXPECT_EQ(newer.quota("0::/../elsewhere\n"), 0.5);
    const groups older;
    older.write("cpu/cpu.cfs_quota_us", "300000\n");
    older.write("cpu/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(older.quota("3:cpu:/docker/1234\n"), 3.0);
}

TEST(processors_test, are_one_at_least) { EXPECT_GE(available_processors(), 1); }

}  // namespace residua::io::detail
