#include <limits>
#include <utility>

#include "tests/arith/rns/rns_oracle.hpp"

using namespace residua;
using namespace residua::support;

template <class Count>
struct rns_test : ::testing::Test {
    const rns_set<Count::count>& set = rns_set<Count::count>::host();
    rns_source<Count::count> source;

    /// An operation on random pairs against the exact one: well formed, and right to u.
    template <class Operation, class Exact>
    void check(std::int64_t count, const Operation& operation, const Exact& exact)
    {
        SCOPED_TRACE(source.trace());
        double worst = 0.0;
        for (std::int64_t k = cases<Count::count>(count); k > 0; --k) {
            const auto x = source.number(-60, 60);
            const auto y = source.partner(x, -60, 60);

            const auto result = operation(x, y);

            ASSERT_TRUE(well_formed(result)) << this->source.value(x) << " " << this->source.value(y);
            worst = std::max(worst, error_in_u(result, exact(wide(x), wide(y))));
            ASSERT_LT(worst, 1.0) << this->source.value(x) << " " << this->source.value(y);
        }
        this->RecordProperty("worst", std::to_string(worst));
    }
};
TYPED_TEST_SUITE(rns_test, moduli_counts);

TYPED_TEST(rns_test, adds_small_integers_exactly)
{
    constexpr int L = TypeParam::count;
    const auto sum = [this](double x, double y) {
        return this->source.value(add(this->set, to_rns(this->set, x), to_rns(this->set, y)));
    };

    EXPECT_EQ(sum(2.0, 3.0), real(5.0));
    EXPECT_EQ(sum(2.0, -3.0), real(-1.0));
    EXPECT_EQ(sum(0.0, -3.0), real(-3.0));
    EXPECT_EQ(sum(3.0, -3.0), real(0.0));
    EXPECT_EQ(sum(0x1p-40, 0x1p40), real(0x1p40) + real(0x1p-40).with_precision(200));
    EXPECT_FALSE(add(this->set, to_rns(this->set, 3.0), to_rns(this->set, -3.0)).negative);
    static_assert(rns_precision(L) >= 31 * L / 2 - 2);
}

TYPED_TEST(rns_test, add_is_right_to_u)
{
    this->check(
        20000, [this](const auto& x, const auto& y) { return add(this->set, x, y); },
        [](const real& x, const real& y) { return x + y; });
    this->check(
        20000, [this](const auto& x, const auto& y) { return sub(this->set, x, y); },
        [](const real& x, const real& y) { return x - y; });
}

TYPED_TEST(rns_test, mul_is_right_to_u)
{
    this->check(
        20000, [this](const auto& x, const auto& y) { return mul(this->set, x, y); },
        [](const real& x, const real& y) { return x * y; });
}

TYPED_TEST(rns_test, mul_by_a_double_is_right_to_u)
{
    SCOPED_TRACE(this->source.trace());
    double worst = 0.0;
    for (std::int64_t k = cases<TypeParam::count>(20000); k > 0; --k) {
        const double d = this->source.random().any();
        const auto y = this->source.number(-60, 60);
        const auto result = mul(this->set, d, y);
        ASSERT_TRUE(well_formed(result)) << d << " " << this->source.value(y);
        if (d == 0.0) {
            ASSERT_TRUE(is_zero(result));
            continue;
        }
        worst = std::max(worst, error_in_u(result, real(d).with_precision(64) * wide(y)));
        ASSERT_LT(worst, 1.0) << d << " " << this->source.value(y);
    }
    EXPECT_FALSE(is_finite(mul(this->set, std::numeric_limits<double>::infinity(), this->source.number(0, 0))));
}

TYPED_TEST(rns_test, div_is_right_to_u)
{
    this->check(
        8000, [this](const auto& x, const auto& y) { return div(this->set, x, is_zero(y) ? x : y); },
        [](const real& x, const real& y) { return x / (is_zero(y) ? x : y); });
}

