#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/blas/exact/spmv_exact.hpp>

#include "tests/blas/exact/exact_sparse.hpp"

namespace residua {
namespace {

using namespace support;
using blas::exact_options;

const host_executor exec;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A x and b - A x against MPFR, bit for bit, in both storages.
template <class T, class V>
void expect_products(const exact_format<T>& format, const exact_format<V>& of_matrix, exact_kind kind, long q)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + ", " + std::to_string(q) + " bits");
    constexpr index_t m = 19;
    const exact_system<T, V> s(format, of_matrix, random, kind, m, 24);
    const sliced_ell<host_executor, V> sliced(s.a);
    const long bits = std::max(format.of_sums(), of_matrix.of_sums());
    for (const bool subtracts : {false, true}) {
        const auto expected = exact_sums(s, subtracts, q, bits);
        auto y = format.zeros(m);
        auto z = format.zeros(m);
        if (subtracts) {
            blas::residual_exact<T, V>(exec, s.a, s.x, s.b, y, {q});
            z = s.b;  // the result may be b
            blas::residual_exact<T, V>(exec, sliced, s.x, z, z, {q});
        } else {
            blas::spmv_exact<T, V>(exec, s.a, s.x, y, {q});
            blas::spmv_exact<T, V>(exec, sliced, s.x, z, {q});
        }
        for (index_t i = 0; i < m; ++i) {
            const auto number = format.from(expected[static_cast<std::size_t>(i)]);
            ASSERT_TRUE(exact_format<T>::same(y.get(i), number)) << i << (subtracts ? " of b - A x" : "");
            ASSERT_TRUE(exact_format<T>::same(z.get(i), number)) << i << (subtracts ? " of b - A x, sliced" : "");
        }
    }
}

template <class T, class V>
void expect_all_products(const exact_format<T>& format, const exact_format<V>& of_matrix)
{
    for (const exact_kind kind : exact_kinds) {
        for (const long q : {0, 1, 106, 300}) {
            expect_products(format, of_matrix, kind, q);
        }
    }
}

/// inf 1; - NaN; 2 3; - -: times (-5, 7), (0, inf) and (NaN, 7)
template <class T>
void expect_special_products(const exact_format<T>& format)
{
    csr<host_executor, double> a(4, 2, 5);
    const std::vector<index_t> begin{0, 2, 3, 5, 5};
    const std::vector<column_t> col{0, 1, 1, 0, 1};
    const std::vector<double> value{inf, 1.0, nan, 2.0, 3.0};
    std::copy(begin.begin(), begin.end(), a.row_begin().begin());
    std::copy(col.begin(), col.end(), a.col().begin());
    std::copy(value.begin(), value.end(), a.value().data());
    auto x = format.zeros(2);
    auto y = format.zeros(4);
    const auto multiply = [&](double x0, double x1) {
        x.set(0, format.from(x0));
        x.set(1, format.from(x1));
        blas::spmv_exact<T, double>(exec, a, x, y);
    };
    multiply(-5.0, 7.0);
    EXPECT_TRUE(has_leading<T>(y.get(0), -inf));
    EXPECT_TRUE(has_leading<T>(y.get(1), nan));
    EXPECT_TRUE(has_leading<T>(y.get(2), 11.0));
    EXPECT_TRUE(exact_format<T>::same(y.get(3), format.from(0.0)));
    multiply(0.0, inf);
    EXPECT_TRUE(has_leading<T>(y.get(0), nan));
    EXPECT_TRUE(has_leading<T>(y.get(2), inf));
    EXPECT_TRUE(exact_format<T>::same(y.get(3), format.from(0.0)));
    multiply(nan, 7.0);
    EXPECT_TRUE(has_leading<T>(y.get(0), nan));
    EXPECT_TRUE(has_leading<T>(y.get(1), nan));
    EXPECT_TRUE(has_leading<T>(y.get(2), nan));

    // b - A x: an infinite b_i meets what is infinite of the row
    auto b = format.zeros(4);
    auto r = format.zeros(4);
    b.set(0, format.from(-inf));
    b.set(2, format.from(inf));
    b.set(3, format.from(nan));
    x.set(0, format.from(-5.0));
    blas::residual_exact<T, double>(exec, a, x, b, r);
    EXPECT_TRUE(has_leading<T>(r.get(0), nan));
    EXPECT_TRUE(has_leading<T>(r.get(1), nan));
    EXPECT_TRUE(has_leading<T>(r.get(2), inf));
    EXPECT_TRUE(has_leading<T>(r.get(3), nan));

    // what is not finite does not touch rows that do not have it
    csr<host_executor, double> second(1, 2, 1);
    second.row_begin()[1] = 1;
    second.col()[0] = 1;
    second.value().data()[0] = 3.0;
    auto one = format.zeros(1);
    blas::spmv_exact<T, double>(exec, second, x, one);
    EXPECT_TRUE(has_leading<T>(one.get(0), 21.0));
}

