#include <residua/io/team.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

namespace residua::io {
namespace {

void wait_for(std::chrono::microseconds time)
{
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
    }
}

/// How often each part of a call ran.
std::vector<int> runs_of(index_t count, int threads)
{
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
    run_parts(count, threads, [&](index_t k) { ++runs[static_cast<std::size_t>(k)]; });
    return {runs.begin(), runs.end()};
}

/// The most threads that are inside a part at the same time.
class crowd {
public:
    void enter()
    {
        const int now = ++inside_;
        for (int seen = most_; seen < now && !most_.compare_exchange_weak(seen, now);) {
        }
        wait_for(std::chrono::microseconds(200));
        --inside_;
    }
    int most() const { return most_; }

private:
    std::atomic<int> inside_{0}, most_{0};
};

}  // namespace

TEST(team_test, runs_every_part_once)
{
    for (const index_t count : {0, 1, 2, 5, 63, 64, 65, 1000, 1024, 1025, 5000}) {
        for (const int threads : {1, 2, 3, 5, 70}) {
            EXPECT_EQ(runs_of(count, threads), std::vector<int>(static_cast<std::size_t>(count), 1))
                << count << " parts, " << threads << " threads";
        }
    }
}

TEST(team_test, runs_every_part_once_where_helpers_want_the_same_ones)
{
    for (int call = 0; call < 3000; ++call) {
        const std::vector<int> runs = runs_of(1024, 4);
        ASSERT_TRUE(std::all_of(runs.begin(), runs.end(), [](int r) { return r == 1; })) << call;
    }
}

TEST(team_test, runs_every_part_once_for_many_callers_at_once)
{
    std::atomic<int> wrong = 0;
    std::vector<std::thread> callers;
    for (int k = 0; k < 4; ++k) {
        callers.emplace_back([&] {
            for (int call = 0; call < 2000; ++call) {
                const std::vector<int> runs = runs_of(7, 3);
                wrong += std::all_of(runs.begin(), runs.end(), [](int r) { return r == 1; }) ? 0 : 1;
            }
        });
    }
    for (std::thread& each : callers) {
        each.join();
    }
    EXPECT_EQ(wrong, 0);
}

TEST(team_test, has_no_more_threads_than_processors_beside_the_callers)
{
    constexpr int callers = 3;
    crowd all;
    std::vector<std::thread> each;
    for (int k = 0; k < callers; ++k) {
        each.emplace_back([&] { run_parts(64, 64, [&](index_t) { all.enter(); }); });
    }
    for (std::thread& one : each) {
        one.join();
    }
    EXPECT_LE(all.most(), available_processors() - 1 + callers);
}

TEST(team_test, has_helpers_where_there_are_processors)
{
    if (available_processors() == 1) {
        GTEST_SKIP() << "one processor";
    }
    crowd all;
    for (int tries = 0; tries < 50 && all.most() < 2; ++tries) {
        run_parts(64, 64, [&](index_t) { all.enter(); });
    }
    EXPECT_GE(all.most(), 2);
}

TEST(team_test, throws_what_a_part_throws_once_all_have_ended)
{
    for (const int threads : {2, 5}) {
        std::atomic<int> ended = 0;
        try {
            run_parts(20, threads, [&](index_t k) {
                if (k == 7) {
                    throw std::runtime_error("seven");
                }
                ++ended;
            });
            FAIL() << "nothing was thrown";
        } catch (const std::runtime_error& e) {
            EXPECT_EQ(std::string(e.what()), "seven");
        }
        EXPECT_EQ(ended, 19);
        EXPECT_EQ(runs_of(5, threads), std::vector<int>(5, 1));  // and works on
    }
}

TEST(team_test, is_one_thread_inside_a_part_and_inside_a_parallel_region)
{
    std::atomic<int> most = 0;
    const auto note = [&] {
        const thread_limit asked(4);
        most = std::max(most.load(), available_threads());
    };
    run_parts(8, 4, [&](index_t) { note(); });
    EXPECT_EQ(most, 1);
    most = 0;
#pragma omp parallel num_threads(2)
    note();
    EXPECT_EQ(most, 1);
    EXPECT_GE(available_threads(), 1);
}

TEST(thread_limit_test, holds_in_its_thread_while_it_lives)
{
    const int before = available_threads();
    const int of_openmp = omp_get_max_threads();
    {
        const thread_limit five(5);
        EXPECT_EQ(available_threads(), 5);
        {
            const thread_limit two(2);
            EXPECT_EQ(available_threads(), 2);
        }
        EXPECT_EQ(available_threads(), 5);
        std::thread([&] { EXPECT_EQ(available_threads(), of_openmp); }).join();
        EXPECT_EQ(omp_get_max_threads(), of_openmp);
    }
    EXPECT_EQ(available_threads(), before);
}

TEST(thread_limit_test, takes_what_openmp_takes_but_no_more_than_processors)
{
    const int before = omp_get_max_threads();
    omp_set_num_threads(available_processors() + 3);
    {
        const thread_limit by_default(0);
        EXPECT_EQ(available_threads(), available_processors());
    }
    omp_set_num_threads(1);
    {
        const thread_limit by_default(0);
        EXPECT_EQ(available_threads(), 1);
    }
    omp_set_num_threads(before);
}

}  // namespace residua::io
