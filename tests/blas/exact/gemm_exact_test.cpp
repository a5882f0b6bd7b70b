#include <cmath>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/arith/base/bits.hpp>

#include <residua/io/team.hpp>

#include "tests/blas/exact/dense_products.hpp"

namespace residua {
namespace {

using namespace support;
using blas::exact_options;

template <class T>
typename exact_format<T>::matrix product(const exact_format<T>& format, const typename exact_format<T>::matrix& a,
                                         const typename exact_format<T>::matrix& b, const exact_options& options = {})
{
    auto c = format.zeros(a.rows(), b.cols());
    blas::gemm_exact<T>(exec, a, b, c, options);
    return c;
}

/// C against MPFR, bit for bit, and with q bits against the bound of what it is without.
template <class T>
void expect_product(const exact_format<T>& format, const typename exact_format<T>::matrix& a,
                    const typename exact_format<T>::matrix& b, const typename exact_format<T>::matrix& c, long q)
{
    const long bits = format.of_sums();
    for (index_t j = 0; j < b.cols(); ++j) {
        const auto y = column_of(b, j);
        const auto y_cut = cut_numbers<T>(y, q, bits);
        for (index_t i = 0; i < a.rows(); ++i) {
            const auto x = row_of(a, i);
            const real sum = sum_of_products(cut_numbers<T>(x, q, bits), y_cut, bits);
            ASSERT_TRUE(exact_format<T>::same(c.get(i, j), format.from(sum))) << i << ' ' << j << ' ' << q << " bits";
            if (q > 0 && exponent_above<T>(x).has_value() && exponent_above<T>(y).has_value() &&
                std::isfinite(exact_format<T>::leading(c.get(i, j)))) {
                const real exact = sum_of_products(cut_numbers<T>(x, 0, bits), cut_numbers<T>(y, 0, bits), bits);
                const real kept = to_real(c.get(i, j)).with_precision(bits);
                const real lost = ldexp(real(2.0 * static_cast<double>(a.cols()), bits),
                                        *exponent_above<T>(x) + *exponent_above<T>(y) - q);
                ASSERT_LE(abs(kept - exact),
                          ldexp(abs(kept), -format.precision()) + lost + ldexp(real(1.0, bits), -1075));
            }
        }
    }
}

template <class T>
void expect_exact_products(const exact_format<T>& format)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const auto& [m, k, n] : exact_shapes) {
        for (const exact_kind kind : exact_kinds) {
            const exact_factors<T> of(format, random, kind, m, k, n);
            SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + " k = " + std::to_string(k));
            expect_product(format, of.a, of.b, product(format, of.a, of.b), 0);
        }
    }
}

template <class T>
void expect_the_lower_part_of_the_whole(const exact_format<T>& format)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const auto& [m, n] : {std::pair<index_t, index_t>{1, 1}, {150, 130}, {70, 140}, {200, 65}}) {
        const exact_factors<T> of(format, random, exact_kind::uniform, m, 5, n);
        const auto whole = product(format, of.a, of.b);
        for (const int threads : {1, 2, 3, 7}) {
            const io::thread_limit limit(threads);
            const auto lower = product(format, of.a, of.b, {.lower = true});
            for (index_t j = 0; j < n; ++j) {
                for (index_t i = j; i < m; ++i) {
                    ASSERT_TRUE(exact_format<T>::same(lower.get(i, j), whole.get(i, j)))
                        << i << ' ' << j << ", " << threads << " threads";
                }
            }
        }
    }
}

template <class T>
void expect_cut_products(const exact_format<T>& format)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const long q : {1, 53, 64, 106, 300}) {
        for (const exact_kind kind : {exact_kind::uniform, exact_kind::spread, exact_kind::cancelling}) {
            const exact_factors<T> of(format, random, kind, 4, 9, 5);
            expect_product(format, of.a, of.b, product(format, of.a, of.b, {q}), q);
        }
    }
}

/// Sums half way between two numbers of so many bits, and so far beside that, with even and odd neighbours.
template <class T>
void expect_ties_to_even(const exact_format<T>& format, long bits)
{
    constexpr int distances[] = {0,  1,  2,   30,  31,  32,  33,  62,  63,  64, 65,
                                 95, 96, 100, 127, 128, 129, 191, 192, 260, 600};
    constexpr index_t n = std::size(distances);
    constexpr long top = 900;
    auto a = format.zeros(16, 4);
    auto b = format.zeros(4, n);
    for (index_t i = 0; i < 16; ++i) {
        const double sign = i % 2 == 0 ? 1.0 : -1.0;
        a.set(i, 0, format.from(sign));
        a.set(i, 1, format.from(i / 2 % 2 == 0 ? 0.0 : sign));
        a.set(i, 2, format.from(i / 4 % 2 == 0 ? sign : -sign));
        a.set(i, 3, format.from(i / 8 == 0 ? 1.0 : -1.0));
    }
    for (index_t j = 0; j < n; ++j) {
        b.set(0, j, format.power_of_two(top));
        b.set(1, j, format.power_of_two(top + 1 - bits));
        b.set(2, j, format.power_of_two(top - bits));
        b.set(3, j, distances[j] == 0 ? format.from(0.0) : format.power_of_two(top - bits - distances[j]));
    }
    expect_product(format, a, b, product(format, a, b), 0);
}

