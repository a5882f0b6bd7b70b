#include <array>
#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/multidigit/number.hpp>
#include <residua/solvers/matrix/numbers.hpp>

using namespace residua;

namespace {

using qd = expansion<double, 4>;

}  // namespace

TEST(numbers_test, of_every_kind_become_reals_exactly)
{
    const std::int64_t odd = (std::int64_t{1} << 53) + 1;
    EXPECT_EQ(reals(std::vector<std::int64_t>{odd})[0], real(odd));
    EXPECT_EQ(reals(std::array{0.1, -0.0})[0], real(0.1));
    EXPECT_EQ(reals(std::list{0.5f})[0], real(0.5));
    const qd third = qd(1.0) / qd(3.0);
    EXPECT_EQ(reals(std::span(&third, 1))[0], to_real(third));
    EXPECT_TRUE(reals(std::vector<double>{}).empty());
}

TEST(numbers_test, a_vector_of_reals_that_is_moved_is_not_copied)
{
    std::vector<real> x{real(1.0), real(2.0)};
    const real* const where = x.data();

    const std::vector<real> same = reals(std::move(x));

    EXPECT_EQ(same.data(), where);
}

TEST(numbers_test, are_rounded_once_to_a_format)
{
    const std::vector<real> x{real("0.1", 400), real("1e400", 400), real("-1e-400", 400)};

    const std::vector<double> d = rounded_to<double>(x);
    const std::vector<qd> q = rounded_to<qd>(x);

    EXPECT_EQ(d[0], 0.1);
    EXPECT_TRUE(std::isinf(d[1]));
    EXPECT_EQ(d[2], 0.0);
    EXPECT_LE(abs(to_real(q[0]) / x[0] - real(1.0, 400)), ldexp(real(1.0), -211));
    EXPECT_EQ(rounded_to<float>(x)[0], 0.1f);
    std::array<double, 2> small{};
    EXPECT_THROW(round_to<double>(x, std::span(small)), dimension_error);
}
