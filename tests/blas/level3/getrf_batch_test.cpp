// Batches on the host: each system against MPFR, and with the same bits wherever it lies in a batch.
#include "tests/blas/level3/batches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/error_bounds.hpp>
#include <residua/io/team.hpp>

#include "tests/support/oracle.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class T>
struct getrf_batch_test : testing::Test {
    biased_random random;
};
TYPED_TEST_SUITE(getrf_batch_test, batch_formats);

/// In units of u^N: the bound of |P A - L U| relative to |L| |U|.
template <class T>
double factor_bound(index_t n)
{
    constexpr int N = number_traits<T>::terms;
    if constexpr (N == 1) {
        return 2.0 * static_cast<double>(n) * 2.0 + 2.0;
    } else {
        return 2.0 * static_cast<double>(n) * accumulation_error_bound<N>(1.0) + quotient_error_bound<N>() +
               product_error_bound<N>();
    }
}

template <class T>
double unit()
{
    return std::ldexp(1.0, -53 * number_traits<T>::terms);
}

}  // namespace

TYPED_TEST(getrf_batch_test, factors_solutions_residuals_and_sums_are_within_their_bounds)
{
    using T = TypeParam;
    constexpr int N = number_traits<T>::terms;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {1, 2, 3, 5, 9, 17}) {
        const index_t count = 11;
        const systems_of<T> x = random_systems<T>(this->random, n, count, false);
        const host_results<T> found(x);
        for (index_t s = 0; s < count; ++s) {
            const std::string what = "n " + std::to_string(n) + ", system " + std::to_string(s);
            if (found.info[static_cast<std::size_t>(s)] != 0) {
                continue;  // integers may be singular
            }
            std::vector<index_t> row(static_cast<std::size_t>(n));
            for (index_t i = 0; i < n; ++i) {
                row[static_cast<std::size_t>(i)] = i;
            }
            for (index_t k = 0; k < n; ++k) {
                std::swap(row[static_cast<std::size_t>(k)],
                          row[static_cast<std::size_t>(found.pivots[static_cast<std::size_t>(s * n + k)] - 1)]);
            }
            const auto lu = [&](index_t i, index_t j) { return wide(found.factors.get(s, i, j)); };
            for (index_t i = 0; i < n; ++i) {
                real r = wide(x.b.view()[s].load(i));
                real size = abs(r);
                real upper(0.0, oracle_bits);
                for (index_t j = 0; j < n; ++j) {
                    real product(0.0, oracle_bits), magnitude(0.0, oracle_bits);
                    for (index_t k = 0; k <= std::min(i, j); ++k) {
                        const real term = (k == i ? real(1.0, oracle_bits) : lu(i, k)) * lu(k, j);
                        product = product + term;
                        magnitude = magnitude + abs(term);
                    }
                    const real entry = wide(x.get(s, row[static_cast<std::size_t>(i)], j));
                    EXPECT_TRUE(abs(entry - product) <= magnitude * real(factor_bound<T>(n) * unit<T>()))
                        << what << " entry " << i << ' ' << j;
                    if (j < i) {
                        EXPECT_TRUE(abs(lu(i, j)) <= real(1.0 + 0x1p-48)) << what << ": L has a larger entry than 1";
                    } else {
                        upper = upper + abs(lu(i, j));
                    }
                    const real of_residual = wide(x.get(s, i, j)) * wide(found.factors.b.view()[s].load(j));
                    r = r - of_residual;
                    size = size + abs(of_residual);
                }
                const double bound =
                    accumulation_error_bound<2 * N>(static_cast<double>(n + 1)) * unit<T>() * unit<T>();
                EXPECT_TRUE(abs(r - wide(found.r.view()[s].load(i))) <= size * real(bound))
                    << what << " residual " << i;
                const real near(static_cast<double>(n + 4) * 0x1p-52);
                EXPECT_TRUE(abs(size - real(found.sizes.view()[s].load(i))) <= size * near) << what << " sizes " << i;
                EXPECT_TRUE(abs(upper - real(found.upper.view()[s].load(i))) <= upper * near) << what << " upper " << i;
                EXPECT_TRUE(abs(wide(found.r.view()[s].load(i))) <=
                            size * real(8.0 * static_cast<double>(n * n) * factor_bound<T>(n) * unit<T>()))
                    << what << ": x solves another system";
            }
        }
    }
}

