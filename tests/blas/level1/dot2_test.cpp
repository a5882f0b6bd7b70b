#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/dot2.hpp>
#include <tests/blas/twofold.hpp>
#include <tests/support/scale.hpp>

namespace residua {
namespace {

using namespace support;

const host_executor exec;

/// 2 sum |x_i y_i| / |x' y|
double condition(const exact_products& exact) { return to_double(real(2.0) * exact.magnitude / abs(exact.value)); }

/// A dot product of n >= 4 terms with a condition number of about 2^bits.
///
/// from  [ORO05, Alg. 6.1]
std::pair<doubles, doubles> ill_conditioned(biased_random& random, index_t n, int bits)
{
    doubles x, y;
    real sum(0.0, oracle_bits);
    for (index_t i = 0; i < n; ++i) {
        const index_t half = n / 2;
        const int most = bits / 2;
        const bool first_half = i < half;
        const int down = static_cast<int>(most * (n - 1 - i) / (n - half));
        const int e = first_half ? (i == 0 ? most : random.integer(0, most)) : down;
        const double next = random.full(e, e);
        const double to = random.full(e, e);
        x.push_back(next);
        y.push_back(first_half ? to : to_double((wide(to) - sum) / wide(next)));
        sum += wide(x.back()) * wide(y.back());
    }
    for (std::size_t i = x.size() - 1; i > 0; --i) {
        const auto j = static_cast<std::size_t>(random.integer(0, static_cast<int>(i)));
        std::swap(x[i], x[j]);
        std::swap(y[i], y[j]);
    }
    return {x, y};
}

struct dot2_test : twofold_fixture {
    void expect_dot(const doubles& x, const doubles& y)
    {
        const auto n = static_cast<index_t>(x.size());
        const double result = blas::dot2(exec, guarded<double>(x).view(), guarded<double>(y).view());

        EXPECT_TRUE(within_bound(result, exact_dot(x, y, x.size()), blas::long_sum_error_bound<2>(n))) << "n = " << n;
        const auto in_two_words = blas::dot<twofold>(exec, make_vector(widened(x)), make_vector(widened(y)));
        EXPECT_TRUE(same_bits(result, to_double(in_two_words))) << "n = " << n;
    }
};

// By hand.

TEST_F(dot2_test, small_sums_are_right)
{
    const auto x = make_vector<double>({1.0, -2.0, 3.0});

    EXPECT_EQ(blas::dot2(exec, x, make_vector<double>({4.0, 5.0, 6.0})), 12.0);
    EXPECT_EQ(blas::dot2(exec, make_vector<double>({0x1p80, 1.0, -0x1p80}), make_vector<double>({1.0, 3.0, 1.0})), 3.0);
}

TEST_F(dot2_test, nothing_sums_to_zero)
{
    const residua::vector<host_executor, double> none(0);
    const auto zeros = make_vector<double>({0.0, -0.0, 0.0});

    EXPECT_TRUE(same_bits(blas::dot2(exec, none, none), 0.0));
    EXPECT_TRUE(same_bits(blas::dot2(exec, zeros, zeros), 0.0));
}

TEST_F(dot2_test, vectors_of_different_size_are_refused)
{
    const residua::vector<host_executor, double> two(2), three(3);
    EXPECT_THROW(blas::dot2(exec, two, three), dimension_error);
}

/// 1 + u + 2^-100 is above the middle of two doubles, 1 + u is rounded to 1.
TEST_F(dot2_test, the_sum_is_rounded_once)
{
    const auto ones = make_vector<double>({1.0, 1.0, 1.0});
    EXPECT_EQ(blas::dot2(exec, make_vector<double>({0x1p-53, 1.0, 0x1p-100}), ones), 1.0 + 0x1p-52);
}

// Against exact sums, and against the same sums of two-term numbers.

/// Beyond 1e26 the bound allows 0, which a sum in binary64 may be by chance: there it fails most of the time.
TEST_F(dot2_test, ill_conditioned_dot_products_keep_the_bound_and_binary64_does_not)
{
    SCOPED_TRACE(random.trace());
    double worst = 0.0;
    int beyond = 0;
    int failures_beyond = 0;
    for (int repeat = 0; repeat < scaled(3); ++repeat) {
        for (const index_t n : {6, 100, 513, 1500}) {
            for (int bits = 10; bits <= 110; bits += 5) {
                const auto [x, y] = ill_conditioned(random, n, bits);
                const auto exact = exact_dot(x, y, x.size());
                expect_dot(x, y);

                const double plain = blas::dot<double>(exec, make_vector(x), make_vector(y));
                const bool plain_fails = !within_bound(plain, exact, blas::long_sum_error_bound<2>(n));
                worst = std::max(worst, condition(exact));
                if (condition(exact) > 1e26) {
                    ++beyond;
                    failures_beyond += plain_fails ? 1 : 0;
                } else if (condition(exact) > 1e10) {
                    EXPECT_TRUE(plain_fails) << "n = " << n << ", condition " << condition(exact);
                }
            }
        }
    }
    EXPECT_GT(worst, 1e30);
    EXPECT_GT(failures_beyond, beyond / 2) << "of " << beyond;
}

TEST_F(dot2_test, it_keeps_its_bound_at_every_size)
{
    SCOPED_TRACE(random.trace());
    std::vector<index_t> all = sizes;
    all.insert(all.end(), {4095, 4096, 4097, 8193 + 511, 100003});
    for (const index_t n : all) {
        auto x = random_numbers<double>(random, n, -30, 30);
        auto y = random_numbers<double>(random, n, -30, 30);
        expect_dot(x, y);
        make_cancelling(random, x, y);
        expect_dot(x, y);
    }
}

TEST_F(dot2_test, what_is_not_finite_shows_as_in_two_words)
{
    for (const double bad : not_finite) {
        for (const std::size_t at : {0, 3, 650, 699}) {
            doubles x(700, 1.0);
            x[at] = bad;
            const double result = blas::dot2(exec, make_vector(x), make_vector(x));
            const auto wider = make_vector(widened(x));
            EXPECT_FALSE(std::isfinite(result));
            EXPECT_TRUE(same_number(result, to_double(blas::dot<twofold>(exec, wider, wider)))) << bad;
        }
    }
}

TEST_F(dot2_test, one_answer_for_any_thread_count_and_instruction_set)
{
    SCOPED_TRACE(random.trace());
    const auto x = make_vector(random_numbers<double>(random, 60013, -30, 30));
    const auto y = make_vector(random_numbers<double>(random, 60013, -30, 30));
    expect_one_answer("dot2", [&] { return doubles{blas::dot2(exec, x, y)}; });
}

}  // namespace
}  // namespace residua
