#include <functional>

#include <residua/arith/expansion/elementary/constants.hpp>
#include <residua/arith/real/real.hpp>

#include <gtest/gtest.h>

namespace residua::testing {
namespace {

constexpr long bits = 2000;

real ln2_in_full()
{
    real x(0.0, bits);
    mpfr_const_log2(x.mpfr(), MPFR_RNDN);
    return x;
}

real half_pi_in_full()
{
    real x(0.0, bits);
    mpfr_const_pi(x.mpfr(), MPFR_RNDN);
    return ldexp(x, -1);
}

real inverse_factorial_in_full(int k)
{
    real x(0.0, bits);
    mpfr_fac_ui(x.mpfr(), static_cast<unsigned long>(k), MPFR_RNDN);
    return real(1.0) / x;
}

/// The terms of a constant as they should stand in constants.hpp: a failure prints them.
std::string literals(const std::vector<double>& terms)
{
    std::string text = "{";
    for (const double t : terms) {
        char hex[40];
        std::snprintf(hex, sizeof hex, "%a, ", t);
        text += hex;
    }
    return text + "}";
}

void expect_terms(const real& x, int count, const std::function<double(int)>& term)
{
    std::vector<double> expected(static_cast<std::size_t>(count)), stored;
    split_nearest(x, expected);
    for (int i = 0; i < count; ++i) {
        stored.push_back(term(i));
    }
    EXPECT_EQ(literals(stored), literals(expected));
}

TEST(elementary_constants_test, ln2_and_half_pi_are_split_as_mpfr_has_them)
{
    expect_terms(ln2_in_full(), detail::constant_terms, [](int i) { return detail::ln2_term(i); });
    expect_terms(half_pi_in_full(), detail::half_pi_terms, [](int i) { return detail::half_pi_term(i); });
}

TEST(elementary_constants_test, the_reciprocals_are_rounded_to_nearest)
{
    const real one(1.0);
    expect_terms(one / ln2_in_full(), 1, [](int) { return detail::log2_of_e; });
    expect_terms(one / half_pi_in_full(), 2,
                 [](int i) { return i == 0 ? detail::two_over_pi : detail::two_over_pi_low; });
}

TEST(elementary_constants_test, inverse_factorials_are_split_as_mpfr_has_them)
{
    for (int k = 0; k < detail::factorials; ++k) {
        SCOPED_TRACE(k);
        expect_terms(inverse_factorial_in_full(k), detail::constant_terms,
                     [k](int i) { return detail::inverse_factorial_term(k, i); });
    }
}

TEST(elementary_constants_test, expansions_are_the_first_terms)
{
    const expansion<double, 3> a = detail::ln2<3>();
    const expansion<double, 10> b = detail::half_pi<10>();
    const expansion<double, 4> c = detail::inverse_factorial<4>(7);

    EXPECT_EQ(a.t[2], detail::ln2_term(2));
    EXPECT_EQ(b.t[9], detail::half_pi_term(9));
    EXPECT_EQ(c.t[3], detail::inverse_factorial_term(7, 3));
}

}  // namespace
}  // namespace residua::testing
