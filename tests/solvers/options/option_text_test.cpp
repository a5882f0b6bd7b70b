#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/options/option_text.hpp>

using namespace residua;

namespace {

std::string refusal(std::string_view name, std::string_view value)
{
    try {
        solve_options options;
        set_option(options, name, value);
    } catch (const option_error& e) {
        return e.what();
    }
    return "nothing was thrown";
}

}  // namespace

TEST(option_text_test, sets_every_option_by_its_name_with_and_without_dashes)
{
    solve_options o;
    set_option(o, "method", "gmres-ir");
    set_option(o, "--precond", "lu");
    set_option(o, "format", "multidigit");
    set_option(o, "precision", "qd");
    set_option(o, "factors", "single");
    set_option(o, "rtol", "1e-400");
    set_option(o, "atol", "0.5");
    set_option(o, "executor", "host");
    set_option(o, "maxiter", "7");
    set_option(o, "restart", "8");
    set_option(o, "digits", "30");
    set_option(o, "time-limit", "2.5");
    set_option(o, "fill", "3");
    set_option(o, "block-size", "6");
    set_option(o, "damp", "0.5");
    set_option(o, "threads", "2");
    set_option(o, "checkpoint", "state");
    EXPECT_FALSE(o.resume);
    set_option(o, "resume", "other state");
    set_option(o, "every", "0.5");

    EXPECT_EQ(o.method, method::gmres_ir);
    EXPECT_EQ(o.preconditioner, preconditioner::lu);
    EXPECT_EQ(o.format, number_format::multidigit);
    EXPECT_EQ(o.precision_bits, 212);
    EXPECT_EQ(o.factor_bits, 24);
    EXPECT_EQ(o.rtol, real("1e-400", 256));
    EXPECT_EQ(o.atol, real(0.5));
    EXPECT_EQ(o.executor, executor::host);
    EXPECT_EQ(o.max_iterations, 7);
    EXPECT_EQ(o.nodes.block_size, 6);
    EXPECT_EQ(o.restart, 8);
    EXPECT_EQ(o.digits, 30);
    EXPECT_EQ(o.time_limit_seconds, 2.5);
    EXPECT_EQ(o.fill, 3);
    EXPECT_EQ(o.threads, 2);
    EXPECT_EQ(o.checkpoint, "other state");
    EXPECT_TRUE(o.resume);
    EXPECT_EQ(o.checkpoint_seconds, 0.5);
    EXPECT_EQ(option_names().size(), 19u);
}

TEST(option_text_test, takes_the_names_of_python_where_they_are_asked_for)
{
    solve_options o;
    set_option(o, "time_limit", "3", vocabulary::python);
    set_option(o, "M", "ilut", vocabulary::python);
    EXPECT_EQ(o.time_limit_seconds, 3.0);
    EXPECT_EQ(o.preconditioner, preconditioner::ilut);
    set_option(o, "M", "auto", vocabulary::python);
    EXPECT_EQ(o.preconditioner, preconditioner::automatic);

    try {
        set_option(o, "M", "ilutt", vocabulary::python);
        FAIL();
    } catch (const option_error& e) {
        EXPECT_TRUE(std::string(e.what()).starts_with("M: \"ilutt\" is none of auto, none, ")) << e.what();
    }
    EXPECT_THROW(set_option(o, "time_limit", "3"), option_error);
    EXPECT_THROW(set_option(o, "M", "ilut"), option_error);
}

TEST(option_text_test, knows_a_solve_by_the_options_on_which_x_depends)
{
    using changes = std::vector<std::string>;
    const auto changed_by = [](std::string_view name, std::string_view value) {
        solve_options o;
        const auto before = options_of_x(o);
        set_option(o, name, value);
        const auto after = options_of_x(o);
        changes names;
        for (std::size_t k = 0; k < before.size(); ++k) {
            if (before[k] != after[k]) {
                names.push_back(after[k].first + "=" + after[k].second);
            }
        }
        return names;
    };
    EXPECT_EQ(changed_by("fill", "3"), changes{"fill=3"});
    EXPECT_EQ(changed_by("precond", "lu"), changes{"precond=lu"});
    EXPECT_EQ(changed_by("precision", "qd"), changes{"precision=212"});
    for (const std::string_view name : {"checkpoint", "resume", "every", "threads", "time-limit"}) {
        EXPECT_EQ(changed_by(name, "2"), changes{}) << name;
    }
    EXPECT_EQ(changed_by("executor", "host"), changes{});
    EXPECT_EQ(options_of_x({}).size(), option_names().size() - 6);
}

TEST(option_text_test, refuses_numbers_without_sense_whoever_set_them)
{
    const auto refusal_of = [](const auto& spoil) -> std::string {
        solve_options o;
        spoil(o);
        try {
            require_options(o);
        } catch (const unsupported_error& e) {
            return e.what();
        }
        return "nothing was thrown";
    };
    EXPECT_NO_THROW(require_options({}));
    EXPECT_EQ(refusal_of([](solve_options& o) { o.fill = -1; }),
              "the fill of a preconditioner must be at least 0, not -1");
    EXPECT_EQ(refusal_of([](solve_options& o) { o.restart = 0; }),
              "the restart length of GMRES must be at least 1, not 0");
    EXPECT_EQ(refusal_of([](solve_options& o) {
                  o.restart = 0;
                  o.method = method::cg;
              }),
              "nothing was thrown");
    EXPECT_EQ(refusal_of([](solve_options& o) { o.precision_bits = -5; }),
              "the number of bits must be at least 0, not -5");
    EXPECT_NE(refusal_of([](solve_options& o) { o.time_limit_seconds = std::nan(""); }), "nothing was thrown");
    EXPECT_NE(refusal_of([](solve_options& o) { o.atol = real(-1.0); }), "nothing was thrown");
}

TEST(option_text_test, refuses_other_names_and_values_in_the_words_of_the_caller)
{
    EXPECT_EQ(refusal("threads-of-gold", "1"),
              "there is no option \"threads-of-gold\"; those are atol, block-size, checkpoint, damp, digits, every, executor, "
              "factors, fill, "
              "format, maxiter, method, precision, precond, restart, resume, rtol, threads, time-limit");
    EXPECT_EQ(refusal("--rtol", "-1"), "--rtol: -1 is negative");
    EXPECT_EQ(refusal("maxiter", "0"), "maxiter: \"0\" is not an integer of at least 1");
    for (const std::string_view name : option_names()) {
        const bool is_file = name == "checkpoint" || name == "resume";
        EXPECT_TRUE(refusal(name, is_file ? "-" : "?").starts_with(std::string(name) + ": ")) << name;
    }
}
