// B - A X of dense matrices as sums that are rounded once.
#include <algorithm>
#include <iterator>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include "tests/blas/exact/dense_products.hpp"

namespace residua {
namespace {

using namespace support;

/// B - A X against MPFR, bit for bit, for A of binary64 and of the format, and against one column at a time.
template <class T, class V>
void expect_residuals(const exact_format<T>& format, const exact_format<V>& of_matrix)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const long bits = std::max(format.of_sums(), of_matrix.of_sums());
    for (const auto& [m, k, n] : exact_shapes) {
        for (const exact_kind kind : exact_kinds) {
            SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + " k = " + std::to_string(k));
            const auto a = exact_factors<V>(of_matrix, random, kind, m, k, 1).a;
            auto x = exact_factors<T>(format, random, kind, 1, k, n).b;
            const auto b = exact_factors<T>(format, random, kind, m, n, 1).a;
            for (index_t l = 0; l < k && n > 1; ++l) {
                x.set(l, 1, format.from(0.0));  // a column that is zero
            }
            auto r = format.zeros(m, n);
            blas::residual_exact<T, V>(exec, a, x, b, r);
            for (index_t j = 0; j < n; ++j) {
                const auto column = cut_numbers<T>(column_of(x, j), 0, bits);
                const auto of_b = cut_numbers<T>(column_of(b, j), 0, bits);
                for (index_t i = 0; i < m; ++i) {
                    const real sum = sum_of_products(cut_numbers<V>(row_of(a, i), 0, bits), column, bits);
                    const real expected = of_b[static_cast<std::size_t>(i)] - sum;
                    ASSERT_TRUE(exact_format<T>::same(r.get(i, j), format.from(expected))) << i << ' ' << j;
                }
                auto alone = format.zeros(m, 1);
                blas::residual_exact<T, V>(exec, a, x.view().block(0, j, k, 1), b.view().block(0, j, m, 1),
                                           alone.view());
                for (index_t i = 0; i < m; ++i) {
                    ASSERT_TRUE(exact_format<T>::same(r.get(i, j), alone.get(i, 0))) << i << ' ' << j;
                }
            }
        }
    }
}

/// b of other sizes than A x, far above and below.
template <class T>
void expect_residuals_of_any_size(const exact_format<T>& format)
{
    constexpr long sizes[] = {-1000, -300, -60, 0, 60, 300, 1000};
    constexpr index_t n = std::size(sizes);
    auto a = exact_format<double>{}.zeros(2, 2);  // 3 -1; 0 0
    a.set(0, 0, 3.0);
    a.set(0, 1, -1.0);
    auto x = format.zeros(2, n);
    auto b = format.zeros(2, n);
    for (index_t j = 0; j < n; ++j) {
        x.set(0, j, format.from(1.0));
        x.set(1, j, format.power_of_two(-40));
        b.set(0, j, -format.power_of_two(sizes[j]));
        b.set(1, j, format.power_of_two(sizes[j]));
    }
    auto r = format.zeros(2, n);
    blas::residual_exact<T, double>(exec, a, x, b, r);
    for (index_t j = 0; j < n; ++j) {
        const real one(1.0, 4000);
        const real expected = ldexp(one, -40) - real(3.0) * one - ldexp(one, sizes[j]);
        EXPECT_TRUE(exact_format<T>::same(r.get(0, j), format.from(expected))) << sizes[j];
        EXPECT_TRUE(exact_format<T>::same(r.get(1, j), b.get(1, j))) << sizes[j];
    }
}

/// inf 1; NaN 1; 2 3
template <class T>
void expect_special_residuals(const exact_format<T>& format)
{
    auto a = exact_format<double>{}.zeros(3, 2);
    a.set(0, 0, inf);
    a.set(0, 1, 1.0);
    a.set(1, 0, nan);
    a.set(1, 1, 1.0);
    a.set(2, 0, 2.0);
    a.set(2, 1, 3.0);
    auto x = format.zeros(2, 3);  // -2 5 -2; 1 inf 1
    x.set(0, 0, format.from(-2.0));
    x.set(1, 0, format.from(1.0));
    x.set(0, 1, format.from(5.0));
    x.set(1, 1, format.from(inf));
    x.set(0, 2, format.from(-2.0));
    x.set(1, 2, format.from(1.0));
    auto b = format.zeros(3, 3);  // 0 0 -inf; 0 0 1; 7 inf inf
    b.set(0, 2, format.from(-inf));
    b.set(1, 2, format.from(1.0));
    b.set(2, 0, format.from(7.0));
    b.set(2, 1, format.from(inf));
    b.set(2, 2, format.from(inf));
    auto r = format.zeros(3, 3);
    blas::residual_exact<T, double>(exec, a, x, b, r);
    const double expected[3][3] = {{inf, -inf, nan}, {nan, nan, nan}, {8.0, nan, inf}};
    for (index_t i = 0; i < 3; ++i) {
        for (index_t j = 0; j < 3; ++j) {
            EXPECT_TRUE(has_leading<T>(r.get(i, j), expected[i][j]))
                << i << ' ' << j << ' ' << exact_format<T>::leading(r.get(i, j));
        }
    }
    auto wrong = format.zeros(3, 2);
    EXPECT_THROW((blas::residual_exact<T, double>(exec, a, x, b, wrong)), dimension_error);
    EXPECT_THROW((blas::residual_exact<T, double>(exec, a, x, wrong, r)), dimension_error);
    EXPECT_THROW((blas::residual_exact<T, double>(exec, a, b, b, r)), dimension_error);
}

template <class T>
void expect_all_residuals(const exact_format<T>& format)
{
    expect_residuals<T, double>(format, {});
    if constexpr (!std::is_same_v<T, double>) {
        expect_residuals<T, T>(format, format);
    }
    expect_residuals_of_any_size(format);
    expect_special_residuals(format);
}

template <class T>
class residual_exact_test : public testing::Test {
protected:
    exact_format<T> format;
};
TYPED_TEST_SUITE(residual_exact_test, dense_exact_formats, format_name);

TYPED_TEST(residual_exact_test, residuals_are_rounded_once) { expect_all_residuals(this->format); }

class residual_exact_multidigit_test : public testing::TestWithParam<long> {
protected:
    exact_format<multidigit> format{multidigit_format(GetParam())};
};

TEST_P(residual_exact_multidigit_test, residuals_are_rounded_once) { expect_all_residuals(format); }

// A residual whose terms lie too far apart for residues is refused, and threads do not see it.
TEST_P(residual_exact_multidigit_test, residuals_that_are_too_wide_are_refused)
{
    auto a = format.zeros(1, 1);
    a.set(0, 0, format.from(1.0));
    auto b = format.zeros(1, 1);
    b.set(0, 0, ldexp(format.from(1.0), -1'000'000'000));
    auto r = format.zeros(1, 1);
    EXPECT_THROW((blas::residual_exact<multidigit, multidigit>(exec, a, a, b, r)), unsupported_error);
}

INSTANTIATE_TEST_SUITE_P(bits, residual_exact_multidigit_test, testing::Values(64, 100, 212, 600, 1696, 4096),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace residua
