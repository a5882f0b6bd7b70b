#include <gtest/gtest.h>

#include "apps/residua/text/convergence.hpp"

namespace residua {
namespace {

solve_report report_of(method m, number_format f, long bits)
{
    solve_report report;
    report.method = m;
    report.format = f;
    report.precision_bits = bits;
    report.status = solve_status::converged;
    report.history.push_back({.iteration = 0, .recursive = real(1.0), .exact = real(1.0)});
    report.history.push_back({.iteration = 1, .recursive = real("1e-400", 200), .exact = std::nullopt});
    report.history.push_back({.iteration = 2, .recursive = real(), .exact = real("1e-401", 200)});
    return report;
}

TEST(solve_plot, keeps_residuals_beyond_binary64_and_leaves_out_zeros)
{
    const io::log_plot plot = solve_plot("title", report_of(method::cg, number_format::expansion, 212));

    ASSERT_EQ(plot.curves.size(), 1u);
    ASSERT_EQ(plot.curves[0].line.size(), 2u);
    EXPECT_EQ(plot.curves[0].line[1].x, 1.0);
    EXPECT_DOUBLE_EQ(plot.curves[0].line[1].y, -400.0);
    ASSERT_EQ(plot.curves[0].marks.size(), 2u);
    EXPECT_DOUBLE_EQ(plot.curves[0].marks[1].y, -401.0);
}

TEST(compare_plot, ends_in_the_true_residual)
{
    solve_report report = report_of(method::gmres, number_format::native, 53);
    report.history = {{.iteration = 0, .recursive = real(1.0), .exact = real(1.0)},
                      {.iteration = 1, .recursive = real("1e-260", 200), .exact = std::nullopt},
                      {.iteration = 1, .recursive = real("1e-260", 200), .exact = real(0.01)}};

    const io::log_plot plot = compare_plot("title", {&report});

    ASSERT_EQ(plot.curves[0].line.size(), 2u);
    EXPECT_DOUBLE_EQ(plot.curves[0].line[1].y, -2.0);
}

TEST(plot_title, leaves_the_folders_out)
{
    EXPECT_EQ(plot_title("/a/b.c/d.mtx"), "Convergence on d.mtx");
    EXPECT_EQ(plot_title("<stdin>"), "Convergence on <stdin>");
}

TEST(compare_plot, has_a_colour_for_each_precision_and_a_dash_for_each_method)
{
    const solve_report a = report_of(method::cg, number_format::native, 53);
    const solve_report b = report_of(method::cg, number_format::expansion, 106);
    const solve_report c = report_of(method::gmres, number_format::expansion, 106);

    const io::log_plot plot = compare_plot("title", {&a, &b, &c});

    ASSERT_EQ(plot.curves.size(), 3u);
    EXPECT_EQ(plot.curves[0].label, "cg native 53 bits");
    EXPECT_NE(plot.curves[0].color, plot.curves[1].color);
    EXPECT_EQ(plot.curves[1].color, plot.curves[2].color);
    EXPECT_EQ(plot.curves[0].dash, plot.curves[1].dash);
    EXPECT_NE(plot.curves[1].dash, plot.curves[2].dash);
}

}  // namespace
}  // namespace residua
