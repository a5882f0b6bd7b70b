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
    return run;
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
