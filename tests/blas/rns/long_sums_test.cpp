// Long sums of RNS floats where their order decides whether they hold their bounds.
#include <gtest/gtest.h>

#include <residua/blas/rns/level2.hpp>

#include "tests/blas/rns/bounds.hpp"

namespace residua::support {
namespace {

const host_executor exec;

class rns_long_sums_test : public testing::TestWithParam<long> {};
INSTANTIATE_TEST_SUITE_P(bits, rns_long_sums_test, testing::Values(53, 106, 159, 424, 1734));

/// A number next to 1 and many that one rounding of it loses: from left to right nearly all of them would be lost, which is
/// some seventy times what the order of a long sum allows.
TEST_P(rns_long_sums_test, keep_their_bounds_where_sums_from_left_to_right_do_not)
{
    const rns_format format(GetParam());
    const index_t n = 4000;
    const real small = ldexp(real(0.45, 64), -format.precision_bits());
    const real sum = real(1.0, 8192) + small * real(static_cast<double>(n - 1));
    const real bound = gamma(roundings_of_sum(n), format) * sum;
    ASSERT_LT(bound, sum - real(1.0)) << "the test could not fail";

    vector<host_executor, rns> x(format, n), ones(format, n), y(format, 1);
    matrix<host_executor, rns> row(format, 1, n);
    for (index_t i = 0; i < n; ++i) {
        x.set(i, i == 0 ? rns_number(format, 1.0) : rns_number(format, small));
        ones.set(i, rns_number(format, 1.0));
        row.set(0, i, x.get(i));
    }

    const auto error = [&](const rns_number& computed) { return abs(to_real(computed) - sum); };
    EXPECT_LE(error(blas::dot<host_executor>(exec, x, ones)), bound);
    EXPECT_LE(error(blas::asum<host_executor>(exec, x)), bound);
    EXPECT_LE(error(blas::ge_norm<host_executor>(exec, blas::matrix_norm::infinity, row)), bound);
    blas::gemv<host_executor>(exec, blas::trans::no, rns_number(format, 1.0), row, ones, rns_number(format), y);
    EXPECT_LE(error(y.get(0)), gamma(roundings_of_row(n), format) * sum);
}

}  // namespace
}  // namespace residua::support
