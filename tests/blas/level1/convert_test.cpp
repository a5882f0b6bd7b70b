#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include <residua/arith/expansion/error_bounds.hpp>
#include <residua/blas/level1/convert.hpp>

#include "tests/blas/formats.hpp"
#include "tests/support/scale.hpp"

namespace residua {
namespace {

using namespace support;

const host_executor exec;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Two formats that convert goes between, of N and M > N terms.
template <int N, int M>
struct pair_of_formats {
    using shorter = blas::format_of_terms<N>;
    using longer = expansion<double, M>;
};

template <class Pair>
struct convert_test : testing::Test {
    biased_random random;
};
using pairs =
    testing::Types<pair_of_formats<1, 2>, pair_of_formats<1, 3>, pair_of_formats<1, 4>, pair_of_formats<1, 6>,
                   pair_of_formats<1, 8>, pair_of_formats<2, 4>, pair_of_formats<3, 6>, pair_of_formats<4, 8>>;
TYPED_TEST_SUITE(convert_test, pairs);

template <class To, class From>
std::vector<To> converted(const std::vector<From>& x)
{
    const auto from = make_vector<From>(x);
    residua::vector<host_executor, To> to(from.size());
    blas::convert(exec, from.view(), to.view());
    return numbers<To>(to);
}

/// An expansion of terms that may touch, often two that nearly cancel or a tie, anywhere in the range of binary64.
template <class T>
T hostile(biased_random& random)
{
    constexpr int n = number_traits<T>::terms;
    const auto rule = random.one_in(2) ? nonoverlap::nearest : nonoverlap::ulp;
    T x;
    switch (random.integer(0, 5)) {
        case 0:
            random.fill_expansion(x.t, -1074, -900, rule);  // the last terms are subnormal numbers, or lost
            break;
        case 1:
            random.fill_expansion(x.t, 900, max_exponent - 1, rule);
            break;
        default:
            random.fill_expansion(x.t, -40, 40, rule);
    }
    if constexpr (n > 2) {
        if (random.one_in(4)) {  // half of an ulp, and something far below on either side of it
            const int k = random.integer(0, n - 3);
            x.t[k + 1] = 0.5 * ulp(x.t[k]) * random.sign();
            double tail = random.one_in(3) ? 0.0 : x.t[k + 1] * (random.one_in(2) ? 0x1p-53 : 0x1p-400);
            for (int j = k + 2; j < n; ++j) {
                x.t[j] = tail;
                tail *= -0x1p-53;
            }
        }
    }
    if (random.one_in(30)) {
        x = T{random.one_in(2) ? 0.0 : random.any()};
    }
    return x;
}

/// That of the type.
template <int N>
bool holds_the_invariant(const expansion<double, N>& x)
{
    bool holds = is_finite(x) && (N > 2 || x.t[0] + x.t[1] == x.t[0]);
    for (int i = 0; i + 1 < N; ++i) {
        holds = holds && std::abs(x.t[i + 1]) <= (x.t[i] == 0.0 ? 0.0 : ulp(x.t[i]));
    }
    return holds;
}

}  // namespace

// By hand.

TEST(convert_by_hand_test, a_longer_format_gets_zeros_and_binary64_the_nearest_number)
{
    using dd = expansion<double, 2>;
    using qd = expansion<double, 4>;
    dd x{1.0};
    x.t[1] = 0x1p-53;
    qd wide{1.0};
    wide.t[1] = 0x1p-53;
    EXPECT_TRUE(same_bits(converted<qd>(std::vector{x, dd{0.0}}), {wide, qd{0.0}}));
    EXPECT_TRUE(same_bits(converted<double>(std::vector{x}), {1.0}));  // a tie
    wide.t[2] = 0x1p-200;
    EXPECT_TRUE(same_bits(converted<double>(std::vector{wide}), {1.0 + 0x1p-52}));
    EXPECT_TRUE(same_bits(converted<dd>(std::vector{-0x1.8p-1074}), {dd{-0x1.8p-1074}}));
}

TEST(convert_by_hand_test, a_shorter_expansion_has_what_its_terms_can_hold_of_the_sum)
{
    using dd = expansion<double, 2>;
    using qd = expansion<double, 4>;
    qd x;
    x.t[0] = 1.0;  // terms that touch: the sum is 1 + 2^-51 + 2^-103
    x.t[1] = 0x1p-52;
    x.t[2] = 0x1p-104;
    x.t[3] = 0x1p-104;
    x.t[1] += 0x1p-52;
    dd expected{1.0 + 0x1p-51};
    expected.t[1] = 0x1p-103;
    EXPECT_TRUE(same_bits(converted<dd>(std::vector{x}), {expected}));
}

TEST(convert_by_hand_test, vectors_of_different_sizes_are_refused)
{
    const residua::vector<host_executor, double> x(3);
    residua::vector<host_executor, expansion<double, 2>> y(4);
    EXPECT_THROW(blas::convert(exec, x.view(), y.view()), dimension_error);
}

// Against MPFR.

TYPED_TEST(convert_test, a_longer_format_holds_the_same_number)
{
    using from = typename TypeParam::shorter;
    using to = typename TypeParam::longer;
    SCOPED_TRACE(this->random.trace());
    std::vector<from> x;
    for (std::int64_t i = 0; i < scaled(2000); ++i) {
        if constexpr (number_traits<from>::terms == 1) {
            x.push_back(this->random.any());
        } else {
            x.push_back(hostile<from>(this->random));
        }
    }

    const std::vector<to> y = converted<to>(x);

    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(to_real(y[i]), to_real(x[i])) << i;
        for (int k = 0; k < number_traits<to>::terms; ++k) {
            ASSERT_EQ(term(y[i], k), k < number_traits<from>::terms ? term(x[i], k) : 0.0);
        }
    }
    EXPECT_TRUE(same_bits(converted<from>(y), converted<from>(converted<to>(converted<from>(y)))));
}

