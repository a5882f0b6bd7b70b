#include <string>

#include <gtest/gtest.h>

#include <residua/arith/multidigit/real.hpp>

#include "tests/arith/multidigit/multidigit_source.hpp"
#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class Digit, int N>
std::string show(const multidigit_float<Digit, N>& x)
{
    return std::string(x.negative ? "-" : "") + to_string(to_real(abs(ldexp(x, -std::int64_t{x.exponent})))) + " 2^" +
           std::to_string(x.exponent);
}

template <class Digit, int N, int Bits>
struct size {
    using digit = Digit;
    static constexpr int digits = N;
    static constexpr int bits = Bits;
};

}  // namespace

template <class Size>
struct multidigit_test : ::testing::Test {};
using sizes =
    ::testing::Types<size<std::uint64_t, 1, 64>, size<std::uint64_t, 2, 106>, size<std::uint64_t, 4, 212>,
                     size<std::uint64_t, 7, 424>, size<std::uint64_t, 14, 848>, size<std::uint64_t, 27, 1696>,
                     size<std::uint64_t, 64, 4096>, size<std::uint64_t, 10, 513>, size<std::uint32_t, 2, 64>,
                     size<std::uint32_t, 3, 65>, size<std::uint32_t, 4, 106>, size<std::uint32_t, 7, 212>,
                     size<std::uint32_t, 14, 424>, size<std::uint32_t, 27, 848>, size<std::uint32_t, 53, 1696>,
                     size<std::uint32_t, 7, 193>, size<std::uint32_t, 23, 609>, size<std::uint32_t, 128, 4096>>;
TYPED_TEST_SUITE(multidigit_test, sizes);

TYPED_TEST(multidigit_test, operations_have_the_bits_of_mpfr)
{
    using digit = typename TypeParam::digit;
    constexpr int n = TypeParam::digits;
    constexpr int p = TypeParam::bits;
    multidigit_source<digit, n> source(p);
    SCOPED_TRACE(source.trace());
    const std::int64_t count = scaled(20'000 / (1 + p / 200));
    for (std::int64_t i = 0; i < count; ++i) {
        const auto o = source.next();
        multidigit_results<digit, n> r;
        every_operation(o, p, r);
        const char* const wrong = first_difference(o, p, r);
        ASSERT_EQ(wrong, nullptr) << wrong << "\nx " << show(o.x) << "\ny " << show(o.y) << "\nz " << show(o.z)
                                  << "\nd " << o.d;
    }
}
