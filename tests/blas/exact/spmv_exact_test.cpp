#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/blas/exact/spmv_exact.hpp>

#include "tests/blas/exact/exact_oracle.hpp"

namespace residua {
namespace {

using namespace support;
using blas::exact_options;

const host_executor exec;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// What a matrix has of some numbers: entry (i, l) is left out where 3 i + 5 l is a multiple of 4, and all of row 2.
template <class V>
csr<host_executor, V> sparse(const exact_format<V>& format, const typename exact_format<V>::matrix& a)
{
    const auto kept = [&](index_t i, index_t l) { return (3 * i + 5 * l) % 4 != 0 && i != 2; };
    std::vector<std::pair<index_t, typename exact_format<V>::number>> entries;
    std::vector<index_t> begin{0};
    for (index_t i = 0; i < a.rows(); ++i) {
        for (index_t l = 0; l < a.cols(); ++l) {
            if (kept(i, l)) {
                entries.emplace_back(l, a.get(i, l));
            }
        }
        begin.push_back(static_cast<index_t>(entries.size()));
    }
    auto values = format.zeros(static_cast<index_t>(entries.size()));
    for (std::size_t p = 0; p < entries.size(); ++p) {
        values.set(static_cast<index_t>(p), entries[p].second);
    }
    csr<host_executor, V> s(a.rows(), a.cols(), std::move(values));
    std::copy(begin.begin(), begin.end(), s.row_begin().begin());
    for (std::size_t p = 0; p < entries.size(); ++p) {
        s.col()[p] = static_cast<column_t>(entries[p].first);
    }
    return s;
}

/// A x against MPFR, bit for bit.
template <class T, class V>
void expect_products(const exact_format<T>& format, const exact_format<V>& of_matrix, exact_kind kind, long q)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
    constexpr index_t m = 19;
    constexpr index_t n = 24;
    const long bits = std::max(format.of_sums(), of_matrix.of_sums());
    const auto a = sparse(of_matrix, exact_factors<V>(of_matrix, random, kind, m, n, 1).a);
    const exact_factors<T> of(format, random, kind, 1, n, 1);
    auto x = format.zeros(n);
    std::vector<typename exact_format<T>::number> column;
    for (index_t l = 0; l < n; ++l) {
        x.set(l, of.b.get(l, 0));
        column.push_back(x.get(l));
    }
    auto y = format.zeros(m);
    blas::spmv_exact<T, V>(exec, a, x, y, {q});
    const auto cut_column = cut_numbers<T>(column, q, bits);
    for (index_t i = 0; i < m; ++i) {
        std::vector<typename exact_format<V>::number> row;
        std::vector<real> factors;
        for (index_t p = a.row_begin()[static_cast<std::size_t>(i)]; p < a.row_begin()[static_cast<std::size_t>(i) + 1];
             ++p) {
            row.push_back(a.value().load(p));
            factors.push_back(cut_column[static_cast<std::size_t>(a.col()[static_cast<std::size_t>(p)])]);
        }
        const real sum = sum_of_products(cut_numbers<V>(row, q, bits), factors, bits);
        ASSERT_TRUE(exact_format<T>::same(y.get(i), format.from(sum))) << i << ' ' << q << " bits";
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
    std::copy(value.begin(), value.end(), a.value().data);
    auto x = format.zeros(2);
    auto y = format.zeros(4);
    const auto leading = [&](index_t i) { return exact_format<T>::leading(y.get(i)); };
    const auto multiply = [&](double x0, double x1) {
        x.set(0, format.from(x0));
        x.set(1, format.from(x1));
        blas::spmv_exact<T, double>(exec, a, x, y);
    };
    multiply(-5.0, 7.0);
    EXPECT_EQ(leading(0), -inf);
    EXPECT_TRUE(std::isnan(leading(1)));
    EXPECT_EQ(leading(2), 11.0);
    EXPECT_TRUE(exact_format<T>::same(y.get(3), format.from(0.0)));
    multiply(0.0, inf);
    EXPECT_TRUE(std::isnan(leading(0)));
    EXPECT_EQ(leading(2), inf);
    EXPECT_TRUE(exact_format<T>::same(y.get(3), format.from(0.0)));
    multiply(nan, 7.0);
    EXPECT_TRUE(std::isnan(leading(0)));
    EXPECT_TRUE(std::isnan(leading(1)));
    EXPECT_TRUE(std::isnan(leading(2)));

    // what is not finite does not touch rows that do not have it
    csr<host_executor, double> second(1, 2, 1);
    second.row_begin()[1] = 1;
    second.col()[0] = 1;
    second.value().data[0] = 3.0;
    auto one = format.zeros(1);
    blas::spmv_exact<T, double>(exec, second, x, one);
    EXPECT_EQ(exact_format<T>::leading(one.get(0)), 21.0);
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

// The products take 63 bits and their sum 68.
TEST(spmv_exact_test, sums_have_room_for_all_terms)
{
    constexpr index_t n = 24;
    csr<host_executor, double> a(1, n, n);
    vector<host_executor, double> x(n);
    a.row_begin()[1] = n;
    for (index_t l = 0; l < n; ++l) {
        a.col()[static_cast<std::size_t>(l)] = static_cast<column_t>(l);
        a.value().data[l] = 0x1p31 - 1.0;
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
}

}  // namespace
}  // namespace residua