TYPED_TEST(getrf_batch_test, sums_of_an_inverse_are_those_of_its_rows)
{
    using T = TypeParam;
    systems_of<T> x(3, 1);
    const double lu[3][3] = {{2, -4, 8}, {0.5, 4, -2}, {-0.5, 0.25, 16}};
    for (index_t i = 0; i < 3; ++i) {
        for (index_t j = 0; j < 3; ++j) {
            x.set(0, i, j, T{lu[i][j]});
        }
    }
    vector_batch<host_executor, double> inverse(3, 1), upper(3, 1);
    const std::int32_t info[] = {0};

    blas::inverse_sums_batch<T>(host_executor{}, std::as_const(x.a).view(), info, inverse.view(), upper.view());

    // inverse(U) = [1/2 1/2 -3/16; 0 1/4 1/32; 0 0 1/16], inverse(L) = [1 0 0; -1/2 1 0; 5/8 -1/4 1]
    EXPECT_EQ(inverse.view()[0].load(0), 0.1328125 + 0.546875 + 0.1875);
    EXPECT_EQ(inverse.view()[0].load(1), 0.10546875 + 0.2421875 + 0.03125);
    EXPECT_EQ(inverse.view()[0].load(2), 0.0390625 + 0.015625 + 0.0625);
    EXPECT_EQ(upper.view()[0].load(0), 14.0);
    EXPECT_EQ(upper.view()[0].load(1), 6.0);
    EXPECT_EQ(upper.view()[0].load(2), 16.0);
}

TYPED_TEST(getrf_batch_test, a_system_has_the_same_bits_wherever_it_lies_and_for_any_number_of_threads)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {1, 2, 4, 7, 16, 33, 64}) {
        const index_t count = n > 20 ? 19 : 83;  // the last group is not full
        const systems_of<T> x = random_systems<T>(this->random, n, count);
        systems_of<T> reversed(n, count);
        for (index_t s = 0; s < count; ++s) {
            reversed.copy(count - 1 - s, x, s);
        }
        const io::thread_limit several(4);
        const host_results<T> found(x), other(reversed);
        for (index_t s = 0; s < count; ++s) {
            const std::string what = "n " + std::to_string(n) + ", system " + std::to_string(s);
            expect_same(found, s, other, count - 1 - s, what);
            if (s % 7 == 0 || s == count - 1) {
                systems_of<T> alone(n, 1);
                alone.copy(0, x, s);
                const io::thread_limit one(1);
                expect_same(found, s, host_results<T>(alone), 0, what + " alone");
            }
        }
    }
}

TYPED_TEST(getrf_batch_test, the_last_bits_choose_the_pivot_and_the_first_of_equals_is_one)
{
    using T = TypeParam;
    const T above = T{1.0} + T{number_traits<T>::terms == 1 ? 0x1p-52 : 0x1p-60};
    systems_of<T> x(4, 2);
    for (index_t s = 0; s < 2; ++s) {
        for (index_t i = 0; i < 4; ++i) {
            for (index_t j = 0; j < 4; ++j) {
                x.set(s, i, j, T{i == j ? 1.0 : static_cast<double>(i + 1) * 0.125});
            }
            x.set(s, i, 0, T{i % 2 == 0 ? 1.0 : -1.0});
        }
    }
    x.set(1, 2, 0, -above);
    const host_results<T> found(x);

    EXPECT_EQ(found.pivots[0], 1);
    EXPECT_EQ(found.pivots[4], 3);
}

