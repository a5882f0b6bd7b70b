// Messages through memory that processes of one machine map: nothing is overwritten before it has been read.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/processes/machine_mail.hpp>
#include <residua/solvers/space/matrix_operator.hpp>

#include "tests/solvers/processes/pieces.hpp"
#include "tests/support/mail_process.hpp"
#include "tests/support/sparse.hpp"

namespace residua {
namespace {

using namespace support;
using words = std::vector<std::uint64_t>;

/// The words of a message that a process sends to another one, or to all, in a round.
words text_of(std::uint64_t round, index_t from, index_t to, std::size_t size)
{
    splitmix64 random{round * 1009 + static_cast<std::uint64_t>(from * 31 + to)};
    words text(size);
    std::generate(text.begin(), text.end(), [&] { return random(); });
    return text;
}

/// right <- left right, for matrices of 2 x 2 words: associative, not commutative.
void multiply(const std::uint64_t* left, std::uint64_t* right)
{
    const std::uint64_t r[] = {right[0], right[1], right[2], right[3]};
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            right[2 * i + j] = left[2 * i] * r[j] + left[2 * i + 1] * r[2 + j];
        }
    }
}

/// Now and then a process comes late: by less than others wait without sleep, or by more.
void be_late(splitmix64& random)
{
    if (const std::uint64_t number = random(); number % 16 == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(number % 1600 == 0 ? 9000 : number / 16 % 300));
    }
}

void join_and_expect_products(processes& all, std::uint64_t round, std::size_t matrices)
{
    words message = text_of(round, all.rank(), 0, 4 * matrices);
    words expected = text_of(round, all.count() - 1, 0, 4 * matrices);
    for (index_t rank = all.count() - 2; rank >= 0; --rank) {
        words left = text_of(round, rank, 0, 4 * matrices);
        for (std::size_t k = 0; k < matrices; ++k) {
            multiply(left.data() + 4 * k, expected.data() + 4 * k);
        }
    }
    all.join(std::as_writable_bytes(std::span(message)),
             [](std::span<const std::byte> left, std::span<std::byte> right) {
                 words a(left.size() / 8);
                 words b(left.size() / 8);
                 std::memcpy(a.data(), left.data(), left.size());
                 std::memcpy(b.data(), right.data(), right.size());
                 for (std::size_t k = 0; k < a.size(); k += 4) {
                     multiply(a.data() + k, b.data() + k);
                 }
                 std::memcpy(right.data(), b.data(), right.size());
             });
    ASSERT_EQ(message, expected) << "join " << round;
}

/// A route of this process, and what came in its last round, which is read as late as it may be.
class checked_route {
public:
    checked_route(processes& all, const std::set<std::pair<index_t, index_t>>& pairs, std::size_t most)
        : all_(all), most_(most)
    {
        for (const auto& [from, to] : pairs) {
            if (from == all.rank()) {
                out_.push_back(to);
            }
            if (to == all.rank()) {
                in_.push_back(from);
            }
        }
        route_ = all.make_route(ends(out_, most), ends(in_, most));
    }

    void begin(std::uint64_t round)
    {
        route_->next();
        const std::size_t size = round % 3 == 0 ? most_ : round * 7919 % (most_ + 1);
        std::vector<words> texts;
        for (const index_t to : out_) {
            texts.push_back(text_of(round, all_.rank(), to, size));
        }
        expect_messages();
        route_->set_lengths(ends(out_, size), ends(in_, size));
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const auto place = route_->to(i);
            ASSERT_EQ(place.size(), 8 * size);
            std::copy_n(std::as_bytes(std::span(texts[i])).begin(), 8 * size, place.begin());
        }
        route_->send();
        round_ = round;
        size_ = size;
    }
    void end()
    {
        route_->receive();
        messages_.clear();
        for (std::size_t i = 0; i < in_.size(); ++i) {
            messages_.push_back(route_->from(i));
        }
    }
    void expect_messages() const
    {
        for (std::size_t i = 0; i < messages_.size(); ++i) {
            const auto message = messages_[i];
            const words expected = text_of(round_, in_[i], all_.rank(), size_);
            ASSERT_EQ(message.size(), 8 * size_);
            ASSERT_TRUE(std::equal(message.begin(), message.end(), std::as_bytes(std::span(expected)).begin()))
                << "round " << round_ << " from " << in_[i] << " to " << all_.rank();
        }
    }

