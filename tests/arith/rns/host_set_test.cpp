// The sets of moduli on the host are made at the first call, which may lack memory.
#include <new>

#include <gtest/gtest.h>

#include <residua/arith/rns/moduli.hpp>

#include "tests/soak/failing_allocator.hpp"

namespace residua {
namespace {

TEST(rns_host_set, is_complete_behind_a_first_call_that_lacked_memory)
{
    int failed = 0;
    for (long allowed = 0;; ++allowed) {
        soak::fail_allocation(allowed);
        try {
            rns_set<12>::host(9);
            break;
        } catch (const std::bad_alloc&) {
            ++failed;
        }
    }
    soak::stop_failing();
    EXPECT_GT(failed, 1);

    const rns_set<12>& set = rns_set<12>::host(9);
    EXPECT_EQ(set.held(), 9);
    EXPECT_EQ(set.modulus(0).m, rns_moduli(9).front());
}

}  // namespace
}  // namespace residua