TYPED_TEST(getrf_batch_test, pivots_that_vanish_are_reported_by_system)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {1, 2, 5, 40}) {
        systems_of<T> x = random_systems<T>(this->random, n, 10);
        for (index_t s = 4; s < 10; ++s) {  // diagonal; the third entry of system 9 is zero
            for (index_t i = 0; i < n; ++i) {
                for (index_t j = 0; j < n; ++j) {
                    x.set(s, i, j, T{i != j || (s == 9 && i == std::min<index_t>(2, n - 1)) ? 0.0 : 3.0});
                }
            }
        }
        const host_results<T> found(x);
        EXPECT_EQ(found.info[1], 1) << n;
        EXPECT_GT(found.info[3], 0) << n;
        EXPECT_EQ(found.info[8], 0) << n;
        EXPECT_EQ(found.info[9], std::min<index_t>(3, n)) << n;
        for (int k = 0; k < number_traits<T>::terms; ++k) {
            EXPECT_TRUE(std::isnan(found.factors.b.view()[9].plane(k)[0])) << n;
        }
        EXPECT_FALSE(std::isnan(found.factors.b.view()[8].data()[0])) << n;
    }
}

TYPED_TEST(getrf_batch_test, views_with_gaps_have_the_bits_of_those_without)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    const index_t n = 5, count = 11, ld = n + 2, stride = ld * n + 3, plane = stride * count + 5;
    const systems_of<T> x = random_systems<T>(this->random, n, count, false);
    std::vector<double> words(static_cast<std::size_t>(plane * number_traits<T>::terms), 7.0);
    const matrix_batch_view<host_executor, T> a{words.data(), n, count, ld, stride, plane};
    for (index_t s = 0; s < count; ++s) {
        for (index_t j = 0; j < n; ++j) {
            for (index_t i = 0; i < n; ++i) {
                a.column(s, j).store(i, x.get(s, i, j));
            }
        }
    }
    const host_results<T> expected(x);
    std::vector<std::int32_t> pivots(static_cast<std::size_t>(n * count)), info(static_cast<std::size_t>(count));

    blas::getrf_batch<T>(host_executor{}, a, pivots, info);

    EXPECT_EQ(pivots, expected.pivots);
    std::size_t gaps = 0;
    for (const double w : words) {
        gaps += w == 7.0 ? 1 : 0;
    }
    EXPECT_GE(gaps, words.size() - static_cast<std::size_t>(n * n * count * number_traits<T>::terms));
    for (index_t s = 0; s < count; ++s) {
        for (index_t j = 0; j < n && info[static_cast<std::size_t>(s)] == 0; ++j) {
            for (index_t i = 0; i < n; ++i) {
                const T one = a.column(s, j).load(i), other = expected.factors.get(s, i, j);
                for (int k = 0; k < number_traits<T>::terms; ++k) {
                    EXPECT_EQ(to_bits(term(one, k)), to_bits(term(other, k))) << s << ' ' << i << ' ' << j;
                }
            }
        }
    }
}

TEST(batches, refuse_what_they_cannot_hold)
{
    const host_executor exec;
    matrix_batch<host_executor, double> a(2, 3), large(65, 1);
    vector_batch<host_executor, double> b(2, 2);
    std::vector<std::int32_t> pivots(6), info(3), many(65), one(1);
    EXPECT_THROW(blas::getrf_batch<double>(exec, large.view(), many, one), unsupported_error);
    EXPECT_THROW(blas::getrf_batch<double>(exec, a.view(), info, info), dimension_error);
    EXPECT_THROW(blas::getrf_batch<double>(exec, a.view(), pivots, one), dimension_error);
    EXPECT_THROW(blas::getrs_batch<double>(exec, a.view(), pivots, info, b.view()), dimension_error);
    auto overlapping = a.view();
    overlapping.stride = 3;
    EXPECT_THROW(blas::getrf_batch<double>(exec, overlapping, pivots, info), dimension_error);
    EXPECT_THROW((matrix_batch<host_executor, double>(-1, 3)), dimension_error);
    matrix_batch<host_executor, double> none(4, 0);
    EXPECT_NO_THROW(blas::getrf_batch<double>(exec, none.view(), std::span<std::int32_t>{}, std::span<std::int32_t>{}));
}
