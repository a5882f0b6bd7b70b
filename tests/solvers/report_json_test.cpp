#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <residua/solvers/report_json.hpp>

#include "tests/support/systems.hpp"

namespace residua {
namespace {

using nlohmann::json;

TEST(report_json_test, says_what_the_report_says)
{
    solve_options options;
    options.method = method::cg;
    options.precision_bits = 106;
    options.profile = profiling::host;
    const solve_report report = solve(support::system_of(support::poisson_1d(20)), options).report;

    const std::string text = to_json(report);
    const json fields = json::parse(text);

    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_EQ(fields["method"], "cg");
    EXPECT_EQ(fields["status"], "converged");
    EXPECT_EQ(fields["format"], "expansion");
    EXPECT_EQ(fields["precision_bits"], 106);
    EXPECT_EQ(fields["iterations"], report.iterations);
    EXPECT_EQ(fields["relative_residual"], to_string(report.relative_residual, 6));
    EXPECT_EQ(fields["forward_error"]["digits"], report.digits);
    EXPECT_EQ(fields["seconds"]["parts"]["products"], report.parts->products);
}

TEST(report_json_test, says_where_the_precision_changed)
{
    solve_report report;
    EXPECT_TRUE(json::parse(to_json(report))["precision_changes"].empty());
    report.precision_changes = {{12, 374}, {34, 322}};

    const json changes = json::parse(to_json(report))["precision_changes"];

    EXPECT_EQ(changes,
              json::parse(R"([{"iteration": 12, "precision_bits": 374}, {"iteration": 34, "precision_bits": 322}])"));
}

TEST(report_json_test, says_what_to_do_where_the_blas_does_not_know_the_processor)
{
    solve_report report;
    EXPECT_TRUE(json::parse(to_json(report))["blas_advice"].is_null());
    report.blas_advice = "set this";

    EXPECT_EQ(json::parse(to_json(report))["blas_advice"], "set this");
}

TEST(report_json_test, of_what_is_not_known_is_null)
{
    solve_report report;
    report.relative_residual = real(std::numeric_limits<double>::quiet_NaN());
    report.message = "a byte \xff that is no text";

    const json fields = json::parse(to_json(report));

    for (const char* field :
         {"relative_residual", "normal_residual", "condition_estimate", "spectrum", "factor_bits"}) {
        EXPECT_TRUE(fields[field].is_null()) << field;
    }
    EXPECT_TRUE(fields["forward_error"]["bound"].is_null());
    EXPECT_TRUE(fields["memory"]["used_bytes"].is_null());
    EXPECT_TRUE(fields["seconds"]["parts"].is_null());
}

TEST(report_json_test, keeps_figures_beyond_binary64)
{
    solve_report report;
    report.rtol = real("1e-400", 64);

    EXPECT_EQ(json::parse(to_json(report))["rtol"], "1.00000e-400");
}

}  // namespace
}  // namespace residua