private:
    static std::vector<route::end> ends(const std::vector<index_t>& ranks, std::size_t size)
    {
        std::vector<route::end> result;
        for (const index_t rank : ranks) {
            result.push_back({rank, 8 * size});
        }
        return result;
    }

    processes& all_;
    std::size_t most_;
    std::vector<index_t> out_, in_;
    std::unique_ptr<route> route_;
    std::vector<std::span<const std::byte>> messages_;
    std::uint64_t round_ = 0;
    std::size_t size_ = 0;
};

}  // namespace

TEST(machine_mail_test, joins_of_any_length_follow_one_another_though_processes_come_late)
{
    for (const index_t count : {1, 2, 3, 7}) {
        run_processes(count, [](thread_process& thread) {
            mail_process all(thread);
            splitmix64 late{static_cast<std::uint64_t>(all.rank())};
            splitmix64 lengths{5};  // the same on all
            for (std::uint64_t round = 1; round < 400; ++round) {
                be_late(late);
                const std::uint64_t number = lengths();
                const bool is_long = number % 50 == 0;  // for the mail of some numbers of processes
                join_and_expect_products(all, round, is_long ? 1 << 13 : number / 50 % 200);
            }
        });
    }
}

TEST(machine_mail_test, the_greatest_word_travels_with_joins)
{
    run_processes(3, [](thread_process& thread) {
        mail_process all(thread);
        EXPECT_EQ(agree(all, all.rank() == 1 ? status_word::time_limit : status_word::go_on), status_word::time_limit);
        EXPECT_EQ(maximum(all, all.rank() == 0 ? 7.0 : -1.0), 7.0);
    });
}

TEST(machine_mail_test, messages_of_routes_stay_until_their_receiver_begins_another_round)
{
    // neighbours; a ring in one direction, where nobody hears from whom he writes to; one to all; some at random
    const std::vector<std::set<std::pair<index_t, index_t>>> ways{{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {3, 2}},
                                                                  {{0, 1}, {1, 2}, {2, 3}},
                                                                  {{0, 1}, {0, 2}, {0, 3}},
                                                                  {{3, 0}, {1, 0}, {0, 2}, {3, 1}, {1, 3}}};
    for (const bool by_mail : {true, false}) {
        run_processes(4, [&](thread_process& thread) {
            mail_process mail(thread);
            processes& all = by_mail ? static_cast<processes&>(mail) : thread;
            for (const auto& pairs : ways) {
                checked_route one(all, pairs, 500);
                checked_route other(all, ways.front(), 3000);
                splitmix64 late{static_cast<std::uint64_t>(all.rank())};
                for (std::uint64_t round = 1; round < 300; ++round) {
                    be_late(late);
                    ASSERT_NO_FATAL_FAILURE(one.begin(round));
                    if (round % 5 == 0) {
                        join_and_expect_products(mail, round, round % 7);
                    }
                    be_late(late);
                    one.end();
                    if (round % 4 == 0) {
                        other.begin(round);
                        be_late(late);
                        other.end();
                    }
                }
                one.expect_messages();
                other.expect_messages();
                (void)maximum(mail, 0);
            }
        });
    }
}

