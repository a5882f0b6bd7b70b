#include <limits>

#include <gtest/gtest.h>

#include <residua/blas/level1/dot.hpp>
#include <residua/blas/multidigit/sum_state.hpp>
#include <tests/blas/sum_parts.hpp>

#include "tests/blas/multidigit/hostile.hpp"

namespace residua::support {
namespace {

using numbers = vector<host_executor, multidigit>;
const host_executor exec;

TEST(multidigit_blocks_test, have_a_power_of_two_of_terms_and_are_at_most_256)
{
    using blas::detail::terms_of_block;
    EXPECT_EQ(terms_of_block(0), 2048);
    EXPECT_EQ(terms_of_block(1), 2048);
    EXPECT_EQ(terms_of_block(256 * 2048), 2048);
    EXPECT_EQ(terms_of_block(256 * 2048 + 1), 2304);
    EXPECT_EQ(terms_of_block(256 * 4096), 4096);
    for (index_t n = 1; n < index_t{1} << 50; n = 3 * n + 1) {
        const index_t length = terms_of_block(n);
        EXPECT_LE((n + length - 1) / length, 256) << n;
        EXPECT_EQ(length % 256, 0) << n;
        EXPECT_TRUE(length == 2048 || (n - 1) / (length - 256) >= 256) << n;
    }
}

TEST(multidigit_blocks_test, of_more_than_4096_terms_have_at_most_4_groups_as_equal_as_can_be)
{
    using blas::detail::groups_of_block;
    using blas::detail::terms_of_group;
    EXPECT_EQ(terms_of_group(2048), 2048);
    EXPECT_EQ(terms_of_group(4096), 4096);
    EXPECT_EQ(terms_of_group(4352), 2304);
    EXPECT_EQ(terms_of_group(12544), 3328);
    EXPECT_EQ(groups_of_block(16384), 4);
    EXPECT_EQ(terms_of_group(16384), 4096);
    EXPECT_EQ(groups_of_block(16640), 4);
    EXPECT_EQ(terms_of_group(16640), 4352);
    for (index_t length = 2048; length < index_t{1} << 50; length += length / 2 / 256 * 256) {
        const index_t groups = groups_of_block(length), group = terms_of_group(length);
        EXPECT_LE(groups, 4) << length;
        EXPECT_EQ(group % 256, 0) << length;
        EXPECT_GE(groups * group, length) << length;
        EXPECT_LT(groups * (group - 256), length) << length;
        EXPECT_TRUE(groups == 4 || group <= 4096) << length;
    }
}

class multidigit_sum_state_test : public testing::TestWithParam<long> {};
INSTANTIATE_TEST_SUITE_P(bits, multidigit_sum_state_test, testing::Values(128, 193, 424, 848));

TEST_P(multidigit_sum_state_test, any_parts_merged_in_any_order_give_the_bits_of_dot)
{
    const multidigit_format format(GetParam());
    biased_random random;
    SCOPED_TRACE(random.trace());
    const multidigit_number third = multidigit_number(format, 1.0) / multidigit_number(format, 3.0);
    for (const index_t n : {0, 1, 511, 2048, 2049, 5000, 30001, 524289, 1295460}) {
        if (n > 100000 && GetParam() > 128) {
            continue;
        }
        numbers x(format, n), y(format, n);
        real exact(0.0, 2 * GetParam() + 600), largest(0.0, GetParam());
        for (index_t i = 0; i < n; ++i) {
            const int far = random.one_in(500) ? 200 : 30;  // a block with a large term has coarser units
            x.set(i, multidigit_number(format, random.one_in(20) ? 0.0 : random.value(-30, far)) * third);
            y.set(i, i % 3 == 2 ? -y.get(i - 1) : multidigit_number(format, random.value(-30, 30)) * third);
            const real product = to_real(x.get(i)).with_precision(2 * GetParam()) * to_real(y.get(i));
            exact += product;
            largest = max(largest, abs(product));
        }
        const multidigit_number whole = blas::dot<multidigit>(exec, x, y);
        for (int repeat = 0; repeat < (n > 10000 ? 3 : 10); ++repeat) {
            const auto sum = sum_of_parts<multidigit>(random, n, [&](index_t first, index_t last) {
                return blas::dot_state<host_executor>(exec, x.view().part(first, last), y.view().part(first, last),
                                                      {first, n});
            });
            EXPECT_TRUE(same_words(blas::rounded(sum), whole)) << n;
        }
        const real u = pow(real(0.5, 64), GetParam());
        EXPECT_LE(abs(to_real(whole) - exact), u * abs(exact) + real(static_cast<double>(n) * 0x1p-20) * u * largest)
            << n;
    }
}

TEST(multidigit_sum_state_errors_test, refuses_parts_and_bytes_that_do_not_fit)
{
    const multidigit_format format(212);
    const numbers x(format, 5002), z(multidigit_format(213), 5002);
    expect_refusals<multidigit>([&](index_t n, index_t first, index_t last) {
        const vector_view<host_executor, const multidigit> of_part = x.view().part(0, last - first);
        return blas::dot_state<host_executor>(exec, of_part, of_part, {first, n});
    });
    EXPECT_THROW(blas::dot_state<host_executor>(exec, x, z, {0, 5002}), error);
    const auto sum = blas::dot_state<host_executor>(exec, x, x, {0, 5002});
    EXPECT_THROW(blas::sum_from_bytes<multidigit>(multidigit_format(213), blas::to_bytes(sum)), error);
}

TEST(multidigit_sum_state_errors_test, what_is_not_finite_and_what_is_far_apart_stays_in_its_part)
{
    const multidigit_format format(212);
    numbers x(format, 6000);
    x.set(10, ldexp(multidigit_number(format, 1.0), -1000000));
    x.set(5000, multidigit_number(format, std::numeric_limits<double>::infinity()));
    const auto state = [&](index_t first, index_t last) {
        return blas::dot_state<host_executor>(exec, x.view().part(first, last), x.view().part(first, last),
                                              {first, 6000});
    };
    EXPECT_EQ(to_real(blas::rounded(state(0, 4096))), ldexp(real(1.0, 212), -2000000));
    EXPECT_FALSE(is_finite(blas::rounded(blas::merge(state(0, 4096), state(4096, 6000)))));
}

}  // namespace
}  // namespace residua::support
