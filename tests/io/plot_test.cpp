#include <residua/io/plot.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/io/error.hpp>

namespace residua::io {
namespace {

log_plot two_curves()
{
    return {.title = "a \"title\"",
            .panels = {{.x_label = "x",
                        .y_label = "y",
                        .curves = {{.label = "one",
                                    .line = {{0.0, 0.0}, {1.0, -12.5}},
                                    .marks = {},
                                    .marks_label = {},
                                    .end = line_end::disc},
                                   {.label = "two",
                                    .line = {{0.0, 0.0}, {3.0, -400.0}},
                                    .marks = {{2.0, -1.0}},
                                    .marks_label = "m",
                                    .color = 1,
                                    .dash = 1,
                                    .mark = 2,
                                    .end = line_end::cross}}}}};
}

/// Two panels, and so many curves in the first.
log_plot many_curves(int count)
{
    log_plot plot{.title = "many", .panels = {{.x_label = "x", .y_label = "y", .curves = {}}}};
    for (int k = 0; k < count; ++k) {
        plot.panels[0].curves.push_back({.label = "bicgstabl multidigit " + std::to_string(4000 + k) + " bits",
                                         .line = {{0.0, 0.0}, {1.0, -1.0}},
                                         .marks = {{0.5, -0.5}},
                                         .marks_label = {},
                                         .color = k,
                                         .dash = k,
                                         .mark = k});
    }
    plot.panels.push_back(
        {.x_label = "bits",
         .y_label = "digits",
         .curves = {{.label = {}, .line = {{53.0, 15.0}, {106.0, 31.0}}, .marks = {}, .marks_label = {}}},
         .powers = false});
    return plot;
}

/// All numbers behind a text.
std::vector<double> numbers_after(const std::string& script, const std::string& text)
{
    std::vector<double> numbers;
    for (std::size_t at = 0; (at = script.find(text, at)) != std::string::npos;) {
        at += text.size();
        numbers.push_back(std::strtod(script.c_str() + at, nullptr));
    }
    return numbers;
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

    EXPECT_NE(script.find("set label 1 \"a \\\"title\\\"\" at "), std::string::npos);
    EXPECT_NE(script.find("\"d \\\"1\\\".dat\" index 0 "), std::string::npos);
    EXPECT_NE(script.find("\"d \\\"1\\\".dat\" index 5 "), std::string::npos);
    EXPECT_NE(script.find("set yrange [-407:7]\n"), std::string::npos) << script;
    EXPECT_NE(script.find("set ytics 50\n"), std::string::npos) << script;
    EXPECT_NE(script.find("title \"two\""), std::string::npos);
    EXPECT_NE(script.find("title \"m\""), std::string::npos);
}

TEST(gnuplot_script, leaves_half_of_the_picture_to_the_axes_of_twenty_curves)
{
    for (const int count : {1, 4, 20}) {
        const std::string script = gnuplot_script(many_curves(count), "d", "p.svg");
        const std::vector<double> left = numbers_after(script, "set lmargin at screen "),
                                  right = numbers_after(script, "set rmargin at screen "),
                                  top = numbers_after(script, "set tmargin at screen "),
                                  bottom = numbers_after(script, "set bmargin at screen ");
        ASSERT_EQ(left.size(), 3u);  // the last one is the key
        double area = 0.0;
        for (std::size_t k = 0; k < 2; ++k) {
            area += (right[k] - left[k]) * (top[k] - bottom[k]);
            EXPECT_GT(bottom[k], top[2]) << "the key is below";
        }
        EXPECT_GE(area, 0.5) << count;
        EXPECT_LT(right[0], left[1]);
    }
}

TEST(gnuplot_script, has_a_colour_a_dash_and_a_shape_for_each_curve_and_an_axis_from_0_for_digits)
{
    const std::string script = gnuplot_script(many_curves(4), "d", "p.svg");
    for (const char* style : {"dashtype solid linecolor rgb \"#0072B2\" pointtype 4 ",
                              "dashtype (9,4) linecolor rgb \"#D55E00\" pointtype 6 "}) {
        EXPECT_NE(script.find(style), std::string::npos) << script;
    }
    EXPECT_NE(script.find("set yrange [0:"), std::string::npos);
    EXPECT_NE(script.find("set format y \"%g\"\n"), std::string::npos);
}

TEST(gnuplot_script, ends_a_long_key_with_how_many_more_there_are)
{
    const std::string script = gnuplot_script(many_curves(1000), "d", "p.svg");
    EXPECT_EQ(numbers_after(script, "NaN with lines").size() + 1, 60u);
    EXPECT_NE(script.find("title \"and 941 more\""), std::string::npos);
}

TEST(gnuplot_script, refuses_other_endings) { EXPECT_THROW(gnuplot_script(two_curves(), "d", "p.jpg"), error); }

TEST(gnuplot_script, takes_a_plot_without_points)
{
    const log_plot empty{.title = "", .panels = {{.x_label = "", .y_label = "", .curves = {{}}}}};

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
