// Exact sums of rows in words of binary64, against MPFR and against the sums of any spread.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/blas/exact/spmv_exact.hpp>

#include "tests/blas/exact/level_rows.hpp"

namespace residua {
namespace {

using namespace support;

const host_executor exec;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T, class V>
struct number_pair {
    using vector_type = T;
    using matrix_type = V;
};
template <class T>
using by_binary64 = number_pair<T, double>;
template <class T>
using by_own = number_pair<T, T>;

template <class Pair>
class level_sums_test : public testing::Test {
protected:
    using number = typename Pair::vector_type;
    using entry = typename Pair::matrix_type;
    static constexpr int terms = number_traits<number>::terms;
    static constexpr index_t rows = 330;

    void SetUp() override { RecordProperty("seed", random.trace()); }

    int any_length() { return random.one_in(5) ? random.integer(0, 3) : random.integer(1, 40); }
    number any(int lo, int hi) { return format.any(random, lo, hi); }
    entry any_entry(int lo, int hi) { return of_matrix.any(random, lo, hi); }

    /// Between 2^-16 and 2^16, and no term is zero or much less than it may be.
    template <class N>
    N dense()
    {
        real x(0.0, oracle_bits);
        for (int t = 0; t < number_traits<N>::terms; ++t) {
            x += real(random.full(-53 * t - 3, -53 * t));
        }
        return exact_format<N>().from(ldexp(x, random.integer(-12, 15)));
    }

    /// A number of bits so few that sums of products with integers of six bits are numbers of the format.
    number short_number()
    {
        real x(0.0, oracle_bits);
        for (int t = 0; t < terms; ++t) {
            x += ldexp(real(static_cast<double>(random.integer(-(1 << 30), 1 << 30))), -40 * t);
        }
        return format.from(x);
    }
    number plus(const number& x, double y) { return format.from(real(sum(x)) + real(y)); }
    static real sum(const number& x)
    {
        real s(0.0, oracle_bits);
        for (const real& part : exact_format<number>::parts(x)) {
            s += part;
        }
        return s;
    }

