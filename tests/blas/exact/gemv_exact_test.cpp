#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/blas/exact/gemv_exact.hpp>

#include "tests/blas/exact/exact_oracle.hpp"

namespace residua {
namespace {

using namespace support;
using blas::exact_options;

const host_executor exec;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
typename exact_format<T>::vector first_column(const exact_format<T>& format, const typename exact_format<T>::matrix& b)
{
    auto x = format.zeros(b.rows());
    for (index_t l = 0; l < b.rows(); ++l) {
        x.set(l, b.get(l, 0));
    }
    return x;
}

template <class Vector>
auto numbers_of(const Vector& x)
{
    std::vector<decltype(x.get(0))> v;
    for (index_t l = 0; l < x.size(); ++l) {
        v.push_back(x.get(l));
    }
    return v;
}

/// A x and x' x against MPFR, bit for bit.
template <class T>
void expect_sums(const exact_format<T>& format, exact_kind kind, index_t m, index_t k, long q)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + " k = " + std::to_string(k));
    const long bits = format.of_sums();
    const exact_factors<T> of(format, random, kind, m, k, 1);
    const auto x = first_column(format, of.b);
    auto y = format.zeros(m);
    blas::gemv_exact<T>(exec, of.a, x, y, {q});
    const blas::exact_matrix<host_executor, T> a(exec, of.a, {q});
    auto again = format.zeros(m);
    a.multiply(exec, x, again);
    const auto column = cut_numbers<T>(numbers_of(x), q, bits);
    auto square = format.zeros(index_t{1});
    blas::dot_exact<T>(exec, x, x, square, {q});
    EXPECT_TRUE(exact_format<T>::same(square.get(0), format.from(sum_of_products(column, column, bits))));
    for (index_t i = 0; i < m; ++i) {
        const auto row = row_of(of.a, i);
        const real sum = sum_of_products(cut_numbers<T>(row, q, bits), column, bits);
        ASSERT_TRUE(exact_format<T>::same(y.get(i), format.from(sum))) << i << ' ' << q << " bits";
        ASSERT_TRUE(exact_format<T>::same(again.get(i), y.get(i))) << i << ' ' << q << " bits";
        auto v = format.zeros(k);
        for (index_t l = 0; l < k; ++l) {
            v.set(l, of.a.get(i, l));
        }
        auto result = format.zeros(index_t{1});
        blas::dot_exact<T>(exec, v, x, result, {q});
        ASSERT_TRUE(exact_format<T>::same(result.get(0), y.get(i)));
    }
}

template <class T>
void expect_exact_sums(const exact_format<T>& format)
{
    for (const exact_kind kind : exact_kinds) {
        expect_sums(format, kind, 1, 1, 0);
        expect_sums(format, kind, 17, 23, 0);
        expect_sums(format, kind, 3, 40, 106);
    }
    expect_sums(format, exact_kind::spread, 5, 30, 1);
    expect_sums(format, exact_kind::spread, 5, 30, 300);
}

template <class T>
void expect_special_sums(const exact_format<T>& format)
{
    auto a = format.zeros(3, 2);  // inf 1; NaN 1; 2 3
    a.set(0, 0, format.from(inf));
    a.set(0, 1, format.from(1.0));
    a.set(1, 0, format.from(nan));
    a.set(1, 1, format.from(1.0));
    a.set(2, 0, format.from(2.0));
    a.set(2, 1, format.from(3.0));
    auto x = format.zeros(2);
    x.set(0, format.from(-5.0));
    x.set(1, format.from(7.0));
    auto y = format.zeros(3);
    blas::gemv_exact<T>(exec, a, x, y);
    EXPECT_TRUE(has_leading<T>(y.get(0), -inf));
    EXPECT_TRUE(has_leading<T>(y.get(1), nan));
    EXPECT_TRUE(has_leading<T>(y.get(2), 11.0));
    x.set(0, format.from(0.0));
    x.set(1, format.from(inf));
    const blas::exact_matrix<host_executor, T> whole(exec, a);
    whole.multiply(exec, x, y);
    EXPECT_TRUE(has_leading<T>(y.get(0), nan));
    EXPECT_TRUE(has_leading<T>(y.get(1), nan));
    EXPECT_TRUE(has_leading<T>(y.get(2), inf));
    auto result = format.zeros(index_t{1});
    blas::dot_exact<T>(exec, x, x, result);
    EXPECT_TRUE(has_leading<T>(result.get(0), inf));
}

