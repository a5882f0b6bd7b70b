#include <residua/io/plot.hpp>

#include <algorithm>

#include <gtest/gtest.h>

#include <residua/io/error.hpp>

namespace residua::io {
namespace {

log_plot two_curves()
{
    return {.title = "a \"title\"",
            .x_label = "x",
            .y_label = "y",
            .curves = {{.label = "one", .line = {{0.0, 0.0}, {1.0, -12.5}}, .marks = {}, .marks_label = {}},
                       {.label = "two",
                        .line = {{0.0, 0.0}, {3.0, -400.0}},
                        .marks = {{2.0, -1.0}},
                        .marks_label = "m",
                        .color = 1,
                        .dash = 1,
                        .good = false}}};
}

TEST(gnuplot_data, has_three_blocks_a_curve)
{
    EXPECT_EQ(gnuplot_data(two_curves()),
              "# blocks of: x, log10 of y\n"
              "# one: line, marks, end\n0 0\n1 -12.5\n\n\nNaN NaN\n\n\n1 -12.5\n\n\n"
              "# two: line, marks, end\n0 0\n3 -400\n\n\n2 -1\n\n\n3 -400\n\n\n");
}

TEST(gnuplot_script, quotes_names_and_covers_all_decades)
{
    const std::string script = gnuplot_script(two_curves(), "d \"1\".dat", "p.svg");

    EXPECT_NE(script.find("set title \"a \\\"title\\\"\" noenhanced\n"), std::string::npos);
    EXPECT_NE(script.find("\"d \\\"1\\\".dat\" index 0 "), std::string::npos);
    EXPECT_NE(script.find("set yrange [-407:7]\n"), std::string::npos) << script;
    EXPECT_NE(script.find("set ytics 50\n"), std::string::npos) << script;
    EXPECT_NE(script.find("title \"two\""), std::string::npos);
    EXPECT_NE(script.find("title \"m\""), std::string::npos);
}

TEST(gnuplot_script, refuses_other_endings) { EXPECT_THROW(gnuplot_script(two_curves(), "d", "p.jpg"), error); }

TEST(gnuplot_script, takes_a_plot_without_points)
{
    const log_plot empty{.title = "", .x_label = "", .y_label = "", .curves = {{}}};

    EXPECT_NE(gnuplot_script(empty, "d", "p.svg").find("set yrange [-1:1]"), std::string::npos);
    EXPECT_NE(gnuplot_data(empty).find("NaN NaN"), std::string::npos);
}

TEST(thinned, keeps_short_curves_as_they_are)
{
    const std::vector<log_point> points{{0.0, 1.0}, {1.0, 0.0}};
    EXPECT_EQ(thinned(points, 2).size(), 2u);
}

TEST(thinned, keeps_extremes_order_and_end)
{
    std::vector<log_point> points;
    for (int i = 0; i < 100000; ++i) {
        points.push_back({static_cast<double>(i), static_cast<double>(i % 7)});
    }
    points[54321].y = -300.0;
    points[12345].y = 77.0;

    const std::vector<log_point> kept = thinned(points, 500);

    EXPECT_LE(kept.size(), 501u);
    EXPECT_EQ(kept.back().x, 99999.0);
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(), [](auto& a, auto& b) { return a.x < b.x; }));
    const auto [low, high] = std::minmax_element(kept.begin(), kept.end(), [](auto& a, auto& b) { return a.y < b.y; });
    EXPECT_EQ(low->x, 54321.0);
    EXPECT_EQ(high->x, 12345.0);
}

}  // namespace
}  // namespace residua::io