TYPED_TEST(rns_test, sqrt_is_right_to_u)
{
    this->check(
        8000, [this](const auto& x, const auto&) { return sqrt(this->set, abs(x)); },
        [](const real& x, const real&) { return sqrt(abs(x)); });
}

TYPED_TEST(rns_test, compare_is_always_right)
{
    constexpr int L = TypeParam::count;
    SCOPED_TRACE(this->source.trace());
    for (std::int64_t k = cases<L>(20000); k > 0; --k) {
        const auto x = this->source.random().one_in(50) ? rns_zero<L>() : this->source.number(-60, 60);
        auto y = this->source.random().one_in(50) ? rns_zero<L>() : this->source.partner(x, -60, 60);
        y = is_zero(x) || this->source.random().one_in(2) ? y : -y;
        const real difference = wide(x) - wide(y);
        const int expected = is_zero(difference) ? 0 : difference < real(0.0) ? -1 : 1;

        ASSERT_EQ(compare(this->set, x, y), expected) << this->source.value(x) << " " << this->source.value(y);
    }
}

TYPED_TEST(rns_test, keeps_bounds_through_a_long_chain)
{
    SCOPED_TRACE(this->source.trace());
    auto x = this->source.number(-5, 5);
    for (int k = 0; k < 300; ++k) {
        const auto y = this->source.partner(x, -5, 5);
        const int what = this->source.random().integer(0, 3);
        x = what == 0 ? mul(this->set, x, x) : what == 1 ? add(this->set, x, y) : mul(this->set, x, y);
        if (is_zero(x) || exponent(this->source.value(x)) > 4000 || exponent(this->source.value(x)) < -4000) {
            x = this->source.number(-5, 5);
        }
        ASSERT_TRUE(well_formed(x));
        ASSERT_FALSE(x.range.high - x.range.low > 2 * detail::widest_range);
    }
}

TYPED_TEST(rns_test, detects_the_ends_of_its_range)
{
    const auto one = to_rns(this->set, 1.0);
    const auto huge = ldexp(one, rns_exponent_limit - 10);
    const auto tiny = ldexp(one, -rns_exponent_limit + 10);

    EXPECT_TRUE(is_finite(huge));
    EXPECT_FALSE(is_finite(mul(this->set, huge, huge)));
    EXPECT_FALSE(is_finite(div(this->set, huge, tiny)));
    EXPECT_TRUE(is_zero(mul(this->set, tiny, tiny)));
    EXPECT_FALSE(is_finite(div(this->set, one, rns_zero<TypeParam::count>())));
    EXPECT_FALSE(is_finite(sqrt(this->set, -one)));
    EXPECT_FALSE(is_finite(add(this->set, one, rns_not_finite<TypeParam::count>())));
    EXPECT_TRUE(is_zero(sqrt(this->set, rns_zero<TypeParam::count>())));
}

TYPED_TEST(rns_test, converts_doubles_exactly_and_back)
{
    SCOPED_TRACE(this->source.trace());
    for (std::int64_t k = scaled(3000); k > 0; --k) {
        const double x = this->source.random().any();

        const auto r = to_rns(this->set, x);

        ASSERT_EQ(this->source.value(r), real(x));
        ASSERT_TRUE(well_formed(r));
        ASSERT_EQ(to_double(this->set, r), x == 0.0 ? 0.0 : x);
    }
    EXPECT_FALSE(is_finite(to_rns(this->set, std::numeric_limits<double>::infinity())));
}

TYPED_TEST(rns_test, rounds_to_double_as_mpfr_does)
{
    SCOPED_TRACE(this->source.trace());
    for (std::int64_t k = cases<TypeParam::count>(20000); k > 0; --k) {
        auto x = this->source.number(0, 0);
        if (this->source.random().one_in(3)) {  // a tie of two doubles, or next to one
            const real tie = real(this->source.random().full(0, 0)).with_precision(this->set.constants.width) +
                             ldexp(real(1.0), -53);
            x = this->source.rounded(tie);
        }
        x = ldexp(x, this->source.random().integer(-1200, 1030) - exponent(this->source.value(x)));

        ASSERT_EQ(to_double(this->set, x), to_double(this->source.value(x))) << this->source.value(x);
    }
}