template <class T>
void expect_ties_to_even(const exact_format<T>& format)
{
    expect_ties_to_even(format, 53);
    expect_ties_to_even(format, format.precision());
}

template <class T>
void expect_special_products(const exact_format<T>& format)
{
    auto a = format.zeros(4, 2);  // inf 1; NaN 1; 2 3; 0 -inf
    a.set(0, 0, format.from(inf));
    a.set(0, 1, format.from(1.0));
    a.set(1, 0, format.from(nan));
    a.set(1, 1, format.from(1.0));
    a.set(2, 0, format.from(2.0));
    a.set(2, 1, format.from(3.0));
    a.set(3, 1, format.from(-inf));
    auto b = format.zeros(2, 4);  // -2 0 5 inf; 1 1 7 -inf
    b.set(0, 0, format.from(-2.0));
    b.set(1, 0, format.from(1.0));
    b.set(1, 1, format.from(1.0));
    b.set(0, 2, format.from(5.0));
    b.set(1, 2, format.from(7.0));
    b.set(0, 3, format.from(inf));
    b.set(1, 3, format.from(-inf));
    const double expected[4][4] = {
        {-inf, nan, inf, nan}, {nan, nan, nan, nan}, {-1.0, 3.0, 31.0, nan}, {-inf, -inf, -inf, nan}};
    for (const long q : {0, 60}) {
        const auto c = product(format, a, b, {q});
        for (index_t i = 0; i < 4; ++i) {
            for (index_t j = 0; j < 4; ++j) {
                EXPECT_TRUE(has_leading<T>(c.get(i, j), expected[i][j]))
                    << i << ' ' << j << ' ' << exact_format<T>::leading(c.get(i, j));
            }
        }
    }
}

template <class T>
void expect_empty_products_are_zero(const exact_format<T>& format)
{
    auto c = format.zeros(2, 3);
    c.set(1, 2, format.from(7.0));
    blas::gemm_exact<T>(exec, format.zeros(2, 0), format.zeros(0, 3), c);
    EXPECT_TRUE(exact_format<T>::same(c.get(1, 2), format.from(0.0)));
    auto none = format.zeros(0, 3);
    blas::gemm_exact<T>(exec, format.zeros(0, 2), c, none);
    auto nothing = format.zeros(2, 0);
    blas::gemm_exact<T>(exec, c, format.zeros(3, 0), nothing);
}

template <class T>
void expect_same_for_any_threads(const exact_format<T>& format)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const exact_factors<T> of(format, random, exact_kind::cancelling, 45, 30, 40);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const auto one = product(format, of.a, of.b);
    omp_set_num_threads(2);
    const auto two = product(format, of.a, of.b);
    omp_set_num_threads(threads);
    for (index_t j = 0; j < one.cols(); ++j) {
        for (index_t i = 0; i < one.rows(); ++i) {
            ASSERT_TRUE(exact_format<T>::same(one.get(i, j), two.get(i, j)));
        }
    }
}

/// Parts of larger matrices; what is around the result stays.
template <class T>
void expect_parts_are_multiplied(const exact_format<T>& format)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const exact_factors<T> of(format, random, exact_kind::uniform, 40, 37, 41);
    const exact_factors<T> part(format, random, exact_kind::uniform, 5, 6, 7);
    auto a = of.a;
    auto b = of.b;
    for (index_t l = 0; l < 6; ++l) {
        for (index_t i = 0; i < 5; ++i) {
            a.set(i + 3, l + 2, part.a.get(i, l));
        }
        for (index_t j = 0; j < 7; ++j) {
            b.set(l + 1, j + 4, part.b.get(l, j));
        }
    }
    auto c = format.zeros(12, 10);
    for (index_t j = 0; j < 10; ++j) {
        for (index_t i = 0; i < 12; ++i) {
            c.set(i, j, format.from(7.0));
        }
    }
    blas::gemm_exact<T>(exec, a.view().block(3, 2, 5, 6), b.view().block(1, 4, 6, 7), c.view().block(2, 1, 5, 7));
    const auto expected = product(format, part.a, part.b);
    for (index_t j = 0; j < 10; ++j) {
        for (index_t i = 0; i < 12; ++i) {
            const bool inside = i >= 2 && i < 7 && j >= 1 && j < 8;
            EXPECT_TRUE(exact_format<T>::same(c.get(i, j), inside ? expected.get(i - 2, j - 1) : format.from(7.0)));
        }
    }
}

