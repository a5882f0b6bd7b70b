#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/processes/agreed_rule.hpp>
#include <residua/solvers/processes/open_processes.hpp>

#include "tests/solvers/processes/pieces.hpp"
#include "tests/support/sparse.hpp"

namespace residua {
namespace {

using namespace support;

std::vector<std::byte> to_bytes(const std::string& text)
{
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::string to_text(const std::vector<std::byte>& bytes)
{
    std::string text(bytes.size(), ' ');
    std::memcpy(text.data(), bytes.data(), bytes.size());
    return text;
}

}  // namespace

TEST(processes_test, partitions_by_hand)
{
    const partition even = partition::even(2100, 512, 3);  // 5 blocks
    EXPECT_EQ(even, partition({0, 512, 1536, 2100}));
    EXPECT_EQ(even.owner(0), 0);
    EXPECT_EQ(even.owner(511), 0);
    EXPECT_EQ(even.owner(512), 1);
    EXPECT_EQ(even.owner(2099), 2);
    EXPECT_EQ(even.size(2), 564);
    EXPECT_EQ(partition::even(1, 512, 4), partition({0, 0, 0, 0, 1}));
    EXPECT_EQ(partition::even(1, 512, 4).owner(0), 3);
    EXPECT_EQ(partition({0, 5, 5, 9}).owner(5), 2);
    EXPECT_NO_THROW(even.require_blocks(512));
    EXPECT_THROW(even.require_blocks(1024), dimension_error);
    EXPECT_THROW(partition({0, 6, 5}), dimension_error);
    EXPECT_THROW(partition({1, 6}), dimension_error);
    EXPECT_THROW(partition::even(5, 512, 0), dimension_error);
}

TEST(processes_test, even_pieces_differ_by_a_block_at_most)
{
    for (const index_t n : {0, 1, 511, 512, 5000, 100000}) {
        for (const index_t count : {1, 2, 3, 7, 64}) {
            const partition rows = partition::even(n, 512, count);
            ASSERT_EQ(rows.count(), count);
            EXPECT_EQ(rows.n(), n);
            EXPECT_NO_THROW(rows.require_blocks(512));
            index_t least = n;
            index_t most = 0;
            for (index_t piece = 0; piece < count; ++piece) {
                const index_t blocks = (rows.size(piece) + 511) / 512;
                least = std::min(least, blocks);
                most = std::max(most, blocks);
            }
            EXPECT_LE(most - least, 1) << n << " in " << count;
        }
    }
}

TEST(processes_test, blocks_of_rows_fit_the_sums_of_every_format)
{
    for (const index_t n : {0, 1, 5000, 1000000, 10000000, 123456789}) {
        for (const index_t block :
             {blas::block_of_sum<double>(n), blas::block_of_sum<multidigit>(n), blas::block_of_sum<rns>(n)}) {
            EXPECT_EQ(block_of_rows(n) % block, 0) << n;
        }
    }
}

TEST(processes_test, messages_are_joined_in_the_order_of_the_processes)
{
    run_processes(4, [](thread_process& all) {
        // not commutative: the text of the first process with letters is taken, with all lengths added up
        std::vector<std::byte> message(16);
        const std::string mine(1, static_cast<char>('a' + all.rank()));
        std::memcpy(message.data(), mine.data(), 1);
        all.join(message, [](std::span<const std::byte> left, std::span<std::byte> right) {
            std::string text(reinterpret_cast<const char*>(left.data()));
            text += reinterpret_cast<const char*>(right.data());
            std::memcpy(right.data(), text.c_str(), text.size() + 1);
        });
        EXPECT_STREQ(reinterpret_cast<const char*>(message.data()), "abcd");
    });
}

TEST(processes_test, the_maximum_is_everybodys)
{
    run_processes(3, [](thread_process& all) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        EXPECT_EQ(maximum(all, all.rank() == 1 ? index_t{7} : -all.rank()), 7);
        std::vector<double> numbers{static_cast<double>(all.rank()), all.rank() == 0 ? nan : 1.0,
                                    all.rank() == 2 ? nan : 1.0, -1.0};
        maximum(all, std::span(numbers));
        EXPECT_EQ(numbers[0], 2.0);
        EXPECT_TRUE(std::isnan(numbers[1]));
        EXPECT_TRUE(std::isnan(numbers[2]));
        EXPECT_EQ(numbers[3], -1.0);
    });
    one_process one;
    EXPECT_EQ(maximum(one, 5.0), 5.0);
}

TEST(processes_test, bytes_are_gathered_in_order)
{
    const auto check = [](processes& all) {
        const std::string mine(static_cast<std::size_t>(3 * all.rank() % 4), static_cast<char>('a' + all.rank()));
        const index_t to = all.count() - 1;
        std::string expected;
        for (index_t rank = 0; rank < all.count() && all.rank() == to; ++rank) {
            expected += std::string(static_cast<std::size_t>(3 * rank % 4), static_cast<char>('a' + rank));
        }
        EXPECT_EQ(to_text(gather(all, to_bytes(mine), to)), expected);
    };
    run_processes(5, check);
    one_process one;
    check(one);
}

TEST(processes_test, the_bytes_of_process_0_are_broadcast)
{
    const auto check = [](processes& all) {
        for (const std::string text : {"", "a", "longer than that"}) {
            auto bytes = to_bytes(all.rank() == 0 ? text : "of another");
            all.broadcast(bytes);
            EXPECT_EQ(to_text(bytes), text);
        }
        const index_t number = all.next_number();
        EXPECT_EQ(all.next_number(), number + 1);
    };
    run_processes(4, check);
    one_process one;
    check(one);
}

TEST(processes_test, the_greatest_word_wins_from_the_next_join_on)
{
    run_processes(3, [](thread_process& all) {
        if (all.rank() == 1) {
            all.say(status_word::time_limit);
            all.say(status_word::checkpoint_due);
        }
        EXPECT_EQ(all.agreed(), status_word::go_on);
        (void)maximum(all, 1.0);
        EXPECT_EQ(all.agreed(), status_word::time_limit);
        all.take_back(status_word::time_limit);
        EXPECT_EQ(agree(all, all.rank() == 2 ? status_word::failed : status_word::go_on), status_word::failed);
    });
}

// What tests rely on.

TEST(processes_test, processes_that_part_get_an_error)
{
    const auto ways = {
        +[](thread_process& all) { all.rank() == 0 ? (void)maximum(all, 1.0) : (void)maximum<char>(all, 'a'); },
        +[](thread_process& all) {
            if (all.rank() > 0) {
                (void)maximum(all, 1.0);
            }
        },
        +[](thread_process& all) {
            if (all.rank() > 0) {
                (void)gather(all, {});
            } else {
                (void)maximum(all, 1.0);
            }
        },
        +[](thread_process& all) {
            if (all.rank() == 2) {
                all.end_all("a disk is full");
            }
            (void)maximum(all, 1.0);
        }};
    for (const auto& way : ways) {
        EXPECT_THROW(run_processes(3, way), error);
    }
}

// Decisions.

TEST(processes_test, one_clock_ends_a_run_of_all_processes_in_the_same_iteration)
{
    const sparse_matrix a = grid(40, 40);
    using S = host_space<expansion<double, 2>>;
    biased_random random;
    SCOPED_TRACE(random.trace());
    std::vector<iteration_report> reports(3);
    run_in_pieces(S{}, random, a.rows, 3, [&](const auto& space, thread_process& all) {
        const auto matrix = rows_in<S>(space, a);
        auto b = space.make_vector(a.rows);
        auto x = space.make_vector(a.rows);
        space.fill(space.make_scalar(1.0), b);
        stop_rule mine;
        mine.relative_residual = 1e-25;
        index_t asked = 0;
        mine.poll = [&]() -> std::optional<solve_status> {
            return ++asked > 10 && all.rank() == 1 ? std::optional(solve_status::time_limit) : std::nullopt;
        };
        const agreed_rule rule(all, mine);
        cg_workspace<distributed_space<S>> work(space, a.rows);
        reports[static_cast<std::size_t>(all.rank())] =
            cg(space, matrix, any_operator<distributed_space<S>>{}, b, x, rule.rule(), work);
    });
    for (const iteration_report& each : reports) {
        EXPECT_EQ(each.status, solve_status::time_limit);
        EXPECT_EQ(each.iterations, reports[0].iterations);
        EXPECT_GE(each.iterations, 10);
        EXPECT_LE(each.iterations, 12);
    }
}

TEST(processes_test, a_checkpoint_that_is_due_on_one_process_is_kept_by_all_once)
{
    struct keeper final : run_keeper {
        bool due_here = false;
        mutable int asked = 0;
        int kept = 0;
        bool is_due() const override { return ++asked == 5 && due_here; }
        void keep(const state_function&) override { ++kept; }
        bool find(const state_function&) override { return false; }
    };
    const sparse_matrix a = grid(40, 40);
    using S = host_space<expansion<double, 2>>;
    biased_random random;
    SCOPED_TRACE(random.trace());
    std::vector<keeper> keepers(3);
    keepers[2].due_here = true;
    run_in_pieces(S{}, random, a.rows, 3, [&](const auto& space, thread_process& all) {
        const auto matrix = rows_in<S>(space, a);
        auto b = space.make_vector(a.rows);
        auto x = space.make_vector(a.rows);
        space.fill(space.make_scalar(1.0), b);
        stop_rule mine;
        mine.max_iterations = 20;
        mine.relative_residual = 1e-25;
        mine.keeper = &keepers[static_cast<std::size_t>(all.rank())];
        const agreed_rule rule(all, mine);
        cg_workspace<distributed_space<S>> work(space, a.rows);
        EXPECT_EQ(cg(space, matrix, any_operator<distributed_space<S>>{}, b, x, rule.rule(), work).iterations, 20);
    });
    for (const keeper& each : keepers) {
        EXPECT_EQ(each.kept, 1);
    }
}

TEST(processes_test, a_library_that_is_not_there_is_an_error_in_words)
{
    EXPECT_EQ(open_processes("")->count(), 1);
    try {
        (void)open_processes("libresidua_of_nobody.so");
        FAIL();
    } catch (const resource_error& e) {
        EXPECT_NE(std::string(e.what()).find("libresidua_of_nobody.so"), std::string::npos) << e.what();
    }
    try {
        (void)open_processes("libc.so.6");
        FAIL();
    } catch (const resource_error& e) {
        EXPECT_NE(std::string(e.what()).find("residua_make_processes"), std::string::npos) << e.what();
    }
}

}  // namespace residua
