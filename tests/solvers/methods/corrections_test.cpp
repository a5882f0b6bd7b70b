#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <residua/io/interruption.hpp>
#include <residua/solvers/methods/corrections.hpp>

namespace residua {
namespace {

constexpr double not_finite = -1.0;

/// An x whose residuals are written down, and a runner that ends as it is told to.
struct fake {
    double norm = 8.0;
    std::vector<double> next;         ///< norms of the residuals of x + d, one correction after the other
    std::vector<solve_status> run{};  ///< how the runner ends; beyond the list it has converged
    std::optional<solve_status> stop{};
    std::size_t stops_at = 0;  ///< the correction before which `stop` is said
    std::size_t most = 100;    ///< corrections
    std::size_t made = 0;
    int sharpened = 0;
    std::vector<correction_step> told{};
    solve_status status = solve_status::breakdown;

    corrected in_loop()
    {
        return {.status = status,
                .passes = [this] { return norm <= 1.0; },
                .may_iterate = [this] { return made < most; },
                .sharpen = [this] { ++sharpened; },
                .stop_requested = [this] { return made == stops_at ? stop : std::nullopt; },
                .merit = [this] { return real(norm); },
                .evaluate_sum = [this]() -> std::optional<real> {
                    const double sum = next.at(made - 1);
                    return sum == not_finite ? std::nullopt : std::optional(real(sum));
                },
                .accept = [this] { norm = next.at(made - 1); },
                .tell = [this](const correction_step& step) { told.push_back(step); }};
    }

    void correct()
    {
        status = made < run.size() ? run[made] : solve_status::converged;
        ++made;
    }

