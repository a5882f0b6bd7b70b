#include <residua/io/interruption.hpp>

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include <residua/io/team.hpp>

namespace residua::io {
namespace {

constexpr std::chrono::milliseconds longer_than_between_questions(15);

}  // namespace

TEST(interruption_test, asks_nobody_where_none_lives) { EXPECT_NO_THROW(ask_for_stop()); }

TEST(interruption_test, asks_a_hundred_times_a_second_at_most)
{
    std::atomic<int> asked = 0;
    const stop_function stop = [&] {
        ++asked;
        return false;
    };
    const auto start = std::chrono::steady_clock::now();
    {
        const interruption here(stop);
        do {
            ask_for_stop();
        } while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(100));
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_GE(asked, 2);
    EXPECT_LE(asked, 2 + static_cast<int>(seconds * 100.0));
}

TEST(interruption_test, throws_until_it_dies_once_the_answer_was_yes)
{
    int asked = 0;
    const stop_function stop = [&] { return ++asked == 1; };
    {
        const interruption here(stop);
        EXPECT_THROW(ask_for_stop(), stopped_error);
        std::this_thread::sleep_for(longer_than_between_questions);
        EXPECT_THROW(ask_for_stop(), stopped_error);
    }
    EXPECT_EQ(asked, 1);
    EXPECT_NO_THROW(ask_for_stop());
}

TEST(interruption_test, asks_the_youngest)
{
    const stop_function no = [] { return false; };
    const stop_function yes = [] { return true; };
    const interruption outer(yes);
    {
        const interruption inner(no);
        EXPECT_NO_THROW(ask_for_stop());
    }
    EXPECT_THROW(ask_for_stop(), stopped_error);
}

TEST(interruption_test, ends_the_parts_of_a_team)
{
    for (const int threads : {1, 2, 5}) {
        std::atomic<int> turns = 0;
        const stop_function stop = [&] { return turns > 4; };
        const interruption here(stop);
        const auto work = [&](index_t) {
            for (int k = 0; k < 100; ++k) {
                ++turns;
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
                ask_for_stop();
            }
        };
        EXPECT_THROW(run_parts(4, threads, work), stopped_error);
        EXPECT_LT(turns, 100) << threads;
    }
}

TEST(interruption_test, is_not_that_of_another_thread)
{
    const stop_function yes = [] { return true; };
    const interruption here(yes);
    std::thread([] { EXPECT_NO_THROW(ask_for_stop()); }).join();
}

}  // namespace residua::io
