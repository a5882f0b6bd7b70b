#include "tests/blas/level3/mixed_factors.hpp"

namespace residua {
namespace {

using namespace support;

constexpr host_executor exec;

index_t factorize(columns_of<float>& a, std::vector<std::int64_t>& pivots, low_precision p, index_t panel)
{
    const blas::lapack_matrix<host_executor, float> view{a.words.data(), a.n, a.ld};
    pivots.assign(static_cast<std::size_t>(a.n), -1);
    return panel == 0 ? blas::getrf_mixed(exec, view, pivots, p)
                      : blas::detail::getrf_mixed(exec, view, pivots, p, panel);
}

/// x as a number of 11 bits, by exact scaling.
float rounded(low_precision p, float x)
{
    if (!std::isfinite(x) || x == 0.0f) {
        return x;
    }
    const bool half = p == low_precision::binary16;
    const int last = std::max(std::ilogb(x) - 10, half ? -24 : -136);
    const double y = std::ldexp(std::nearbyint(std::ldexp(static_cast<double>(x), -last)), last);
    const double largest = half ? 65504.0 : 0x1.ffcp127;
    return static_cast<float>(std::abs(y) > largest ? std::copysign(std::numeric_limits<double>::infinity(), y) : y);
}

void expect_rounded(std::uint32_t bits)
{
    const auto x = __builtin_bit_cast(float, bits);
    for (const low_precision p : both_precisions) {
        const float y = blas::detail::rounded_to(p, x);
        if (std::isnan(x)) {
            ASSERT_TRUE(std::isnan(y));
        } else {
            ASSERT_EQ(__builtin_bit_cast(std::uint32_t, y), __builtin_bit_cast(std::uint32_t, rounded(p, x)))
                << name_of(p) << " " << x << ": " << y;
        }
    }
}

struct getrf_mixed_test : testing::Test {
    biased_random random;
};

TEST_F(getrf_mixed_test, numbers_of_11_bits_are_the_nearest_ties_to_even)
{
    for (std::uint32_t high = 0; high < 0x10000u; ++high) {
        for (const std::uint32_t low : {0x0u, 0x1u, 0xfffu, 0x1000u, 0x1001u, 0x1fffu, 0x2000u, 0x3000u, 0x7fffu,
                                        0x8000u, 0x9000u, 0xb000u, 0xefffu, 0xf000u, 0xf001u, 0xffffu}) {
            ASSERT_NO_FATAL_FAILURE(expect_rounded(high << 16 | low));
        }
    }
    for (int k = 0; k < 300000; ++k) {
        ASSERT_NO_FATAL_FAILURE(expect_rounded(static_cast<std::uint32_t>(random.bits())));
    }
}

TEST_F(getrf_mixed_test, a_small_pivot_is_not_taken)
{
    for (const low_precision p : both_precisions) {
        columns_of<float> a(2);  // 2^-20 1; 1 1
        a.at(0, 0) = 0x1p-20f;
        a.at(0, 1) = a.at(1, 0) = a.at(1, 1) = 1.0f;
        std::vector<std::int64_t> pivots;

        EXPECT_EQ(factorize(a, pivots, p, 1), 0);

        EXPECT_EQ(pivots, (std::vector<std::int64_t>{2, 2}));
        EXPECT_EQ(a.words, (std::vector<float>{1.0f, 0x1p-20f, 1.0f, 1.0f - 0x1p-20f}));
    }
}

TEST_F(getrf_mixed_test, no_row_and_one_row)
{
    for (const low_precision p : both_precisions) {
        columns_of<float> none(0), one(1);
        one.at(0, 0) = 1.0f + 0x1p-23f;
        std::vector<std::int64_t> pivots;

        EXPECT_EQ(factorize(none, pivots, p, 0), 0);
        EXPECT_EQ(factorize(one, pivots, p, 0), 0);
        EXPECT_EQ(pivots, std::vector<std::int64_t>{1});
        EXPECT_EQ(one.at(0, 0), 1.0f + 0x1p-23f);
    }
}

TEST_F(getrf_mixed_test, one_product_is_that_of_rounded_numbers)
{
    SCOPED_TRACE(random.trace());
    expect_rounded_products(factorize, random, 300, 1);
    expect_rounded_products(factorize, random, 200, 16);
    expect_rounded_products(factorize, random, 400, 128);
}

TEST_F(getrf_mixed_test, exact_factors_and_their_pivots_are_found)
{
    SCOPED_TRACE(random.trace());
    for (const index_t n : {2, 7, 8, 9, 31, 150}) {
        expect_exact_factors(factorize, random, n, 8);
    }
    expect_exact_factors(factorize, random, 60, 1);
    expect_exact_factors(factorize, random, 391, 0);
}

TEST_F(getrf_mixed_test, the_first_zero_pivot_is_reported_by_its_number)
{
    SCOPED_TRACE(random.trace());
    expect_zero_pivots(factorize, random, 43, 8);
    for (const low_precision p : both_precisions) {
        columns_of<float> zeros(20);
        std::fill(zeros.words.begin(), zeros.words.end(), 0.0f);
        std::vector<std::int64_t> pivots;

        EXPECT_EQ(factorize(zeros, pivots, p, 8), 1);
    }
}

TEST_F(getrf_mixed_test, factors_are_as_close_as_promised_and_the_same_in_every_run)
{
    SCOPED_TRACE(random.trace());
    expect_bound(factorize, random, 1.0, {1, 2, 7, 8, 9, 31, 70, 150}, 8);
    expect_bound(factorize, random, 1.0, {1, 2, 127, 128, 129, 300, 391}, 0);
}

TEST_F(getrf_mixed_test, factors_are_not_closer_than_numbers_of_11_bits)
{
    SCOPED_TRACE(random.trace());
    expect_eleven_bits(factorize, random);
}

TEST_F(getrf_mixed_test, an_entry_of_u_beyond_binary16_is_seen_in_the_factors)
{
    expect_overflow_of_binary16_only(factorize);
}

TEST_F(getrf_mixed_test, what_is_not_finite_stays_in_the_factors)
{
    SCOPED_TRACE(random.trace());
    const std::pair<index_t, index_t> places[] = {{0, 0}, {20, 20}, {49, 0}, {0, 49}, {49, 49}, {30, 9}};
    for (const float x : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
        for (const auto& [i, j] : places) {
            for (const low_precision p : both_precisions) {
                columns_of<float> a = random_columns<float>(random, 50, 5, 2);
                a.at(i, j) = x;
                std::vector<std::int64_t> pivots;

                (void)factorize(a, pivots, p, 8);

                EXPECT_FALSE(std::all_of(a.words.begin(), a.words.end(), [](float y) { return std::isfinite(y); }))
                    << i << " " << j;
            }
        }
    }
}

TEST_F(getrf_mixed_test, what_does_not_fit_is_refused)
{
    columns_of<float> a(3);
    std::vector<std::int64_t> two(2), three(3);
    const auto call = [&](index_t n, index_t ld, std::vector<std::int64_t>& pivots, index_t panel = 2) {
        return blas::detail::getrf_mixed(exec, blas::lapack_matrix<host_executor, float>{a.words.data(), n, ld}, pivots,
                                         low_precision::tf32, panel);
    };

    EXPECT_THROW(call(3, 3, two), dimension_error);
    EXPECT_THROW(call(3, 2, three), dimension_error);
    EXPECT_THROW(call(-1, 3, three), dimension_error);
    EXPECT_THROW(call(3, 3, three, 0), dimension_error);
    EXPECT_THROW(call(3, 3, three, blas::detail::most_panel_columns + 1), dimension_error);
    EXPECT_THROW(call(3, index_t{1} << 31, three), unsupported_error);
}

}  // namespace
}  // namespace residua