TEST(machine_mail_test, products_through_mail_have_the_bits_of_the_whole_matrix)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    using S = multidigit_space<host_executor>;
    const S space{{}, multidigit_format(424)};
    const index_t n = 9000;
    const sparse_matrix a = random_matrix(random, n, false);
    auto x = space.make_vector(n);
    for (index_t i = 0; i < n; ++i) {
        x.set(i, space.make_scalar(random.full(-20, 20)) / space.make_scalar(3.0));
    }
    auto y = space.make_vector(n);
    matrix_in(space, a).apply(space, x, y);
    const S less = space.shortened(200);
    auto shorter_x = less.make_vector(n);
    less.fill(less.make_scalar(1.0) / less.make_scalar(3.0), shorter_x);
    auto shorter_y = less.make_vector(n);
    matrix_in(less, a).apply(less, shorter_x, shorter_y);
    for (const index_t count : {2, 3, 7}) {
        const partition rows = random_partition(random, n, blas::block_of_sum<multidigit>(n), count);
        run_processes(count, [&](thread_process& thread) {
            mail_process all(thread);
            const distributed_space<S> in_pieces(space, rows, all);
            const auto own_rows = rows_in<S>(in_pieces, a);
            const auto shorter = in_pieces.shortened(200);
            auto own = in_pieces.make_vector(n);
            auto own_shorter = shorter.make_vector(n);
            for (int repeat = 0; repeat < 5; ++repeat) {
                own_rows.apply(in_pieces, piece_of(in_pieces, x), own);
                EXPECT_EQ(bytes_of(space, own), own_part_of(in_pieces, bytes_of(space, y))) << count;
                if (repeat % 2 == 1) {
                    own_rows.apply(shorter, piece_of(shorter, shorter_x), own_shorter);
                    EXPECT_EQ(bytes_of(less, own_shorter), own_part_of(shorter, bytes_of(less, shorter_y))) << count;
                }
            }
        });
    }
}

TEST(machine_mail_test, opens_no_other_file)
{
    const shared_pages mine(100);
    ASSERT_TRUE(mine.is_there());
    shared_pages::address where = mine.where();
    EXPECT_TRUE(shared_pages(where).is_there());
    ++where.token;
    EXPECT_FALSE(shared_pages(where).is_there());
    where = mine.where();
    where.bytes += 4096;  // to read behind its end would be an error of the bus
    EXPECT_FALSE(shared_pages(where).is_there());
    where = mine.where();
    where.file = 1 << 20;
    EXPECT_FALSE(shared_pages(where).is_there());
    EXPECT_FALSE(shared_pages(shared_pages::address{}).is_there());
}

TEST(machine_mail_test, who_waits_for_a_process_that_has_ended_gets_an_error)
{
    int to_test[2], to_child[2];
    ASSERT_EQ(pipe(to_test), 0);
    ASSERT_EQ(pipe(to_child), 0);
    const pid_t child = fork();
    if (child == 0) {
        const shared_pages own(100);
        own.raise(1);
        const shared_pages::address where = own.where();
        char end = 0;
        _exit(write(to_test[1], &where, sizeof where) == sizeof where && read(to_child[0], &end, 1) == 1 ? 0 : 1);
    }
    shared_pages::address where;
    ASSERT_EQ(read(to_test[0], &where, sizeof where), ssize_t{sizeof where});
    const shared_pages of_child(where);
    ASSERT_TRUE(of_child.is_there());
    int asked = 0;
    const way_of_waiting how{.crowded = true, .meanwhile = [&] {
                                 if (++asked == 10) {  // it goes on while the child is there
                                     EXPECT_EQ(write(to_child[1], "x", 1), 1);
                                     EXPECT_EQ(waitpid(child, nullptr, 0), child);
                                 }
                             }};
    of_child.wait_for(1, how);
    EXPECT_EQ(asked, 0);
    EXPECT_THROW(of_child.wait_for(2, how), error);
    EXPECT_EQ(asked, 10);
    of_child.wait_for(1, how);  // what it had done before stays
    for (const int file : {to_test[0], to_test[1], to_child[0], to_child[1]}) {
        close(file);
    }
}

}  // namespace residua