TYPED_TEST(convert_test, a_shorter_format_is_off_by_no_more_than_its_bound)
{
    using from = typename TypeParam::longer;
    using to = typename TypeParam::shorter;
    constexpr int m = number_traits<to>::terms;
    SCOPED_TRACE(this->random.trace());
    std::vector<from> x;
    for (std::int64_t i = 0; i < scaled(4000); ++i) {
        x.push_back(hostile<from>(this->random));
    }

    const std::vector<to> y = converted<to>(x);

    for (std::size_t i = 0; i < x.size(); ++i) {
        const real exact = wide(x[i]);
        if constexpr (m == 1) {
            ASSERT_EQ(y[i], to_double(exact)) << to_string(x[i]);
        } else {
            ASSERT_TRUE(holds_the_invariant(y[i])) << to_string(x[i]) << " became " << to_string(y[i]);
            ASSERT_LE(error_units(to_real(y[i]), exact, 53L * m), squeezed_sum_error_bound<m>())
                << to_string(x[i]) << " became " << to_string(y[i]);
        }
    }
}

TYPED_TEST(convert_test, what_is_not_finite_stays_so)
{
    using longer = typename TypeParam::longer;
    using shorter = typename TypeParam::shorter;
    longer sum{std::numeric_limits<double>::max()};
    sum.t[1] = ulp(sum.t[0]);  // beyond the range
    const std::vector<longer> x{longer{infinity}, longer{-infinity}, longer{infinity - infinity}, sum};
    const std::vector<shorter> y = converted<shorter>(x);
    EXPECT_EQ(to_double(y[0]), infinity);
    EXPECT_EQ(to_double(y[1]), -infinity);
    EXPECT_FALSE(to_double(y[2]) == to_double(y[2]));
    EXPECT_EQ(to_double(y[3]), infinity);
    const std::vector<longer> back = converted<longer>(y);
    EXPECT_EQ(to_double(back[1]), -infinity);
    EXPECT_FALSE(is_finite(back[2]));
}

}  // namespace residua
