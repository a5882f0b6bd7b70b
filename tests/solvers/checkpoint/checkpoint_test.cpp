// The file of a checkpoint: what is saved is there, and what is cut off, damaged or foreign is refused.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/checkpoint/checkpoint.hpp>
#include <residua/solvers/checkpoint/real_state.hpp>

#include "tests/soak/failing_allocator.hpp"

using namespace residua;

namespace {

const checkpoint_identity of_a{{"the matrix", "A"}, {"digits", "30"}};

class checkpoint_file : public testing::Test {
protected:
    std::string path_ = testing::TempDir() + "checkpoint_test." + std::to_string(std::random_device{}());

    ~checkpoint_file() override { std::filesystem::remove(path_); }

    std::string bytes() const
    {
        std::ifstream in(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// Files that were to become this one.
    std::vector<std::filesystem::path> files_beside() const
    {
        std::vector<std::filesystem::path> found;
        for (const auto& each : std::filesystem::directory_iterator(testing::TempDir())) {
            if (each.path().string().starts_with(path_ + ".part")) {
                found.push_back(each.path());
            }
        }
        return found;
    }
    void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes; }

    checkpoint anew(double seconds = 1.0) const { return {path_, checkpoint::beginning::anew, of_a, seconds}; }
    checkpoint resumed(const checkpoint_identity& of = of_a) const
    {
        return {path_, checkpoint::beginning::resumed, of, 1.0};
    }
    std::string refusal(const checkpoint_identity& of = of_a) const
    {
        try {
            const checkpoint again = resumed(of);
        } catch (const input_error& why) {
            return why.what();
        }
        return "";
    }
};

content_key key(int number) { return content_hash("test").add(number).key(); }

state_function numbers(std::vector<double>& x)
{
    return [&x](state_archive& io) { io.list(x); };
}

std::vector<double> found(const checkpoint& in, int number)
{
    std::vector<double> x;
    return in.find(key(number), numbers(x)) ? x : std::vector<double>{-1.0};
}

TEST(content_keys, do_not_depend_on_how_bytes_are_cut)
{
    std::mt19937_64 random(3);
    std::string text(1000, ' ');
    for (char& c : text) {
        c = static_cast<char>(random());
    }
    const content_key whole = content_hash().add(text.data(), text.size()).key();
    for (int k = 0; k < 100; ++k) {
        content_hash pieces;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t size = std::min<std::size_t>(random() % 30, text.size() - at);
            pieces.add(text.data() + at, size);
            at += size;
        }
        EXPECT_EQ(pieces.key(), whole);
        std::string other = text;
        other[random() % other.size()] ^= static_cast<char>(1U << (random() % 8));
        EXPECT_NE(content_hash().add(other.data(), other.size()).key(), whole);
    }
    EXPECT_NE(content_hash().add("\0", 1).key(), content_hash().key());
}

TEST_F(checkpoint_file, has_what_was_saved_last)
{
    std::mt19937_64 random(5);
    std::map<int, std::vector<double>> expected;
    auto at_work = std::make_unique<checkpoint>(path_, checkpoint::beginning::anew, of_a, 1.0);
    for (int step = 0; step < 300; ++step) {
        std::vector<checkpoint::change> changes;
        std::map<int, std::vector<double>> next = expected;
        for (int k = static_cast<int>(random() % 4); k >= 0; --k) {
            const int number = static_cast<int>(random() % 8);
            if (random() % 3 == 0) {
                next.erase(number);
                changes.push_back({key(number), {}});
            } else {
                std::vector<double> x(random() % 3000);
                for (double& each : x) {
                    each = static_cast<double>(random());
                }
                next[number] = x;
                changes.push_back({key(number), [x](state_archive& io) mutable { io.list(x); }});
            }
        }
        ASSERT_TRUE(at_work->save(changes));
        expected = next;
        if (random() % 5 == 0) {
            at_work.reset();
            at_work = std::make_unique<checkpoint>(path_, checkpoint::beginning::resumed, of_a, 1.0);
        }
        for (int number = 0; number < 8; ++number) {
            const auto known = expected.find(number);
            EXPECT_EQ(found(*at_work, number), known == expected.end() ? std::vector<double>{-1.0} : known->second);
        }
    }
    EXPECT_LT(bytes().size(), 8U * 3000U * 8U * 3U);  // places of states that were given up are used again
}

TEST_F(checkpoint_file, that_is_cut_off_is_refused)
{
    {
        checkpoint at_work = anew();
        std::vector<double> x(5000, 1.5), y(3, 2.5);
        ASSERT_TRUE(at_work.save({{key(1), numbers(x)}, {key(2), numbers(y)}}));
    }
    const std::string whole = bytes();
    EXPECT_EQ(refusal(), "");
    std::mt19937_64 random(7);
    for (int k = 0; k < 200; ++k) {
        const std::size_t size = k < 10 ? whole.size() - 1 - static_cast<std::size_t>(k) : random() % whole.size();
        write(whole.substr(0, size));
        const std::string why = refusal();
        EXPECT_TRUE(why.find("cut off") != std::string::npos || why.find("no checkpoint") != std::string::npos)
            << size << " of " << whole.size() << ": " << why;
    }
}

TEST_F(checkpoint_file, that_is_damaged_is_refused_or_the_save_before_counts)
{
    {
        checkpoint at_work = anew();
        std::vector<double> x(500, 1.5), y(500, 2.5);
        ASSERT_TRUE(at_work.save(key(1), numbers(x)));
        ASSERT_TRUE(at_work.save(key(1), numbers(y)));
    }
    const std::string whole = bytes();
    std::mt19937_64 random(11);
    for (int k = 0; k < 2000; ++k) {
        std::string other = whole;
        other[random() % other.size()] ^= static_cast<char>(1U << (random() % 8));
        write(other);
        try {
            const checkpoint again = resumed();
            const std::vector<double> x = found(again, 1);
            ASSERT_EQ(x.size(), 500U);
            EXPECT_TRUE(x.front() == 1.5 || x.front() == 2.5);
            EXPECT_EQ(x, std::vector<double>(500, x.front()));
        } catch (const input_error& why) {
            EXPECT_NE(std::string(why.what()).find(path_), std::string::npos);
        }
    }
}

TEST_F(checkpoint_file, of_another_run_version_or_kind_is_refused)
{
    {
        const checkpoint at_work = anew();
    }
    EXPECT_NE(refusal({{"the matrix", "A"}, {"digits", "40"}}).find("another run: digits is 40, and was 30"),
              std::string::npos);
    EXPECT_NE(refusal({{"the matrix", "B"}, {"digits", "30"}}).find("the matrix is B, and was A"), std::string::npos);
    std::string later = bytes();
    later[8] = 7;
    write(later);
    EXPECT_NE(refusal().find("is a checkpoint of format 7"), std::string::npos);
    write("%%MatrixMarket matrix array real general\n1 1\n1\n");
    EXPECT_NE(refusal().find("is no checkpoint of residua"), std::string::npos);
    write("");
    EXPECT_NE(refusal().find("is no checkpoint of residua"), std::string::npos);
    std::filesystem::remove(path_);
    EXPECT_NE(refusal().find("No such file"), std::string::npos);
}

TEST_F(checkpoint_file, is_of_one_process_and_not_overwritten)
{
    const checkpoint at_work = anew();
    EXPECT_NE(refusal().find("another run is at work with this checkpoint"), std::string::npos);
    EXPECT_THROW(anew(), input_error);
    EXPECT_TRUE(files_beside().empty());
}

TEST_F(checkpoint_file, that_lacked_memory_is_not_there)
{
    int failed = 0;
    for (long allowed = 0;; ++allowed) {
        soak::fail_allocation(allowed);
        try {
            anew();
            break;
        } catch (const std::bad_alloc&) {
            soak::stop_failing();
            ++failed;
            ASSERT_FALSE(std::filesystem::exists(path_)) << allowed;
            ASSERT_TRUE(files_beside().empty()) << allowed;
        }
    }
    soak::stop_failing();
    EXPECT_GT(failed, 3);
    EXPECT_EQ(refusal(), "");
}

TEST_F(checkpoint_file, of_a_process_that_was_killed_while_it_made_it_is_whole_or_not_there)
{
    std::mt19937_64 random(7);
    for (int times = 0; times < 50; ++times) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            [this]() noexcept {  // what it throws ends the child by another signal
                for (;;) {
                    anew();
                    std::filesystem::remove(path_);
                }
            }();
        }
        std::this_thread::sleep_for(std::chrono::microseconds(5000 + random() % 5000));
        ASSERT_EQ(::kill(child, SIGKILL), 0);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
        if (std::filesystem::exists(path_)) {
            ASSERT_EQ(refusal(), "");
            std::filesystem::remove(path_);
        }
    }
    for (const auto& part : files_beside()) {
        std::filesystem::remove(part);
    }
}