    exact_format<number> format;
    exact_format<entry> of_matrix;
    biased_random random;
};

struct pair_name {
    template <class Pair>
    static std::string GetName(int)
    {
        return std::string(number_traits<typename Pair::vector_type>::name) + "_by_" +
               std::string(number_traits<typename Pair::matrix_type>::name);
    }
};
using pairs = testing::Types<by_binary64<double>, by_binary64<expansion<double, 2>>, by_binary64<expansion<double, 3>>,
                             by_binary64<expansion<double, 4>>, by_binary64<expansion<double, 6>>,
                             by_binary64<expansion<double, 8>>, by_own<expansion<double, 2>>,
                             by_own<expansion<double, 3>>, by_own<expansion<double, 4>>>;
TYPED_TEST_SUITE(level_sums_test, pairs, pair_name);

// b is A x, rounded, and a few units of its last term away from that: residuals as refinement has them.
TYPED_TEST(level_sums_test, residuals_that_cancel_are_held)
{
    using T = typename TestFixture::number;
    using V = typename TestFixture::entry;
    SCOPED_TRACE(this->random.trace());
    row_list<T, V> list;
    for (index_t i = 0; i < this->rows; ++i) {
        row_list<T, V> one;
        one.begin_row(T{0.0});
        std::vector<std::pair<V, T>> entries;
        for (int k = this->any_length(); k > 0; --k) {
            entries.emplace_back(this->template dense<V>(), this->template dense<T>());
            one.add(entries.back().first, entries.back().second);
        }
        const T near = this->format.from(one.sum(0, false));
        const double unit = std::ldexp(1.0, -53 * this->terms + this->random.integer(-3, 8));
        list.begin_row(this->random.one_in(2) ? near : this->plus(near, this->random.integer(-2, 2) * unit));
        for (const auto& [a, x] : entries) {
            list.add(a, x);
        }
    }
    const index_t held = expect_exact(list);
    EXPECT_GT(held, 2 * list.rows() * 99 / 100);
}

TYPED_TEST(level_sums_test, residuals_may_be_zero_or_one_unit)
{
    using T = typename TestFixture::number;
    using V = typename TestFixture::entry;
    SCOPED_TRACE(this->random.trace());
    row_list<T, V> list;
    std::vector<double> expected;
    for (index_t i = 0; i < this->rows; ++i) {
        std::vector<std::pair<double, T>> entries;
        real sum(0.0, oracle_bits);
        for (int k = this->any_length(); k > 0; --k) {
            entries.emplace_back(this->random.integer(-31, 31), this->short_number());
            sum += real(entries.back().first) * this->sum(entries.back().second);
        }
        expected.push_back(this->random.integer(-1, 1) * std::ldexp(1.0, -40 * (this->terms - 1)));
        list.begin_row(this->format.from(sum + real(expected.back())));
        for (const auto& [a, x] : entries) {
            list.add(V{a}, x);
        }
    }
    EXPECT_EQ(expect_exact(list), 2 * list.rows());
    auto r = this->format.zeros(list.rows());
    blas::residual_exact<T, V>(exec, list.matrix(), list.x(), list.b(), r);
    for (index_t i = 0; i < list.rows(); ++i) {
        EXPECT_TRUE(exact_format<T>::same(r.get(i), T{expected[static_cast<std::size_t>(i)]})) << i;
    }
}

// Sums t_0 + ... + t_j + h + e of terms in any order: h is half of the distance to a neighbour of t_j, or next to it, and
// e something far below, or nothing. Others cancel.
TYPED_TEST(level_sums_test, sums_near_a_tie_are_rounded_right)
{
    using T = typename TestFixture::number;
    using V = typename TestFixture::entry;
    SCOPED_TRACE(this->random.trace());
    biased_random& dice = this->random;
    row_list<T, V> list;
    index_t even = 0;
    for (index_t i = 0; i < 6 * this->rows; ++i) {
        const T target = this->any(-2, 2);
        const int last = dice.integer(0, this->terms - 1);
        std::vector<double> words;
        for (int t = 0; t <= last; ++t) {
            words.push_back(term(target, t));
        }
        const double at = words.back();
        const double half = dice.sign() * 0.5 * (dice.one_in(3) ? 0.5 : 1.0) * ulp(at);
        words.push_back(dice.one_in(2) ? half : biased_random::neighbour(half, dice.integer(-1, 1)));
        const bool is_tie = dice.one_in(3);
        words.push_back(is_tie ? 0.0 : dice.sign() * std::ldexp(ulp(half), -dice.integer(0, 60)));
        even += is_tie ? 1 : 0;
        for (int k = dice.integer(0, 3); k > 0; --k) {
            const double junk = dice.value(-60, 60);
            words.push_back(junk);
            words.push_back(-junk);
        }
        for (std::size_t k = words.size(); k > 1; --k) {
            std::swap(words[k - 1], words[static_cast<std::size_t>(dice.integer(0, static_cast<int>(k) - 1))]);
        }
        list.begin_row(T{0.0});
        for (const double word : words) {
            const int up = dice.integer(-20, 20);
            const double a = dice.with_random_sign(std::ldexp(1.0, up));
            list.add(V{a}, T{word / a});
        }
    }
    EXPECT_GT(expect_exact(list), 2 * even * 2 / 3);
}

// Full words 2^-60 apart, from both ends: as many as there are levels, and one more.
TYPED_TEST(level_sums_test, sums_of_too_many_words_are_not_held)
{
    using T = typename TestFixture::number;
    using V = typename TestFixture::entry;
    SCOPED_TRACE(this->random.trace());
    constexpr int levels = blas::detail::level_sums<T, V>::levels;
    for (const int words : {levels, levels + 1}) {
        row_list<T, V> list;
        for (int i = 0; i < 64; ++i) {
            list.begin_row(T{0.0});
            for (int k = 0; k < words; ++k) {
                const int place = i % 2 == 0 ? k : words - 1 - k;
                list.add(V{1.0}, T{from_bits(to_bits(this->random.full(-60 * place, -60 * place)) | 1)});
            }
        }
        EXPECT_EQ(expect_exact(list), words == levels ? 2 * list.rows() : 0) << words;
    }
}

TYPED_TEST(level_sums_test, numbers_of_any_size_are_summed_exactly)
{
    using T = typename TestFixture::number;
    using V = typename TestFixture::entry;
    SCOPED_TRACE(this->random.trace());
    struct range {
        const char* what;
        int a_low, a_high, x_low, x_high, b_low, b_high;
    };
    const range ranges[] = {
        {"wide spreads", -400, 400, -500, 500, -800, 800},
        {"some of 2^100", -50, 50, -50, 50, -100, 100},
        {"products about the least that is two words", -520, -440, -500, -460, -1000, -900},
        {"products of subnormal numbers", -20, 40, -1070, -1015, -1060, -1000},
        {"products below the least number", -560, -530, -545, -530, -1074, -1060},
        {"products that overflow", 505, 512, 508, 513, 1010, 1022},
        {"sums that overflow", 0, 2, 1018, 1021, 1020, 1022},
    };
    for (const range& r : ranges) {
        SCOPED_TRACE(r.what);
        row_list<T, V> list;
        for (index_t i = 0; i < this->rows; ++i) {
            list.begin_row(this->random.one_in(3) ? T{0.0} : this->any(r.b_low, r.b_high));
            for (int k = this->any_length() / 2; k > 0; --k) {
                const V a = this->any_entry(r.a_low, r.a_high);
                const T x = this->random.one_in(6) ? T{0.0} : this->any(r.x_low, r.x_high);
                list.add(a, x);
                if (this->random.one_in(4)) {
                    list.add(-a, x);
                }
            }
        }
        expect_exact(list);
    }
}

TYPED_TEST(level_sums_test, zeros_have_no_sign_and_what_is_not_finite_stays_in_its_row)
{
    using T = typename TestFixture::number;
    using V = typename TestFixture::entry;
    SCOPED_TRACE(this->random.trace());
    const double special[] = {0.0, -0.0, 1.0, -1.0, inf, -inf, nan};
    const auto pick = [&](int count) { return special[this->random.integer(0, count - 1)]; };
    for (const int count : {2, 4, 7}) {
        row_list<T, V> list;
        for (index_t i = 0; i < this->rows; ++i) {
            const int here = this->random.one_in(2) ? 4 : count;
            list.begin_row(T{pick(std::min(count, here))});
            for (int k = this->any_length() / 4; k > 0; --k) {
                list.add(V{pick(std::min(count, here))}, T{pick(std::min(count, here))});
            }
        }
        const index_t held = expect_exact(list);
        EXPECT_TRUE(count > 4 ? held < 2 * list.rows() : held == 2 * list.rows()) << count << ' ' << held;
    }
}

// Rows of 0 to 2000 entries side by side. Padding reads x_0, which is infinite in the second turn.
TYPED_TEST(level_sums_test, rows_of_any_length_are_summed_exactly)
{
    using T = typename TestFixture::number;
    using V = typename TestFixture::entry;
    SCOPED_TRACE(this->random.trace());
    for (const double first : {1.0, inf}) {
        row_list<T, V> list;
        list.begin_row(T{1.0});
        list.add(V{1.0}, T{first});
        for (index_t i = 1; i < 130; ++i) {
            list.begin_row(this->any(-3, 3));
            const int length = i == 40   ? 2000
                               : i == 70 ? 400
                               : i < 64  ? this->random.integer(0, 2)
                                         : this->any_length();
            for (int k = 0; k < length; ++k) {
                list.add(this->any_entry(-3, 3), this->any(-3, 3));
            }
        }
        expect_exact(list);
    }
}

// -1 2 -1 times a vector: columns side by side.
TYPED_TEST(level_sums_test, the_number_of_threads_changes_no_bit)
{
    using T = typename TestFixture::number;
    using V = typename TestFixture::entry;
    SCOPED_TRACE(this->random.trace());
    constexpr index_t n = 5003;
    csr<host_executor, V> a(n, n, 3 * n - 2);
    auto x = this->format.zeros(n);
    auto b = this->format.zeros(n);
    index_t p = 0;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = std::max<index_t>(i - 1, 0); j < std::min(i + 2, n); ++j, ++p) {
            a.col()[static_cast<std::size_t>(p)] = static_cast<column_t>(j);
            a.value().store(p, V{i == j ? 2.0 : -1.0});
        }
        a.row_begin()[static_cast<std::size_t>(i) + 1] = p;
        x.set(i, this->random.one_in(100) ? this->any(-400, 400) : this->any(-3, 3));
        b.set(i, this->any(-3, 3));
    }
    const sliced_ell<host_executor, V> sliced(a);
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    auto expected = this->format.zeros(n);
    blas::residual_exact<T, V>(exec, a, x, b, expected, {every_bit});
    for (const int threads : {1, 2, 5}) {
        omp_set_num_threads(threads);
        auto r = this->format.zeros(n);
        auto s = b;
        blas::residual_exact<T, V>(exec, a, x, b, r);
        blas::residual_exact<T, V>(exec, sliced, x, s, s);
        for (index_t i = 0; i < n; ++i) {
            ASSERT_TRUE(exact_format<T>::same(r.get(i), expected.get(i))) << i << ", " << threads << " threads";
            ASSERT_TRUE(exact_format<T>::same(s.get(i), expected.get(i))) << i << ", " << threads << " threads, sliced";
        }
    }
    omp_set_num_threads(before);
}

}  // namespace
}  // namespace residua