template <class T>
class spmv_exact_test : public testing::Test {
protected:
    exact_format<T> format;
};

using tested_formats = testing::Types<double, expansion<double, 2>, expansion<double, 8>>;
TYPED_TEST_SUITE(spmv_exact_test, tested_formats, format_name);

TYPED_TEST(spmv_exact_test, elements_are_rounded_once)
{
    expect_all_products(this->format, exact_format<double>{});
    expect_all_products(this->format, this->format);
}

TYPED_TEST(spmv_exact_test, what_is_not_finite_stays_in_its_rows) { expect_special_products(this->format); }

TEST(spmv_exact_multidigit_test, elements_are_rounded_once)
{
    for (const long bits : {64, 212, 1000}) {
        SCOPED_TRACE(std::to_string(bits) + " bits");
        const exact_format<multidigit> format{multidigit_format(bits)};
        expect_all_products(format, exact_format<double>{});
        expect_all_products(format, format);
        expect_special_products(format);
    }
}

TEST(spmv_exact_rns_test, elements_are_rounded_once)
{
    for (const long bits : {60, 212, 1000}) {
        SCOPED_TRACE(std::to_string(bits) + " bits");
        const exact_format<rns> format{rns_format(bits)};
        expect_all_products(format, exact_format<double>{});
        expect_all_products(format, format);
        expect_special_products(format);
    }
}

TEST(spmv_exact_multidigit_test, strides_and_threads_change_no_bit)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const exact_format<multidigit> format{multidigit_format(212)};
    const exact_factors<multidigit> of(format, random, exact_kind::uniform, 70, 50, 1);
    const auto a = sparse(format, of.a);
    auto x = format.zeros(50);
    auto wide = format.zeros(100);
    for (index_t l = 0; l < 50; ++l) {
        x.set(l, of.b.get(l, 0));
        wide.set(2 * l, x.get(l));
        wide.set(2 * l + 1, format.from(inf));
    }
    const auto every_other = [](auto view) {
        view.size /= 2;
        view.stride = 2;
        return view;
    };
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    auto one = format.zeros(70);
    blas::spmv_exact<multidigit, multidigit>(exec, a, x, one);
    omp_set_num_threads(2);
    auto two = format.zeros(140);
    blas::spmv_exact<multidigit, multidigit>(exec, a, every_other(wide.view()), every_other(two.view()));
    omp_set_num_threads(threads);
    for (index_t i = 0; i < 70; ++i) {
        ASSERT_TRUE(exact_format<multidigit>::same(one.get(i), two.get(2 * i)));
        ASSERT_TRUE(exact_format<multidigit>::same(format.from(0.0), two.get(2 * i + 1)));
    }
}

// 1 3 - - times (2^-80, 5): 15 + 2^-80, which 53 bits round to 15, and 15 less that
TEST(spmv_exact_test, a_residual_keeps_what_rounding_takes)
{
    csr<host_executor, double> a(1, 2, 2);
    a.row_begin()[1] = 2;
    a.col()[1] = 1;
    a.value().data()[0] = 1.0;
    a.value().data()[1] = 3.0;
    vector<host_executor, double> x(2), y(1), r(1);
    x.set(0, 0x1p-80);
    x.set(1, 5.0);
    blas::spmv_exact<double, double>(exec, a, x, y);
    EXPECT_EQ(y.get(0), 15.0);
    blas::residual_exact<double, double>(exec, a, x, y, r);
    EXPECT_EQ(r.get(0), -0x1p-80);
}

/// A row of powers of two, and entries that are one.
struct row_of_powers {
    exact_format<multidigit> format;
    csr<host_executor, double> a;
    exact_format<multidigit>::vector x;

    row_of_powers(long bits, const std::vector<multidigit_number>& terms)
        : format{multidigit_format(bits)},
          a(1, static_cast<index_t>(terms.size()), static_cast<index_t>(terms.size())),
          x(format.zeros(static_cast<index_t>(terms.size())))
    {
        a.row_begin()[1] = x.size();
        for (index_t l = 0; l < x.size(); ++l) {
            a.col()[static_cast<std::size_t>(l)] = static_cast<column_t>(l);
            a.value().data()[l] = 1.0;
            x.set(l, terms[static_cast<std::size_t>(l)]);
        }
    }

