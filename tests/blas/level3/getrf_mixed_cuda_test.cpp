// The factors of a device: not the bits of the host, but within the same kind of bound, and the same in every run.
#include "tests/blas/level3/mixed_factors.hpp"

#include <residua/blas/base/buffer.hpp>

#include "tests/support/on_cuda.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr double sums = 4.0;  // of tensor cores, docs/error_bounds.md

struct getrf_mixed_cuda_test : on_cuda<float> {
    mixed_factorization factorize = [this](columns_of<float>& a, std::vector<std::int64_t>& pivots, low_precision p,
                                           index_t panel) {
        buffer<host_executor, float> words(static_cast<index_t>(a.words.size()));
        std::copy(a.words.begin(), a.words.end(), words.data());
        auto on_device = to_device(device, words);
        buffer<cuda_executor, std::int64_t> swapped(a.n, device);
        const blas::lapack_matrix<cuda_executor, float> view{on_device.data(), a.n, a.ld};
        const index_t report = panel == 0 ? blas::getrf_mixed(device, view, swapped.span(), p)
                                          : blas::detail::getrf_mixed(device, view, swapped.span(), p, panel);
        words = to_host(device, on_device);
        std::copy(words.data(), words.data() + words.size(), a.words.begin());
        const auto fetched = to_host(device, swapped);
        pivots.assign(fetched.data(), fetched.data() + fetched.size());
        return report;
    };
};

void expect_all_nan(const columns_of<float>& a, const std::vector<std::int64_t>& pivots)
{
    for (index_t j = 0; j < a.n; ++j) {
        ASSERT_EQ(pivots[static_cast<std::size_t>(j)], j + 1);
        for (index_t i = 0; i < a.n; ++i) {
            ASSERT_TRUE(std::isnan(a.at(i, j))) << i << " " << j;
        }
    }
}

}  // namespace

TEST_F(getrf_mixed_cuda_test, one_product_is_that_of_rounded_numbers)
{
    SCOPED_TRACE(random.trace());
    expect_rounded_products(factorize, random, 300, 1);
    expect_rounded_products(factorize, random, 200, 16);
    expect_rounded_products(factorize, random, 500, 33);
    expect_rounded_products(factorize, random, 700, 256);
}

TEST_F(getrf_mixed_cuda_test, exact_factors_and_their_pivots_are_found)
{
    SCOPED_TRACE(random.trace());
    for (const index_t n : {2, 7, 8, 9, 31, 150}) {
        expect_exact_factors(factorize, random, n, 8);
    }
    expect_exact_factors(factorize, random, 60, 1);
    expect_exact_factors(factorize, random, 250, 33);
    expect_exact_factors(factorize, random, 601, 0);
}

TEST_F(getrf_mixed_cuda_test, the_first_zero_pivot_is_reported_by_its_number)
{
    SCOPED_TRACE(random.trace());
    expect_zero_pivots(factorize, random, 43, 8);
    for (const low_precision p : both_precisions) {
        columns_of<float> zeros(20), none(0);
        std::fill(zeros.words.begin(), zeros.words.end(), 0.0f);
        std::vector<std::int64_t> pivots;

        EXPECT_EQ(factorize(zeros, pivots, p, 8), 1);
        EXPECT_EQ(factorize(none, pivots, p, 8), 0);
    }
}

TEST_F(getrf_mixed_cuda_test, factors_are_as_close_as_promised_and_the_same_in_every_run)
{
    SCOPED_TRACE(random.trace());
    expect_bound(factorize, random, sums, {1, 2, 7, 8, 9, 31, 70, 150}, 8);
    expect_bound(factorize, random, sums, {33, 34, 200}, 33);
    expect_bound(factorize, random, sums, {700}, 512);
    expect_bound(factorize, random, sums, {1, 2, 255, 256, 257, 775, 1500}, 0);
}

TEST_F(getrf_mixed_cuda_test, factors_are_not_closer_than_numbers_of_11_bits)
{
    SCOPED_TRACE(random.trace());
    expect_eleven_bits(factorize, random);
}

/// Entries of up to 2^-6 beside a diagonal near 1: the rounded products of both are off by less than 40 2^-12 2^-10
/// each, sums by 164 2^-24, and factors of a matrix this near to the identity by a few times as much.
TEST_F(getrf_mixed_cuda_test, factors_are_close_to_those_of_the_host)
{
    SCOPED_TRACE(random.trace());
    for (const low_precision p : both_precisions) {
        columns_of<float> here(40);
        for (index_t j = 0; j < here.n; ++j) {
            for (index_t i = 0; i < here.n; ++i) {
                here.at(i, j) = static_cast<float>((i == j ? 1.0 : 0.0) + random.full(-12, -7));
            }
        }
        columns_of<float> there = here;
        std::vector<std::int64_t> pivots, pivots_there;

        pivots.resize(static_cast<std::size_t>(here.n));
        ASSERT_EQ(blas::detail::getrf_mixed(
                      host_executor{}, blas::lapack_matrix<host_executor, float>{here.words.data(), here.n, here.ld},
                      pivots, p, 8),
                  0);
        ASSERT_EQ(factorize(there, pivots_there, p, 8), 0);

        EXPECT_EQ(pivots, pivots_there);
        for (std::size_t k = 0; k < here.words.size(); ++k) {
            EXPECT_NEAR(here.words[k], there.words[k], 0x1p-12) << k;
        }
    }
}

TEST_F(getrf_mixed_cuda_test, an_entry_of_u_beyond_binary16_is_seen_in_the_factors)
{
    expect_overflow_of_binary16_only(factorize);
}

TEST_F(getrf_mixed_cuda_test, what_is_not_finite_shows_in_all_factors)
{
    SCOPED_TRACE(random.trace());
    const std::pair<index_t, index_t> places[] = {{0, 0}, {20, 20}, {49, 0}, {0, 49}, {49, 49}, {30, 9}};
    for (const float x : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
        for (const auto& [i, j] : places) {
            columns_of<float> a = random_columns<float>(random, 50, 5, 2);
            a.at(i, j) = x;
            std::vector<std::int64_t> pivots;

            EXPECT_EQ(factorize(a, pivots, low_precision::tf32, 8), 0);

            ASSERT_NO_FATAL_FAILURE(expect_all_nan(a, pivots)) << i << " " << j;
        }
    }
    columns_of<float> a = random_columns<float>(random, 50, 5);
    std::vector<std::int64_t> pivots;
    a.at(0, 0) = 2.0f;
    for (index_t i = 1; i < a.n; ++i) {
        a.at(i, 0) = 0.5f;
    }
    a.at(0, 30) = 70000.0f;

    EXPECT_EQ(factorize(a, pivots, low_precision::binary16, 8), 0);

    ASSERT_NO_FATAL_FAILURE(expect_all_nan(a, pivots));
}

TEST_F(getrf_mixed_cuda_test, what_does_not_fit_is_refused)
{
    std::vector<std::int64_t> two(2);
    const auto call = [&](index_t n, index_t ld, index_t panel) {
        return blas::detail::getrf_mixed(device, blas::lapack_matrix<cuda_executor, float>{nullptr, n, ld}, two,
                                         low_precision::binary16, panel);
    };

    EXPECT_THROW(call(3, 3, 8), dimension_error);
    EXPECT_THROW(call(2, 1, 8), dimension_error);
    EXPECT_THROW(call(2, 2, 0), dimension_error);
    EXPECT_THROW(call(2, 2, blas::detail::most_panel_columns + 1), dimension_error);
}
