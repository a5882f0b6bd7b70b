#include <atomic>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/simd.hpp>

namespace residua {
namespace {

using blas::isa;

TEST(simd, the_limit_lowers_the_instruction_set_and_lifting_it_restores_it)
{
    const isa best = blas::host_isa();

    blas::limit_isa(isa::portable);
    EXPECT_EQ(blas::host_isa(), isa::portable);
    blas::limit_isa(isa::avx512);
    EXPECT_EQ(blas::host_isa(), best);
}

TEST(simd, the_environment_variable_lowers_the_instruction_set)
{
    const char* const name = std::getenv("RESIDUA_ISA");
    if (name == nullptr) {
        GTEST_SKIP() << "run by CTest with RESIDUA_ISA set";
    }
    EXPECT_LE(blas::host_isa(), std::string(name) == "portable" ? isa::portable
                                : std::string(name) == "avx2"   ? isa::avx2
                                                                : isa::avx512);
}

TEST(simd, an_unknown_instruction_set_is_refused)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh process: nothing is detected yet
    EXPECT_EXIT(
        {
            setenv("RESIDUA_ISA", "sse9", 1);
            try {
                blas::host_isa();
            } catch (const error& e) {
                std::fprintf(stderr, "%s", e.what());
                std::exit(7);
            }
        },
        testing::ExitedWithCode(7), "RESIDUA_ISA=sse9: not one of portable, avx2, avx512");
}

TEST(parallel, what_a_thread_throws_reaches_the_caller_once_all_have_ended)
{
    constexpr double much_work = 1e9;
    const auto offset = [](index_t i) { return i; };
    for (const bool weighted : {false, true}) {
        std::atomic<index_t> done = 0;
        const auto body = [&](index_t begin, index_t end) {
            done += end - begin;
            if (end == 1000) {
                throw resource_error("no memory for this part");
            }
        };
        try {
            if (weighted) {
                blas::detail::parallel_weighted_ranges(1000, offset, much_work, body);
            } else {
                blas::detail::parallel_ranges(1000, 8, much_work, body);
            }
            ADD_FAILURE() << "nothing was thrown";
        } catch (const resource_error& e) {
            EXPECT_EQ(std::string(e.what()), "no memory for this part");
        }
        EXPECT_EQ(done, 1000);
    }
}

}  // namespace
}  // namespace residua