    multidigit_number sum() const
    {
        auto y = format.zeros(1);
        blas::spmv_exact<multidigit, double>(exec, a, x, y);
        return y.get(0);
    }
};

// Sums whose terms lie up to 1.5 10^9 bits apart: what is far below decides a tie, and its sign is that of its largest
// part.
TEST(spmv_exact_multidigit_test, sums_are_of_any_length)
{
    for (const long bits : {64, 65, 100, 212, 1000, 4096}) {
        SCOPED_TRACE(std::to_string(bits) + " bits");
        const exact_format<multidigit> format{multidigit_format(bits)};
        const auto two_to = [&](long k) { return format.power_of_two(k); };
        const auto sum_is = [&](std::vector<multidigit_number> terms, const multidigit_number& expected) {
            for (int order = 0; order < 3; ++order) {
                std::rotate(terms.begin(), terms.begin() + 1, terms.end());
                const multidigit_number found = row_of_powers(bits, terms).sum();
                ASSERT_TRUE(exact_format<multidigit>::same(found, expected)) << to_double(found) << ", order " << order;
            }
        };
        const auto one = two_to(0);
        const auto half = two_to(-bits);  // of the last place of one
        const auto next = one + two_to(1 - bits);
        for (const long far : {300L, 5000L, 20000L, 100000L, 1000000000L}) {
            const auto tiny = two_to(-far - bits);
            sum_is({one, half, -tiny}, one);
            sum_is({one, half, tiny}, next);
            sum_is({next, half, -tiny}, next);
            sum_is({next, half, tiny}, next + two_to(1 - bits));
            sum_is({-one, -half, -tiny}, -next);
            sum_is({-next, -half, tiny}, -next);
            sum_is({one, -one, tiny}, tiny);
            sum_is({one, tiny, -one, -tiny, half}, half);
            sum_is({one, half, tiny, -tiny}, one);  // a tie
            sum_is({one, half, tiny, ldexp(tiny, -far / 2), -tiny}, next);
            sum_is({one, half, tiny, -ldexp(tiny, -far / 2), -tiny}, one);
        }
    }
}

// A tie that a term decides and terms below it restore, wherever the first of them has its place in memory.
TEST(spmv_exact_multidigit_test, what_a_sum_leaves_behind_may_be_undone)
{
    for (const long bits : {64, 212}) {
        const exact_format<multidigit> format{multidigit_format(bits)};
        const auto two_to = [&](long k) { return format.power_of_two(k); };
        const auto next = two_to(0) + two_to(1 - bits);
        for (long k = 300; k < 1500; ++k) {
            std::vector<multidigit_number> terms{next,           two_to(-bits),  -two_to(-k),
                                                 two_to(-k - 1), two_to(-k - 2), two_to(-k - 2)};
            const multidigit_number even = next + two_to(1 - bits);
            ASSERT_TRUE(exact_format<multidigit>::same(row_of_powers(bits, terms).sum(), even)) << k;
            terms.push_back(-two_to(-k - 5000));
            ASSERT_TRUE(exact_format<multidigit>::same(row_of_powers(bits, terms).sum(), next)) << k;
        }
    }
}

// The products take 63 bits and their sum 68.
TEST(spmv_exact_test, sums_have_room_for_all_terms)
{
    constexpr index_t n = 24;
    csr<host_executor, double> a(1, n, n);
    vector<host_executor, double> x(n);
    a.row_begin()[1] = n;
    for (index_t l = 0; l < n; ++l) {
        a.col()[static_cast<std::size_t>(l)] = static_cast<column_t>(l);
        a.value().data()[l] = 0x1p31 - 1.0;
        x.set(l, 0x1p32 - 1.0);
    }
    vector<host_executor, double> y(1);
    blas::spmv_exact<double, double>(exec, a, x, y);
    EXPECT_EQ(y.get(0), to_double(real(24.0, 200) * real(0x1p31 - 1.0, 200) * real(0x1p32 - 1.0, 200)));
}

TEST(spmv_exact_test, misuse_is_refused)
{
    const csr<host_executor, double> a(2, 3, 0);
    const vector<host_executor, double> x(3);
    vector<host_executor, double> y(2);
    EXPECT_THROW((blas::spmv_exact<double, double>(exec, a, y, y)), dimension_error);
    EXPECT_THROW((blas::spmv_exact<double, double>(exec, a, x, y, {-1})), dimension_error);
    vector<host_executor, double> wide(3);
    EXPECT_THROW((blas::spmv_exact<double, double>(exec, a, x, wide)), dimension_error);
    EXPECT_THROW((blas::residual_exact<double, double>(exec, a, x, wide, y)), dimension_error);
}

}  // namespace
}  // namespace residua
