#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <omp.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <residua/io/team.hpp>

#include "apps/residua/text/lines.hpp"

namespace residua {
namespace {

namespace fs = std::filesystem;

struct write_lines_test : testing::Test {
    fs::path path = fs::temp_directory_path() / ("residua_lines_" + std::to_string(getpid()));
    int threads = omp_get_max_threads();

    ~write_lines_test() override
    {
        omp_set_num_threads(threads);
        fs::remove(path);
    }

    /// What is in the file then, written by so many threads.
    std::string written(int by, index_t count, double characters) const
    {
        omp_set_num_threads(by);
        output_file file(path);
        write_lines(file, count, characters, [](index_t k, std::string& text) {
            text += std::to_string(k) + std::string(static_cast<std::size_t>(k % 7), 'x') + '\n';
        });
        file.close();
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

TEST_F(write_lines_test, lines_come_in_order_from_any_number_of_threads)
{
    for (const index_t count : {0, 1, 2, 63, 64, 65, 1000, 19999}) {
        std::string expected;
        for (index_t k = 0; k < count; ++k) {
            expected += std::to_string(k) + std::string(static_cast<std::size_t>(k % 7), 'x') + '\n';
        }
        for (const double characters : {0.0, 10.0, 1e4, 1e9}) {
            for (const int by : {1, 2, 5}) {
                ASSERT_EQ(written(by, count, characters), expected)
                    << count << " lines of " << characters << " by " << by;
            }
        }
    }
}

// The first thread waits in a line until another one makes a line too.
TEST_F(write_lines_test, several_threads_make_the_text)
{
    if (io::available_processors() < 2) {
        GTEST_SKIP() << "one processor";
    }
    std::mutex mutex;
    std::condition_variable another;
    std::set<std::thread::id> seen;
    bool has_waited = false;
    omp_set_num_threads(3);
    output_file file(path);
    write_lines(file, 3000, 1000.0, [&](index_t, std::string& text) {
        text += "1\n";
        std::unique_lock lock(mutex);
        seen.insert(std::this_thread::get_id());
        another.notify_all();
        if (!std::exchange(has_waited, true)) {
            another.wait_for(lock, std::chrono::seconds(10), [&] { return seen.size() > 1; });
        }
    });
    EXPECT_GT(seen.size(), 1u);
}

// Blocks of 256 KiB, two of each thread: what is held stays below 2 MiB while 64 MiB are written.
TEST_F(write_lines_test, holds_a_few_blocks)
{
    omp_set_num_threads(2);
    output_file file("/dev/null");
    std::size_t largest = 0;
    write_lines(file, 64, 1 << 20, [&](index_t, std::string& text) {
        text.append(1 << 20, '1');
#pragma omp critical(residua_lines_test)
        largest = std::max(largest, text.size());
    });
    write_lines(file, 1 << 20, 64.0, [&](index_t, std::string& text) {
        text.append(64, '1');
#pragma omp critical(residua_lines_test)
        largest = std::max(largest, text.size());
    });
    EXPECT_LE(largest, std::size_t{1} << 21);
}

TEST_F(write_lines_test, what_a_line_throws_is_thrown)
{
    for (const int by : {1, 2}) {
        omp_set_num_threads(by);
        output_file file(path);
        EXPECT_THROW(write_lines(file, 10000, 100.0,
                                 [](index_t k, std::string&) {
                                     if (k == 7777) {
                                         throw error("line 7777");
                                     }
                                 }),
                     error);
    }
}

}  // namespace
}  // namespace residua
