#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include <residua/blas/rns/level1.hpp>

#include "tests/blas/rns/hostile.hpp"
#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

namespace {

const host_executor host;
constexpr double infinity = std::numeric_limits<double>::infinity();

class rns_convert_test : public testing::TestWithParam<long> {};
INSTANTIATE_TEST_SUITE_P(bits, rns_convert_test, testing::Values(24, 53, 106, 212, 424, 848, 1696));

}  // namespace

TEST(rns_convert_by_hand_test, numbers_go_through_binary64)
{
    const rns_format format(106);
    vector<host_executor, double> x(3), z(3);
    vector<host_executor, rns> y(format, 3);
    for (index_t i = 0; i < 3; ++i) {
        x.set(i, static_cast<double>(i) - 1.25);
    }
    blas::convert<host_executor>(host, std::as_const(x).view(), y.view());
    blas::convert<host_executor>(host, std::as_const(y).view(), z.view());
    for (index_t i = 0; i < 3; ++i) {
        EXPECT_EQ(to_real(y.get(i)), real(x.get(i)));
        EXPECT_EQ(z.get(i), x.get(i));
    }
    vector<host_executor, double> other(2);
    EXPECT_THROW(blas::convert<host_executor>(host, std::as_const(y).view(), other.view()), dimension_error);
    EXPECT_THROW(blas::convert<host_executor>(host, std::as_const(other).view(), y.view()), dimension_error);
}

TEST_P(rns_convert_test, binary64_is_rounded_correctly_and_taken_as_a_number_is)
{
    const rns_format format(GetParam());
    biased_random random;
    SCOPED_TRACE(random.trace());
    const auto n = static_cast<index_t>(scaled(1000));
    vector<host_executor, rns> x(format, n);
    vector<host_executor, double> y(n);
    for (index_t i = 0; i < n; ++i) {
        x.set(i, hostile_rns(format, random));
    }

    blas::convert<host_executor>(host, std::as_const(x).view(), y.view());

    for (index_t i = 0; i < n; ++i) {
        const double expected = to_double(to_real(x.get(i)));
        ASSERT_TRUE(y.get(i) == expected || (y.get(i) != y.get(i) && expected != expected))
            << to_real(x.get(i)) << " became " << y.get(i);
    }
    for (index_t i = 0; i < n; ++i) {
        y.set(i, random.one_in(20) ? random.sign() * (random.one_in(2) ? infinity : 0.0) : random.any());
    }

    blas::convert<host_executor>(host, std::as_const(y).view(), x.view());

    for (index_t i = 0; i < n; ++i) {
        ASSERT_EQ(is_finite(x.get(i)), std::isfinite(y.get(i))) << y.get(i);
        if (std::isfinite(y.get(i))) {
            ASSERT_EQ(x.get(i), rns_number(format, y.get(i))) << y.get(i);
            if (format.precision_bits() >= 53) {
                ASSERT_EQ(to_real(x.get(i)), real(y.get(i))) << y.get(i);
            }
        }
    }
}