template <class T>
void expect_empty_sums_are_zero(const exact_format<T>& format)
{
    auto y = format.zeros(3);
    y.set(2, format.from(7.0));
    blas::gemv_exact<T>(exec, format.zeros(3, 0), format.zeros(index_t{0}), y);
    EXPECT_TRUE(exact_format<T>::same(y.get(2), format.from(0.0)));
    auto none = format.zeros(index_t{0});
    blas::gemv_exact<T>(exec, format.zeros(0, 3), y, none);
    auto result = format.zeros(index_t{1});
    result.set(0, format.from(7.0));
    blas::dot_exact<T>(exec, none, none, result);
    EXPECT_TRUE(exact_format<T>::same(result.get(0), format.from(0.0)));
}

template <class T>
void expect_same_for_any_threads(const exact_format<T>& format)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const exact_factors<T> of(format, random, exact_kind::cancelling, 70, 300, 1);
    const exact_factors<T> longer(format, random, exact_kind::cancelling, 1, 4000, 1);
    const auto x = first_column(format, of.b);
    const auto z = first_column(format, longer.b);
    auto one = format.zeros(71);
    auto two = one;
    const int threads = omp_get_max_threads();
    for (const int count : {1, 2}) {
        omp_set_num_threads(count);
        auto y = format.zeros(70);
        auto square = format.zeros(index_t{1});
        blas::gemv_exact<T>(exec, of.a, x, y);
        blas::dot_exact<T>(exec, z, z, square);
        for (index_t i = 0; i < 71; ++i) {
            (count == 1 ? one : two).set(i, i < 70 ? y.get(i) : square.get(0));
        }
    }
    omp_set_num_threads(threads);
    for (index_t i = 0; i < 71; ++i) {
        EXPECT_TRUE(exact_format<T>::same(one.get(i), two.get(i))) << i;
    }
}

template <class T>
void expect_misuse_is_refused(const exact_format<T>& format)
{
    const auto a = format.zeros(2, 3);
    auto x = format.zeros(2);
    EXPECT_THROW(blas::gemv_exact<T>(exec, a, x, x), dimension_error);
    EXPECT_THROW(blas::dot_exact<T>(exec, x, x, x), dimension_error);
    auto y = format.zeros(2);
    EXPECT_THROW(blas::gemv_exact<T>(exec, a, format.zeros(3), y, {-1}), dimension_error);
    EXPECT_THROW((blas::exact_matrix<host_executor, T>(exec, a, {-1})), dimension_error);
    const blas::exact_matrix<host_executor, T> whole(exec, a);
    EXPECT_THROW(whole.multiply(exec, x, y), dimension_error);
    EXPECT_THROW(blas::dot_exact<T>(exec, x, format.zeros(3), y), dimension_error);
}

template <class T>
class gemv_exact_test : public testing::Test {
protected:
    exact_format<T> format;
};

using tested_formats = testing::Types<double, expansion<double, 2>, expansion<double, 4>, expansion<double, 8>>;
TYPED_TEST_SUITE(gemv_exact_test, tested_formats, format_name);

TYPED_TEST(gemv_exact_test, sums_are_rounded_once) { expect_exact_sums(this->format); }
TYPED_TEST(gemv_exact_test, what_is_not_finite_stays_so) { expect_special_sums(this->format); }
TYPED_TEST(gemv_exact_test, empty_sums_are_zero) { expect_empty_sums_are_zero(this->format); }
TYPED_TEST(gemv_exact_test, threads_change_no_bit) { expect_same_for_any_threads(this->format); }
TYPED_TEST(gemv_exact_test, misuse_is_refused) { expect_misuse_is_refused(this->format); }

