#include <cmath>

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

run_record run_of(const solve_report& report)
{
    run_record run;
    run.report = report;
    return run;
}

TEST(solve_plot, keeps_residuals_beyond_binary64_and_leaves_out_zeros)
{
    const io::log_plot plot = solve_plot("title", report_of(method::cg, number_format::expansion, 212));

    ASSERT_EQ(plot.panels.size(), 1u);
    ASSERT_EQ(plot.panels[0].curves.size(), 1u);
    const io::plot_curve& curve = plot.panels[0].curves[0];
    ASSERT_EQ(curve.line.size(), 2u);
    EXPECT_EQ(curve.line[1].x, 1.0);
    EXPECT_DOUBLE_EQ(curve.line[1].y, -400.0);
    ASSERT_EQ(curve.marks.size(), 2u);
    EXPECT_DOUBLE_EQ(curve.marks[1].y, -401.0);
}

TEST(compare_plot, ends_in_the_true_residual)
{
    solve_report report = report_of(method::gmres, number_format::native, 53);
    report.history = {{.iteration = 0, .recursive = real(1.0), .exact = real(1.0)},
                      {.iteration = 1, .recursive = real("1e-260", 200), .exact = std::nullopt},
                      {.iteration = 1, .recursive = real("1e-260", 200), .exact = real(0.01)}};

    const io::log_plot plot = compare_plot("title", {run_of(report)});

    ASSERT_EQ(plot.panels.size(), 1u);  // no error is known
    ASSERT_EQ(plot.panels[0].curves[0].line.size(), 2u);
    EXPECT_DOUBLE_EQ(plot.panels[0].curves[0].line[1].y, -2.0);
}

TEST(plot_title, leaves_the_folders_out)
{
    EXPECT_EQ(plot_title("/a/b.c/d.mtx"), "Convergence on d.mtx");
    EXPECT_EQ(plot_title("<stdin>"), "Convergence on <stdin>");
}

TEST(compare_plot, has_a_colour_and_a_dash_for_each_precision_and_a_shape_for_each_method)
{
    const run_record a = run_of(report_of(method::cg, number_format::native, 53));
    const run_record b = run_of(report_of(method::cg, number_format::expansion, 106));
    const run_record c = run_of(report_of(method::gmres, number_format::expansion, 106));

    const std::vector<io::plot_curve> curves = compare_plot("title", {a, b, c}).panels[0].curves;

    ASSERT_EQ(curves.size(), 3u);
    EXPECT_EQ(curves[0].label, "cg native 53 bits");
    EXPECT_NE(curves[0].color, curves[1].color);
    EXPECT_NE(curves[0].dash, curves[1].dash);
    EXPECT_EQ(curves[1].color, curves[2].color);
    EXPECT_EQ(curves[0].mark, curves[1].mark);
    EXPECT_NE(curves[1].mark, curves[2].mark);
}

TEST(compare_plot, marks_curves_that_coincide_in_other_places)
{
    const run_record a = run_of(report_of(method::gmres, number_format::expansion, 106));
    const run_record b = run_of(report_of(method::gmres, number_format::expansion, 212));

    const std::vector<io::plot_curve> curves = compare_plot("title", {a, b}).panels[0].curves;

    ASSERT_EQ(curves[0].marks.size(), 5u);
    for (const io::log_point& p : curves[0].marks) {
        EXPECT_NEAR(p.y, p.x < 1.0 ? -400.0 * p.x : -400.0 - (p.x - 1.0), 1e-9) << "on the line";
        for (const io::log_point& q : curves[1].marks) {
            EXPECT_GE(std::abs(p.x - q.x), 0.19);
        }
    }
}

TEST(compare_plot, has_digits_over_bits_where_they_are_known)
{
    run_record known = run_of(report_of(method::cg, number_format::expansion, 212));
    known.report.solution_bits = 212;
    known.known_error = real("1.5e-30", 200);
    run_record exact = run_of(report_of(method::cg, number_format::native, 53));
    exact.report.solution_bits = 53;
    exact.known_error = real(0.0);
    run_record estimated = run_of(report_of(method::gmres, number_format::native, 53));
    estimated.report.forward_error = real(1e-7);
    estimated.report.digits = 6;
    run_record without = run_of(report_of(method::gmres, number_format::expansion, 106));
    run_record refused = known;
    refused.fits = false;

    const io::log_plot plot = compare_plot("title", {known, exact, estimated, without, refused});

    EXPECT_EQ(known.correct_digits(), 29);
    EXPECT_EQ(exact.correct_digits(), 15);
    EXPECT_EQ(estimated.correct_digits(), 6);
    EXPECT_FALSE(without.correct_digits() || refused.correct_digits());
    ASSERT_EQ(plot.panels.size(), 2u);
    EXPECT_EQ(plot.panels[0].curves.size(), 4u);
    const std::vector<io::plot_curve>& curves = plot.panels[1].curves;
    ASSERT_EQ(curves.size(), 2u + 3u);  // a line for each method, a mark for each run
    EXPECT_EQ(curves[0].line.front().x, 53.0);
    EXPECT_EQ(curves[0].line.back().x, 212.0);
    EXPECT_EQ(curves[0].line.back().y, 29.0);
    EXPECT_NE(plot.panels[1].y_label.find("estimated"), std::string::npos);
    EXPECT_EQ(compare_plot("title", {known, exact}).panels[1].y_label.find("estimated"), std::string::npos);
}

}  // namespace
}  // namespace residua