template <class T>
void expect_misuse_is_refused(const exact_format<T>& format)
{
    const auto a = format.zeros(2, 3);
    auto c = format.zeros(2, 2);
    EXPECT_THROW(blas::gemm_exact<T>(exec, a, a, c), dimension_error);
    EXPECT_THROW(product(format, c, c, {-1}), dimension_error);
    auto wide = format.zeros(2, 3);
    EXPECT_THROW(blas::gemm_exact<T>(exec, c, c, wide), dimension_error);
}

template <class T>
class gemm_exact_test : public testing::Test {
protected:
    exact_format<T> format;
};

TYPED_TEST_SUITE(gemm_exact_test, dense_exact_formats, format_name);

TYPED_TEST(gemm_exact_test, elements_are_rounded_once) { expect_exact_products(this->format); }
TYPED_TEST(gemm_exact_test, the_lower_part_is_that_of_the_whole) { expect_the_lower_part_of_the_whole(this->format); }
TYPED_TEST(gemm_exact_test, factors_are_cut_as_defined) { expect_cut_products(this->format); }
TYPED_TEST(gemm_exact_test, ties_go_to_even) { expect_ties_to_even(this->format); }
TYPED_TEST(gemm_exact_test, what_is_not_finite_stays_so) { expect_special_products(this->format); }
TYPED_TEST(gemm_exact_test, empty_products_are_zero) { expect_empty_products_are_zero(this->format); }
TYPED_TEST(gemm_exact_test, threads_change_no_bit) { expect_same_for_any_threads(this->format); }
TYPED_TEST(gemm_exact_test, parts_are_multiplied) { expect_parts_are_multiplied(this->format); }

class gemm_exact_multidigit_test : public testing::TestWithParam<long> {
protected:
    exact_format<multidigit> format{multidigit_format(GetParam())};
};

TEST_P(gemm_exact_multidigit_test, elements_are_rounded_once) { expect_exact_products(format); }
TEST_P(gemm_exact_multidigit_test, the_lower_part_is_that_of_the_whole) { expect_the_lower_part_of_the_whole(format); }
TEST_P(gemm_exact_multidigit_test, factors_are_cut_as_defined) { expect_cut_products(format); }
TEST_P(gemm_exact_multidigit_test, ties_go_to_even) { expect_ties_to_even(format); }
TEST_P(gemm_exact_multidigit_test, what_is_not_finite_stays_so) { expect_special_products(format); }
TEST_P(gemm_exact_multidigit_test, empty_products_are_zero) { expect_empty_products_are_zero(format); }
TEST_P(gemm_exact_multidigit_test, threads_change_no_bit) { expect_same_for_any_threads(format); }
TEST_P(gemm_exact_multidigit_test, parts_are_multiplied) { expect_parts_are_multiplied(format); }

// Products far outside of binary64, and beyond the exponents there are.
TEST_P(gemm_exact_multidigit_test, exponents_reach_their_ends)
{
    auto a = format.zeros(3, 2);
    auto b = format.zeros(2, 2);
    const auto one = format.from(1.0);
    const long most = multidigit_most_exponent - 1;
    const long least = multidigit_least_exponent - 1;
    for (index_t l = 0; l < 2; ++l) {
        a.set(0, l, ldexp(one, most));
        a.set(1, l, ldexp(one, least));
        a.set(2, l, one);
        b.set(l, 0, one);
        b.set(l, 1, ldexp(one, -2));
    }
    const auto c = product(format, a, b);
    EXPECT_EQ(exact_format<multidigit>::leading(c.get(0, 0)), inf);
    EXPECT_TRUE(exact_format<multidigit>::same(c.get(0, 1), ldexp(one, most - 1)));
    EXPECT_TRUE(exact_format<multidigit>::same(c.get(1, 0), ldexp(one, least + 1)));
    EXPECT_TRUE(exact_format<multidigit>::same(c.get(1, 1), format.from(0.0)));  // half of the least number
    EXPECT_TRUE(exact_format<multidigit>::same(c.get(2, 0), format.from(2.0)));
}