class gemv_exact_multidigit_test : public testing::TestWithParam<long> {
protected:
    exact_format<multidigit> format{multidigit_format(GetParam())};
};

TEST_P(gemv_exact_multidigit_test, sums_are_rounded_once) { expect_exact_sums(format); }
TEST_P(gemv_exact_multidigit_test, what_is_not_finite_stays_so) { expect_special_sums(format); }
TEST_P(gemv_exact_multidigit_test, empty_sums_are_zero) { expect_empty_sums_are_zero(format); }
TEST_P(gemv_exact_multidigit_test, threads_change_no_bit) { expect_same_for_any_threads(format); }
TEST_P(gemv_exact_multidigit_test, misuse_is_refused) { expect_misuse_is_refused(format); }

// A row of a matrix as x, every other number backwards as y.
TEST_P(gemv_exact_multidigit_test, vectors_have_strides)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const exact_factors<multidigit> of(format, random, exact_kind::uniform, 4, 6, 1);
    const exact_factors<multidigit> rows(format, random, exact_kind::uniform, 3, 6, 1);
    auto y = format.zeros(7);
    y.set(0, format.from(5.0));
    auto view = y.view();
    blas::gemv_exact<multidigit>(exec, of.a, rows.a.view().row(1),
                                 vector_view<host_executor, multidigit>{view.start.from(6), 4, -2, view.format});
    const long bits = format.of_sums();
    const auto x = cut_numbers<multidigit>(row_of(rows.a, 1), 0, bits);
    for (index_t i = 0; i < 4; ++i) {
        const real sum = sum_of_products(cut_numbers<multidigit>(row_of(of.a, i), 0, bits), x, bits);
        EXPECT_TRUE(exact_format<multidigit>::same(y.get(6 - 2 * i), format.from(sum)));
        EXPECT_TRUE(i == 3 || exact_format<multidigit>::same(y.get(5 - 2 * i), format.from(0.0)));
    }
}

TEST_P(gemv_exact_multidigit_test, spreads_that_are_too_wide_need_bits)
{
    auto x = format.zeros(2);
    x.set(0, format.from(1.0));
    x.set(1, ldexp(format.from(1.0), -20'000));
    auto square = format.zeros(index_t{1});
    blas::dot_exact<multidigit>(exec, x, x, square);
    EXPECT_TRUE(exact_format<multidigit>::same(square.get(0), format.from(1.0)));
    x.set(1, ldexp(format.from(1.0), -1'000'000'000));
    EXPECT_THROW(blas::dot_exact<multidigit>(exec, x, x, square), unsupported_error);
    blas::dot_exact<multidigit>(exec, x, x, square, {64});
    EXPECT_TRUE(exact_format<multidigit>::same(square.get(0), format.from(1.0)));
}

INSTANTIATE_TEST_SUITE_P(bits, gemv_exact_multidigit_test, testing::Values(64, 212, 700, 4096),
                         testing::PrintToStringParamName());

class gemv_exact_rns_test : public testing::TestWithParam<long> {
protected:
    exact_format<rns> format{rns_format(GetParam())};
};

TEST_P(gemv_exact_rns_test, sums_are_rounded_once) { expect_exact_sums(format); }
TEST_P(gemv_exact_rns_test, what_is_not_finite_stays_so) { expect_special_sums(format); }
TEST_P(gemv_exact_rns_test, empty_sums_are_zero) { expect_empty_sums_are_zero(format); }
TEST_P(gemv_exact_rns_test, threads_change_no_bit) { expect_same_for_any_threads(format); }
TEST_P(gemv_exact_rns_test, misuse_is_refused) { expect_misuse_is_refused(format); }

INSTANTIATE_TEST_SUITE_P(bits, gemv_exact_rns_test, testing::Values(60, 212, 1734), testing::PrintToStringParamName());

}  // namespace
}  // namespace residua