TEST_F(checkpoint_file, knows_the_right_hand_sides_of_each_call)
{
    {
        checkpoint at_work = anew();
        at_work.begin_call(key(1));
        at_work.begin_call(key(2));
        std::vector<double> x(3, 1.0);
        ASSERT_TRUE(at_work.save(key(7), numbers(x)));
    }
    checkpoint again = resumed();
    again.begin_call(key(1));
    EXPECT_THROW(again.begin_call(key(3)), input_error);
}

TEST_F(checkpoint_file, that_cannot_grow_keeps_what_it_has)
{
    checkpoint at_work = anew();
    std::vector<std::string> told;
    at_work.on_failure([&](const std::string& why) { told.push_back(why); });
    std::vector<double> x(100, 1.5), large(1 << 20, 2.5);
    ASSERT_TRUE(at_work.save(key(1), numbers(x)));
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit small = before;
    small.rlim_cur = 1 << 16;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    (void)std::signal(SIGXFSZ, SIG_IGN);
    for (int k = 0; k < 3; ++k) {
        EXPECT_FALSE(at_work.save({{key(1), {}}, {key(2), numbers(large)}}));
    }
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(told.size(), 1U);
    EXPECT_NE(at_work.failure().find("File too large"), std::string::npos);
    EXPECT_EQ(found(at_work, 1), x);
    EXPECT_FALSE(at_work.has(key(2)));
    EXPECT_TRUE(at_work.save(key(2), numbers(large)));
    EXPECT_EQ(at_work.failure(), "");
    EXPECT_EQ(found(at_work, 2), large);
}