// More bits than can be kept are refused, but not cut: the bits asked for are.
TEST_P(gemm_exact_multidigit_test, spreads_that_are_too_wide_need_bits)
{
    auto a = format.zeros(1, 2);
    a.set(0, 0, format.from(1.0));
    a.set(0, 1, ldexp(format.from(1.0), -1'000'000'000));
    auto b = format.zeros(2, 1);
    b.set(0, 0, format.from(3.0));
    b.set(1, 0, format.from(1.0));
    try {
        product(format, a, b);
        FAIL() << "accepted";
    } catch (const unsupported_error& e) {
        const std::string message = e.what();
        EXPECT_NE(message.find("give bits"), std::string::npos) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
    EXPECT_TRUE(exact_format<multidigit>::same(product(format, a, b, {100}).get(0, 0), format.from(3.0)));
}

// What lies beside NaN needs no bits.
TEST_P(gemm_exact_multidigit_test, special_vectors_take_no_bits)
{
    auto a = format.zeros(2, 3);
    a.set(0, 0, format.from(nan));
    a.set(0, 1, format.from(1.0));
    a.set(0, 2, ldexp(format.from(1.0), -1'000'000'000));
    a.set(1, 1, format.from(3.0));
    auto b = format.zeros(3, 1);
    b.set(1, 0, format.from(5.0));
    const auto c = product(format, a, b);
    EXPECT_TRUE(std::isnan(exact_format<multidigit>::leading(c.get(0, 0))));
    EXPECT_TRUE(exact_format<multidigit>::same(c.get(1, 0), format.from(15.0)));
}

INSTANTIATE_TEST_SUITE_P(bits, gemm_exact_multidigit_test, testing::Values(64, 100, 212, 600, 1696, 4096),
                         testing::PrintToStringParamName());

class gemm_exact_rns_test : public testing::TestWithParam<long> {
protected:
    exact_format<rns> format{rns_format(GetParam())};
};

TEST_P(gemm_exact_rns_test, elements_are_rounded_once) { expect_exact_products(format); }
TEST_P(gemm_exact_rns_test, factors_are_cut_as_defined) { expect_cut_products(format); }
TEST_P(gemm_exact_rns_test, ties_go_to_even) { expect_ties_to_even(format); }
TEST_P(gemm_exact_rns_test, what_is_not_finite_stays_so) { expect_special_products(format); }
TEST_P(gemm_exact_rns_test, empty_products_are_zero) { expect_empty_products_are_zero(format); }
TEST_P(gemm_exact_rns_test, threads_change_no_bit) { expect_same_for_any_threads(format); }
TEST_P(gemm_exact_rns_test, parts_are_multiplied) { expect_parts_are_multiplied(format); }

INSTANTIATE_TEST_SUITE_P(bits, gemm_exact_rns_test, testing::Values(60, 76, 106, 212, 700, 1734),
                         testing::PrintToStringParamName());

// The factors and the result of different precisions.
TEST(gemm_exact_formats_test, precisions_may_differ)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const exact_format<multidigit> of_a{multidigit_format(300)};
    const exact_format<multidigit> of_b{multidigit_format(90)};
    const exact_format<multidigit> of_c{multidigit_format(200)};
    const auto a = exact_factors<multidigit>(of_a, random, exact_kind::spread, 6, 7, 1).a;
    const auto b = exact_factors<multidigit>(of_b, random, exact_kind::spread, 1, 7, 5).b;
    auto c = of_c.zeros(6, 5);
    blas::gemm_exact<multidigit>(exec, a, b, c);
    expect_product(of_c, a, b, c, 0);
}

// Sums that are too long for residues.
TEST(gemm_exact_formats_test, sums_may_be_longer_than_products_of_moduli)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const exact_format<multidigit> format{multidigit_format(200), 60'000};
    auto a = format.zeros(5, 6);
    auto b = format.zeros(6, 4);
    for (index_t l = 0; l < 6; ++l) {
        for (index_t i = 0; i < 5; ++i) {
            a.set(i, l, format.any(random, -2, 2) * format.power_of_two(random.integer(-15'000, 15'000)));
        }
        for (index_t j = 0; j < 4; ++j) {
            b.set(l, j, format.any(random, -2, 2) * format.power_of_two(random.integer(-15'000, 15'000)));
        }
    }
    for (const long q : {0, 9'000, 300}) {
        expect_product(format, a, b, product(format, a, b, {q}), q);
    }
}

TEST(gemm_exact_formats_test, misuse_is_refused)
{
    expect_misuse_is_refused(exact_format<double>{});
    expect_misuse_is_refused(exact_format<multidigit>{multidigit_format(64)});
    expect_misuse_is_refused(exact_format<rns>{rns_format(100)});
}

}  // namespace
}  // namespace residua