TYPED_TEST(rns_test, converts_reals_to_nearest_and_back)
{
    SCOPED_TRACE(this->source.trace());
    for (std::int64_t k = cases<TypeParam::count>(5000); k > 0; --k) {
        const real x = ldexp(this->source.value(this->source.number(0, 0)).with_precision(3000) / real(3.0, 3000),
                             this->source.random().integer(-20000, 20000));

        const auto r = this->source.rounded(x);

        ASSERT_TRUE(well_formed(r));
        ASSERT_EQ(this->source.value(r), x.with_precision(this->set.constants.width));
        ASSERT_EQ(this->source.value(from_string(this->set, to_string(this->set, r))), this->source.value(r));
    }
    EXPECT_EQ(to_string(this->set, from_string(this->set, "1e-400"), 4), "1.000e-400");
    EXPECT_EQ(to_string(this->set, from_string(this->set, "-4e+4000"), 4), "-4.000e+4000");
}

namespace {

/// Squares of numbers just below a power of two, and their neighbours, with ranges as wide as they may become.
template <int Count>
void expect_right_near_powers_of_two()
{
    const rns_set<Count>& set = rns_set<Count>::host();
    const auto one = to_rns(set, 1.0);
    const int width = set.constants.width;
    for (int m = 1; m < 8; ++m) {
        auto x = sub(set, sub(set, one, to_rns(set, m * 0x1p-31)), ldexp(one, -width));
        for (int k = 0; k < 14; ++k) {
            x = mul(set, x, x);
            ASSERT_TRUE(well_formed(x)) << Count << " moduli, " << m << ", square " << k;
            for (const int below : {10, 15, 20, 40, width - 2}) {
                const auto y = sub(set, x, ldexp(one, -below));
                ASSERT_TRUE(well_formed(y));
                ASSERT_EQ(compare(set, y, x), -1) << Count << " moduli, " << m << ", square " << k << ", " << below;
                ASSERT_FALSE(sub(set, x, y).negative);
            }
        }
    }
}

template <int... Count>
void for_counts(std::integer_sequence<int, Count...>)
{
    (expect_right_near_powers_of_two<Count + 4>(), ...);
}

}  // namespace

TEST(rns_products_test, near_half_of_the_modulus_keep_their_sign_and_range)
{
    for_counts(std::make_integer_sequence<int, 10>{});
    expect_right_near_powers_of_two<54>();
    expect_right_near_powers_of_two<55>();
    expect_right_near_powers_of_two<83>();
    expect_right_near_powers_of_two<111>();
    expect_right_near_powers_of_two<112>();
}

TYPED_TEST(rns_test, stays_right_with_ranges_as_wide_as_they_may_be)
{
    SCOPED_TRACE(this->source.trace());
    const auto widened = [this](auto x) {
        if (!is_zero(x)) {
            x.range.low -= static_cast<std::uint32_t>(this->source.random().integer(0, detail::widest_range));
        }
        return x;
    };
    for (std::int64_t k = cases<TypeParam::count>(5000); k > 0; --k) {
        const auto x = this->source.number(-60, 60);
        const auto y = this->source.partner(x, -60, 60);
        const auto sum = add(this->set, widened(x), widened(y));
        const auto product = mul(this->set, widened(x), widened(y));
        ASSERT_TRUE(well_formed(sum));
        ASSERT_TRUE(well_formed(product));
        ASSERT_LT(error_in_u(sum, wide(x) + wide(y)), 1.0);
        ASSERT_LT(error_in_u(product, wide(x) * wide(y)), 1.0);
        const real difference = wide(x) - wide(y);
        ASSERT_EQ(compare(this->set, widened(x), widened(y)), is_zero(difference)      ? 0
                                                              : difference < real(0.0) ? -1
                                                                                       : 1);
    }
}
