#include <residua/io/history.hpp>

#include <algorithm>

#include <gtest/gtest.h>

namespace residua::io {
namespace {

TEST(history, writes_a_line_a_step)
{
    EXPECT_EQ(to_csv({.iteration = 12, .recursive = "1.5e-400", .exact = "", .seconds = 0.25, .precision_bits = 212}),
              "12,1.5e-400,,0.250000,212\n");
    EXPECT_EQ(to_csv({.iteration = 0, .recursive = "1", .exact = "1", .seconds = 0.0, .precision_bits = 53}),
              "0,1,1,0.000000,53\n");
}

TEST(history, has_as_many_columns_as_names)
{
    const std::string line = to_csv({});
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), std::count(history_header.begin(), history_header.end(), ','));
}

}  // namespace
}  // namespace residua::io
