#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <residua/blas/slices/product.hpp>

#include "tests/blas/level3/products.hpp"

namespace residua {
namespace {

using namespace support;
using blas::slice_type;

const host_executor exec;

matrix<host_executor, double> product(const matrix<host_executor, double>& a, const matrix<host_executor, double>& b,
                                      const blas::ozaki_options& options)
{
    matrix<host_executor, double> c(a.rows(), b.cols());
    blas::gemm_ozaki(exec, a.view(), b.view(), c.view(), options);
    return c;
}

constexpr blas::ozaki_options all_binary32{slice_type::binary32, 0};
constexpr blas::ozaki_options all_binary64{slice_type::binary64, 0};

TEST(gemm_ozaki_test, all_slices_give_the_rounded_product)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const auto& [m, k, n] : shapes) {
        for (const auto kind : kinds) {
            const auto [a, b] = random_factors(random, kind, m, k, n);
            const auto expected = rounded_product(a, b);
            EXPECT_TRUE(same_numbers(product(a, b, all_binary32), expected)) << name(kind) << ' ' << m << ' ' << k;
            EXPECT_TRUE(same_numbers(product(a, b, all_binary64), expected)) << name(kind) << ' ' << m << ' ' << k;
        }
    }
}

// More terms than are summed in one arithmetic.
TEST(gemm_ozaki_test, long_rows_are_cut)
{
    biased_random random;
    const auto [a, b] = random_factors(random, factors::cancelling, 3, 9001, 2);
    const auto expected = rounded_product(a, b);
    EXPECT_TRUE(same_numbers(product(a, b, all_binary32), expected));
    EXPECT_TRUE(same_numbers(product(a, b, all_binary64), expected));
}

// With little memory: 64 terms and 64 columns at a time.
TEST(gemm_ozaki_test, terms_and_columns_are_cut)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const auto kind : {factors::uniform, factors::cancelling, factors::extreme}) {
        const auto [a, b] = random_factors(random, kind, 5, 150, 140);
        const auto expected = rounded_product(a, b);
        const blas::detail::sliced_factors<host_executor> of(exec, a.view(), b.view());
        matrix<host_executor, double> c(a.rows(), b.cols());
        blas::detail::integer_product<float>(exec, of, 0, c.view(), 1.0);
        EXPECT_TRUE(same_numbers(c, expected)) << name(kind);
        blas::detail::integer_product<double>(exec, of, 0, c.view(), 1.0);
        EXPECT_TRUE(same_numbers(c, expected)) << name(kind);
    }
}

// The slides: uniform on [-5, 5], the greatest relative error beside that of a product in binary32.
TEST(gemm_ozaki_test, slices_gain_as_published)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const auto [a, b] = random_factors(random, factors::uniform, 96, 1024, 64);
    const auto exact = product(a, b, all_binary64);
    const double one = greatest_relative_error(product(a, b, {slice_type::binary32, 1}), exact);
    const double two = greatest_relative_error(product(a, b, {slice_type::binary32, 2}), exact);
    const double three = greatest_relative_error(product(a, b, {slice_type::binary32, 3}), exact);
    const double four = greatest_relative_error(product(a, b, {slice_type::binary32, 4}), exact);
    EXPECT_GT(one / two, 15.0);
    EXPECT_GT(one / three, 500.0);
    EXPECT_GT(one / four, 15000.0);
    EXPECT_LT(one, 1.0);
}

TEST(gemm_ozaki_test, slices_keep_their_bound)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const auto kind : {factors::uniform, factors::wide, factors::cancelling, factors::graded}) {
        const auto [a, b] = random_factors(random, kind, 9, 77, 8);
        for (const slice_type type : {slice_type::binary32, slice_type::binary64}) {
            const int exact_bits = type == slice_type::binary32 ? 24 : 53;
            const int bits = slice_bits(exact_bits, 77);
            for (int s = 1; s <= 5; ++s) {
                const double u = pow2(-exact_bits);
                const double bound = s * 77.0 * (s * 77.0 + 5) * pow2(-bits * (s - 1)) * u +
                                     77.0 * (s * s + 2) * (1 + 77.0 / 4096) * 0x1p-53;
                EXPECT_LE(greatest_error(product(a, b, {type, s}), a, b), bound) << name(kind) << ' ' << s << " slices";
            }
        }
    }
}

