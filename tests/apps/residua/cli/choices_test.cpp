#include <gtest/gtest.h>

#include "apps/residua/cli/choices.hpp"
#include "apps/residua/cli/exit_code.hpp"

namespace residua {
namespace {

TEST(choose, finds_words_and_lists_them_when_it_does_not)
{
    EXPECT_EQ(choose("--method", method_choices(), "cg"), method::cg);
    EXPECT_EQ(choose("--precond", preconditioner_choices(), "auto"), preconditioner::automatic);
    try {
        choose("--method", method_choices(), "jacobi");
        FAIL();
    } catch (const usage_error& e) {
        EXPECT_STREQ(
            e.what(),
            "--method: \"jacobi\" is none of auto, cg, minres, gmres, bicgstab, bicgstabl, idr, tfqmr, bicg, cocg, "
            "cocr, lsqr, refine, gmres-ir, direct");
    }
}

TEST(choices, have_the_names_that_reports_use)
{
    for (const named_value<method>& each : method_choices()) {
        EXPECT_EQ(to_string(each.value), each.name);
    }
    for (const named_value<preconditioner>& each : preconditioner_choices()) {
        EXPECT_EQ(to_string(each.value), each.name);
    }
    for (const named_value<number_format>& each : format_choices()) {
        EXPECT_EQ(to_string(each.value), each.name);
    }
}

TEST(parse_integer, takes_whole_numbers_within_the_limits_only)
{
    EXPECT_EQ(parse_integer("--n", "12", 1), 12);
    EXPECT_EQ(parse_integer("--n", "-3", -5, 5), -3);
    for (const char* wrong : {"", "0", "1.0", " 1", "1 ", "0x2", "9223372036854775808", "1e3"}) {
        EXPECT_THROW(parse_integer("--n", wrong, 1), usage_error) << wrong;
    }
}

TEST(parse_precision, knows_names_and_bits)
{
    EXPECT_EQ(parse_precision("-p", "auto"), 0);
    EXPECT_EQ(parse_precision("-p", "qd"), 212);
    EXPECT_EQ(parse_precision("-p", "100"), 100);
    EXPECT_EQ(parse_precision("-p", "4096"), 4096);
    EXPECT_THROW(parse_precision("-p", "4097"), usage_error);
    EXPECT_THROW(parse_precision("-p", "0"), usage_error);
    EXPECT_THROW(parse_precision("-p", "100000"), usage_error);
}

TEST(parse_nonnegative, takes_any_decimal)
{
    EXPECT_EQ(parse_nonnegative("--rtol", "1e-400"), real("1e-400", 256));
    EXPECT_EQ(parse_nonnegative("--rtol", "1D-2"), real("0.01", 256));
    EXPECT_THROW(parse_nonnegative("--rtol", "-1e-400"), usage_error);
    EXPECT_THROW(parse_nonnegative("--rtol", "inf"), usage_error);
}

TEST(split_list, splits_at_commas_and_refuses_empty_parts)
{
    EXPECT_EQ(split_list("--methods", "cg,gmres"), (std::vector<std::string>{"cg", "gmres"}));
    EXPECT_EQ(split_list("--methods", "cg"), std::vector<std::string>{"cg"});
    EXPECT_THROW(split_list("--methods", "cg,"), usage_error);
    EXPECT_THROW(split_list("--methods", ""), usage_error);
}

}  // namespace
}  // namespace residua
