#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "tests/arith/multidigit/multidigit_source.hpp"
#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <int N>
bool same(const multidigit_float<std::uint32_t, N>& a, const multidigit_float<std::uint32_t, N>& b)
{
    return std::memcmp(a.d, b.d, sizeof a.d) == 0 && a.exponent == b.exponent && a.negative == b.negative;
}

template <int N, int Bits>
struct size {
    static constexpr int digits = N;
    static constexpr int bits = Bits;
};

}  // namespace

template <class Size>
struct multidigit_device_test : ::testing::Test {};
using sizes =
    ::testing::Types<size<2, 64>, size<3, 65>, size<4, 106>, size<5, 160>, size<6, 191>, size<7, 212>, size<8, 256>,
                     size<14, 424>, size<23, 609>, size<27, 848>, size<53, 1696>, size<128, 4096>>;
TYPED_TEST_SUITE(multidigit_device_test, sizes);

TYPED_TEST(multidigit_device_test, gives_the_same_bits_as_the_host)
{
    constexpr int n = TypeParam::digits;
    constexpr int p = TypeParam::bits;
    multidigit_source<std::uint32_t, n> source(p);
    SCOPED_TRACE(source.trace());
    const auto count = static_cast<std::size_t>(scaled(20'000 / (1 + p / 200)));
    std::vector<multidigit_operands<std::uint32_t, n>> operands;
    for (std::size_t i = 0; i < count; ++i) {
        operands.push_back(source.next());
    }
    std::vector<multidigit_results<std::uint32_t, n>> device(count);

    if (!every_operation_on_device(operands.data(), p, device.data(), static_cast<int>(count))) {
        GTEST_SKIP() << "no CUDA device";
    }

    for (std::size_t i = 0; i < count; ++i) {
        multidigit_results<std::uint32_t, n> host;
        every_operation(operands[i], p, host);
        for (int k = 0; k < multidigit_results<std::uint32_t, n>::numbers; ++k) {
            ASSERT_TRUE(same(host.number[k], device[i].number[k])) << multidigit_operation_names[k] << ", number " << i;
        }
        ASSERT_EQ(to_bits(host.nearest) & ~sign_mask, to_bits(device[i].nearest) & ~sign_mask);
        ASSERT_EQ(host.less, device[i].less);
        ASSERT_EQ(host.equal, device[i].equal);
    }
}