TEST(gemm_ozaki_test, more_slices_than_there_are_change_nothing)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const auto kind : {factors::uniform, factors::wide, factors::cancelling, factors::graded}) {
        const auto [a, b] = random_factors(random, kind, 5, 20, 4);
        for (const slice_type type : {slice_type::binary32, slice_type::binary64}) {
            const int bits = slice_bits(type == slice_type::binary32 ? 24 : 53, 20);
            const blas::detail::sliced_factors<host_executor> of(exec, a.view(), b.view());
            const int all = slices_needed(of.bits_of_a(), 0, bits) + slices_needed(of.bits_of_b(), 0, bits);
            const auto expected = product(a, b, {type, all});
            EXPECT_TRUE(same_numbers(product(a, b, {type, all + 1}), expected)) << name(kind);
            EXPECT_TRUE(same_numbers(product(a, b, {type, std::numeric_limits<int>::max()}), expected)) << name(kind);
        }
    }
}

TEST(gemm_ozaki_test, what_is_not_finite_stays_so)
{
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    matrix<host_executor, double> a(3, 2);  // inf 1; nan 1; 1e300 1e300
    a.set(0, 0, inf);
    a.set(0, 1, 1.0);
    a.set(1, 0, nan);
    a.set(1, 1, 1.0);
    a.set(2, 0, 1e300);
    a.set(2, 1, 1e300);
    matrix<host_executor, double> b(2, 3);  // -2 0 1e300; 1 1 -1e300
    b.set(0, 0, -2.0);
    b.set(1, 0, 1.0);
    b.set(1, 1, 1.0);
    b.set(0, 2, 1e300);
    b.set(1, 2, -1e300);
    for (const auto& options : {all_binary32, all_binary64, blas::ozaki_options{slice_type::binary32, 2}}) {
        const auto c = product(a, b, options);
        EXPECT_EQ(c.get(0, 0), -inf);
        EXPECT_TRUE(std::isnan(c.get(0, 1)));  // infinity times zero
        EXPECT_EQ(c.get(0, 2), inf);
        EXPECT_TRUE(std::isnan(c.get(1, 0)));
        EXPECT_NEAR(c.get(2, 0), -1e300, 1e295);
        if (options.slices == 0) {        // with a few, what is wrong by less than |A| |B| may be an infinity
            EXPECT_EQ(c.get(2, 2), 0.0);  // 1e600 - 1e600
        }
        b.set(1, 2, 1e300);
        EXPECT_EQ(product(a, b, options).get(2, 2), inf);
        b.set(1, 2, -1e300);
    }
}

TEST(gemm_ozaki_test, empty_products_are_zero)
{
    matrix<host_executor, double> c(2, 2);
    c.set(1, 1, 7.0);
    const matrix<host_executor, double> a(2, 0);
    const matrix<host_executor, double> b(0, 2);
    blas::gemm_ozaki(exec, a.view(), b.view(), c.view());
    EXPECT_EQ(c.get(1, 1), 0.0);
    const matrix<host_executor, double> none(0, 2);
    matrix<host_executor, double> d(0, 2);
    blas::gemm_ozaki(exec, none.view(), c.view(), d.view());
}

TEST(gemm_ozaki_test, misuse_is_refused)
{
    const matrix<host_executor, double> a(2, 3);
    matrix<host_executor, double> c(2, 2);
    EXPECT_THROW(blas::gemm_ozaki(exec, a.view(), a.view(), c.view()), dimension_error);
    EXPECT_THROW(product(c, c, {slice_type::binary32, -1}), dimension_error);
    EXPECT_THROW(product(c, c, {slice_type::int8, 0}), unsupported_error);
}

}  // namespace
}  // namespace residua