    solve_status ended()
    {
        run_corrections(in_loop(), [this] { correct(); });
        return status;
    }
};

TEST(corrections, end_when_the_residual_passes)
{
    fake x{.next = {3.0, 1.5, 0.5}};

    EXPECT_EQ(x.ended(), solve_status::converged);
    EXPECT_EQ(x.made, 3U);
    EXPECT_EQ(x.norm, 0.5);
    EXPECT_EQ(x.sharpened, 3);
    ASSERT_EQ(x.told.size(), 3U);
    EXPECT_TRUE(x.told[1].finite && x.told[1].halved && !x.told[1].end);
}

TEST(corrections, are_none_of_an_x_that_passes)
{
    fake x{.norm = 1.0, .next = {}, .stop = solve_status::interrupted};

    EXPECT_EQ(x.ended(), solve_status::converged);
    EXPECT_EQ(x.made, 0U);
    EXPECT_EQ(x.sharpened, 0);
}

TEST(corrections, end_as_stagnated_when_one_does_not_halve_the_residual_and_keep_the_better_x)
{
    fake better{.next = {4.0, 2.5}};
    fake worse{.next = {4.0, 5.0}};

    EXPECT_EQ(better.ended(), solve_status::stagnated);
    EXPECT_EQ(better.norm, 2.5);
    EXPECT_EQ(worse.ended(), solve_status::stagnated);
    EXPECT_EQ(worse.norm, 4.0);
    EXPECT_FALSE(worse.told.back().halved);
}

TEST(corrections, end_as_the_breakdown_of_a_runner_that_does_not_halve_the_residual)
{
    fake helped{.next = {4.0, 2.0, 1.0}, .run = {solve_status::breakdown, solve_status::stagnated}};
    fake in_vain{.next = {7.0}, .run = {solve_status::breakdown}};

    EXPECT_EQ(helped.ended(), solve_status::converged);
    EXPECT_EQ(in_vain.ended(), solve_status::breakdown);
}

TEST(corrections, that_are_not_finite_leave_x_and_end)
{
    fake x{.next = {4.0, not_finite}};

    EXPECT_EQ(x.ended(), solve_status::stagnated);
    EXPECT_EQ(x.norm, 4.0);
    EXPECT_FALSE(x.told.back().finite);
}

TEST(corrections, end_when_the_caller_or_the_clock_says_so_before_the_next)
{
    for (const solve_status why : {solve_status::interrupted, solve_status::time_limit}) {
        fake x{.next = {4.0, 2.0}, .stop = why, .stops_at = 2};

        EXPECT_EQ(x.ended(), why);
        EXPECT_EQ(x.made, 2U);
        EXPECT_EQ(x.norm, 2.0);
    }
}

TEST(corrections, end_when_the_runner_was_stopped_and_take_what_it_had)
{
    for (const solve_status why : {solve_status::interrupted, solve_status::time_limit}) {
        fake x{.next = {2.0}, .run = {why}};
        fake passing{.next = {1.0}, .run = {why}};

        EXPECT_EQ(x.ended(), why);
        EXPECT_EQ(x.norm, 2.0);
        EXPECT_EQ(passing.ended(), solve_status::converged);
    }
}

TEST(corrections, end_when_no_iterations_are_left)
{
    fake before{.next = {4.0, 2.0}, .most = 2};
    fake in_it{.next = {4.0}, .run = {solve_status::not_converged}, .most = 1};
    fake of_runner{.next = {4.0}, .run = {solve_status::not_converged}};

    EXPECT_EQ(before.ended(), solve_status::not_converged);
    EXPECT_EQ(before.made, 2U);
    EXPECT_EQ(in_it.ended(), solve_status::not_converged);
    EXPECT_EQ(of_runner.ended(), solve_status::stagnated) << "the runner has a limit of its own";
}

TEST(corrections, end_where_the_evaluation_is_stopped)
{
    fake x{.next = {4.0}};
    corrected in_loop = x.in_loop();
    in_loop.evaluate_sum = []() -> std::optional<real> { throw io::stopped_error("stopped"); };

    EXPECT_THROW(run_corrections(in_loop, [&] { x.correct(); }), io::stopped_error);
    in_loop.why_stopped = [] { return solve_status::time_limit; };
    run_corrections(in_loop, [&] { x.correct(); });

    EXPECT_EQ(x.status, solve_status::time_limit);
    EXPECT_EQ(x.norm, 8.0);
    EXPECT_TRUE(x.told.empty());
}

TEST(corrections, ask_a_judge_who_knows_what_they_would_decide)
{
    fake x{.next = {7.0, 3.0, 2.9}};
    corrected in_loop = x.in_loop();
    std::vector<std::optional<solve_status>> usual;
    in_loop.judge = [&](const correction_step& step) {
        usual.push_back(step.end);
        return usual.size() == 1 ? std::nullopt : usual.size() == 3 ? std::optional(solve_status::breakdown) : step.end;
    };

    run_corrections(in_loop, [&] { x.correct(); });

    EXPECT_EQ(x.status, solve_status::breakdown);
    EXPECT_EQ(usual, (std::vector<std::optional<solve_status>>{solve_status::stagnated, std::nullopt,
                                                               solve_status::stagnated}));
}

TEST(corrections, run_in_groups_of_those_that_are_at_work)
{
    std::vector<fake> x{{.next = {1.0}}, {.next = {4.0, 1.0}}, {.norm = 0.0, .next = {}}, {.next = {4.0, 2.0, 3.0}}};
    std::vector<corrected> all;
    for (fake& each : x) {
        all.push_back(each.in_loop());
    }
    std::vector<std::vector<std::size_t>> groups;

    run_corrections(all, 2, [&](std::span<const std::size_t> which) {
        groups.emplace_back(which.begin(), which.end());
        for (const std::size_t j : which) {
            x[j].correct();
        }
    });

    EXPECT_EQ(groups, (std::vector<std::vector<std::size_t>>{{0, 1}, {3}, {1, 3}, {3}}));
    EXPECT_EQ(x[2].status, solve_status::converged);
    EXPECT_EQ(x[3].status, solve_status::stagnated);
    EXPECT_EQ(x[3].norm, 2.0);
}

TEST(corrections, of_an_x_that_is_at_work_are_lost_where_the_runner_throws)
{
    std::vector<fake> x{{.next = {1.0}}, {.next = {4.0}}};
    std::vector<corrected> all{x[0].in_loop(), x[1].in_loop()};

    EXPECT_THROW(run_corrections(all, 1,
                                 [&](std::span<const std::size_t> which) {
                                     if (which.front() == 1) {
                                         throw resource_error("no device");
                                     }
                                     x[0].correct();
                                 }),
                 resource_error);

    EXPECT_FALSE(all[0].at_work);
    EXPECT_TRUE(all[1].at_work);
    EXPECT_EQ(x[1].norm, 8.0);
}

}  // namespace
}  // namespace residua
