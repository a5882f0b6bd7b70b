// What binary64_tally knows of files whose numbers are binary64 numbers as they are printed.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/io/decimal.hpp>

#include "tests/support/scale.hpp"

namespace residua::io {
namespace {

using support::scaled;

/// Whether these numbers are a file of printed binary64 numbers.
bool are_printed(const std::vector<std::string>& decimals)
{
    binary64_tally tally;
    for (const std::string& decimal : decimals) {
        tally(decimal);
    }
    return tally.all_are_printed;
}

TEST(binary64_tally, knows_binary64_numbers_as_they_are_printed)
{
    for (const char* printed : {"0",
                                "0.000",
                                "0.1",
                                "-0.10000000000000001",
                                "1.00000000000000006e-1",
                                "0.1000000000000000055511151231257827",
                                "0.1000000000000000055511151231257827021181583404541015625",
                                "1.0000000000000000555e-01",
                                "3",
                                "5.684341886080802e-14",
                                "5.684341886080801e-14",
                                "5.00000000000000000D-01",
                                "99999999999999991611392",
                                "9.9999999999999991611e+22",
                                "1e23",
                                "4.9406564584124654e-324",
                                "4.940656458412465442e-324",
                                "1.7976931348623157081e+308",
                                "9007199254740992",
                                "18446744073709551616"}) {
        EXPECT_TRUE(are_printed({printed})) << printed;
    }
    for (const char* decimal : {"0.100000000000000001", "1.00000000000000000e-1", "0.10000000000000004",
                                "9007199254740993", "5e-324", "1e-320", "1e-400", "1e400", "100000000000000000000000",
                                "18446744073709551615", "0.1000000000000000055511151231257827021181583404541015626"}) {
        EXPECT_FALSE(are_printed({decimal})) << decimal;
        EXPECT_FALSE(are_printed({"0.5", decimal, "0.10000000000000000555"})) << decimal;
    }
}

TEST(binary64_tally, knows_what_printf_and_the_shortest_decimals_write)
{
    const std::uint64_t seed = 5;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (std::int64_t k = 0; k < scaled(3000); ++k) {
        const std::uint64_t bits = k % 10 == 0 ? random() % (1 << 20) << 52 : random();  // powers of two, too
        double x = 0.0;
        std::memcpy(&x, &bits, sizeof x);
        if (!std::isfinite(x) || std::fpclassify(x) == FP_SUBNORMAL) {
            continue;
        }
        const int digits = k % 50 == 0 ? 800 : 17 + static_cast<int>(random() % 20);
        for (const char* format : {"%.*e", "%.*g"}) {
            std::array<char, 1024> text;
            std::snprintf(text.data(), text.size(), format, digits, x);
            ASSERT_TRUE(are_printed({text.data()})) << text.data();
            binary64_tally tally;
            ASSERT_EQ(tally(std::string(text.data())), x);
        }
        ASSERT_TRUE(are_printed({to_decimal(x)})) << to_decimal(x);
    }
}

TEST(binary64_tally, bounds_what_rounding_changed)
{
    const auto rounding_of = [](const std::vector<std::string>& decimals) {
        binary64_tally tally;
        for (const std::string& decimal : decimals) {
            tally(decimal);
        }
        binary64_tally all;
        all.add(tally);
        return all.rounding();
    };
    EXPECT_EQ(rounding_of({"0", "0.5", "3"}), 0.0);
    EXPECT_EQ(rounding_of({"0.1"}), 0x1p-53);
    EXPECT_EQ(rounding_of({"0.100000000000000001"}), 0x1p-53);
    EXPECT_EQ(rounding_of({"0.3000000000000000000001", "1e-320"}), 1.0);
    EXPECT_DOUBLE_EQ(rounding_of({"0.299999999999999989", "0.10000000000000000555"}), 0.5 / 299999999999999989.0);
    EXPECT_DOUBLE_EQ(rounding_of({"1.00000000000000005551e-01"}), 0.5e-20);
}

}  // namespace
}  // namespace residua::io
