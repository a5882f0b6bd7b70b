#include <algorithm>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "apps/residua/text/summary.hpp"

namespace residua {
namespace {

run_record with_advice(std::string advice)
{
    run_record run;
    run.report.blas_advice = std::move(advice);
    run.report.status = solve_status::converged;
    return run;
}

TEST(summary, of_a_failed_solve_has_a_few_lines)
{
    solve_args args;
    run_record run;
    run.report.status = solve_status::stagnated;
    for (int k = 0; k < 200; ++k) {
        run.report.message += "why ";
    }
    const std::string few = summary_text(args, {}, run, 1, {"x.mtx"});
    EXPECT_LE(std::count(few.begin(), few.end(), '\n'), 5) << few;
    EXPECT_NE(few.find("tried last: "), std::string::npos) << few;
    EXPECT_NE(few.find("x.mtx"), std::string::npos) << few;
    args.telling.verbose = true;
    EXPECT_NE(summary_text(args, {}, run, 1, {}).find("stopping test"), std::string::npos);
}

TEST(summary, has_a_row_on_the_blas_only_where_it_does_not_know_the_processor)
{
    for (const bool is_old : {false, true}) {
        const run_record run = with_advice(is_old ? "set this" : "");

        EXPECT_EQ(summary_text({}, {}, run, 1, {}).find("set this") != std::string::npos, is_old);
        EXPECT_EQ(columns_text({}, {}, {run, run}, 1, {}).find("set this") != std::string::npos, is_old);
    }
}

}  // namespace
}  // namespace residua