TEST_F(checkpoint_file, for_which_there_is_no_room_is_made_by_a_later_save)
{
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit none = before;
    none.rlim_cur = 0;
    (void)std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    std::vector<double> x(100, 1.5);
    {
        checkpoint at_work = anew();
        std::string told;
        at_work.on_failure([&](const std::string& why) { told = why; });
        EXPECT_NE(told.find("File too large; the run goes on, and tries again later"), std::string::npos) << told;
        EXPECT_FALSE(at_work.save(key(1), numbers(x)));
        EXPECT_FALSE(at_work.has(key(1)));
        EXPECT_FALSE(std::filesystem::exists(path_));
        EXPECT_TRUE(files_beside().empty());
        ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
        EXPECT_TRUE(at_work.save(key(1), numbers(x)));
        EXPECT_EQ(at_work.failure(), "");
    }
    EXPECT_EQ(found(resumed(), 1), x);
}

TEST_F(checkpoint_file, in_a_folder_that_is_not_there_is_an_error)
{
    EXPECT_THROW(checkpoint(path_ + "/none/state", checkpoint::beginning::anew, of_a, 1.0), resource_error);
}

TEST_F(checkpoint_file, no_size_in_a_state_is_trusted)
{
    checkpoint at_work = anew();
    ASSERT_TRUE(at_work.save(key(1), [](state_archive& io) {
        std::uint64_t huge = std::uint64_t{1} << 60;
        io.value(huge);
    }));
    std::vector<double> x;
    std::string text;
    std::vector<real> reals;
    EXPECT_THROW(at_work.find(key(1), numbers(x)), input_error);
    EXPECT_THROW(at_work.find(key(1), [&](state_archive& io) { io.text(text); }), input_error);
    EXPECT_THROW(at_work.find(key(1), [&](state_archive& io) { archive(io, reals); }), input_error);
    EXPECT_THROW(at_work.find(key(1), [&](state_archive& io) { io.same(5); }), input_error);
    int small = 0;
    EXPECT_THROW(at_work.find(key(1), [&](state_archive& io) { io.at_most(small, 9); }), input_error);
}

TEST_F(checkpoint_file, has_numbers_bit_for_bit)
{
    std::mt19937_64 random(13);
    std::vector<real> all{real(0.0),
                          -real(0.0, 200),
                          real(std::numeric_limits<double>::infinity(), 64),
                          -real(std::numeric_limits<double>::infinity()),
                          real(std::nan(""), 1000),
                          real(5e-324, 300)};
    for (int k = 0; k < 500; ++k) {
        const long bits = 1 + static_cast<long>(random() % 3000);
        real x(static_cast<double>(static_cast<std::int64_t>(random())), bits);
        x = ldexp(x / real(static_cast<double>(1 + random() % 1000), bits),
                  static_cast<long>(random() % 100000) - 50000);
        all.push_back(x);
    }
    checkpoint at_work = anew();
    ASSERT_TRUE(at_work.save(key(1), [&](state_archive& io) { archive(io, all); }));
    std::vector<real> back;
    ASSERT_TRUE(at_work.find(key(1), [&](state_archive& io) { archive(io, back); }));
    ASSERT_EQ(back.size(), all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
        EXPECT_EQ(back[k].precision(), all[k].precision());
        EXPECT_TRUE((is_nan(back[k]) && is_nan(all[k])) || back[k] == all[k]);
        EXPECT_EQ(mpfr_signbit(back[k].mpfr()), mpfr_signbit(all[k].mpfr()));
    }
}

}  // namespace
