#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/numbers.hpp>

namespace residua {
namespace {

constexpr long real_bits = 200;
constexpr long reference_bits = 900;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// p/q to the length of T.
template <class T>
T ratio(int p, int q)
{
    if constexpr (std::same_as<T, real>) {
        return real(p, real_bits) / q;
    } else {
        return T(p) / q;
    }
}

/// Twice u^N covers both kinds of functions: those by MPFR have one, the elementary ones below two. Reals and multi-digit
/// floats are rounded correctly.
template <class T>
void expect_near(const T& x, const real& exact, const char* name)
{
    if constexpr (std::same_as<T, real>) {
        EXPECT_EQ(x, exact.with_precision(real_bits)) << name;
        EXPECT_EQ(x.precision(), real_bits) << name;
    } else if constexpr (detail::is_multidigit_fixed<T>) {
        EXPECT_EQ(to_real(x), exact.with_precision(T::bits)) << name;
    } else {
        const real u = ldexp(real(1), -number_traits<T>::precision_bits);
        EXPECT_LE(abs(to_real(x) - exact), 2 * u * abs(exact)) << name << " " << x;
    }
}

using mpfr_unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using mpfr_binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

real reference(mpfr_unary f, const real& x)
{
    real y(0.0, reference_bits);
    f(y.mpfr(), x.mpfr(), MPFR_RNDN);
    return y;
}

real reference(mpfr_binary f, const real& x, const real& y)
{
    real z(0.0, reference_bits);
    f(z.mpfr(), x.mpfr(), y.mpfr(), MPFR_RNDN);
    return z;
}

template <class T>
class functions : public ::testing::Test {};

using numbers = ::testing::Types<expansion<double, 2>, expansion<double, 3>, expansion<double, 4>, expansion<double, 8>,
                                 multidigit_fixed<200>, real>;
TYPED_TEST_SUITE(functions, numbers);

TYPED_TEST(functions, of_one_number)
{
    using T = TypeParam;
    struct row {
        const char* name;
        T (*f)(const T&);
        mpfr_unary exact;
        int p, q;
    };
    const std::vector<row> rows{
        {"exp", [](const T& x) { return exp(x); }, mpfr_exp, -22, 3},
        {"exp2", [](const T& x) { return exp2(x); }, mpfr_exp2, 7, 3},
        {"expm1", [](const T& x) { return expm1(x); }, mpfr_expm1, 1, 100'003},
        {"log", [](const T& x) { return log(x); }, mpfr_log, 22, 7},
        {"log2", [](const T& x) { return log2(x); }, mpfr_log2, 22, 7},
        {"log10", [](const T& x) { return log10(x); }, mpfr_log10, 22, 7},
        {"log1p", [](const T& x) { return log1p(x); }, mpfr_log1p, -1, 100'003},
        {"sin", [](const T& x) { return sin(x); }, mpfr_sin, 22, 7},
        {"cos", [](const T& x) { return cos(x); }, mpfr_cos, 10, 3},
        {"tan", [](const T& x) { return tan(x); }, mpfr_tan, -10, 7},
        {"asin", [](const T& x) { return asin(x); }, mpfr_asin, -1, 3},
        {"acos", [](const T& x) { return acos(x); }, mpfr_acos, 2, 3},
        {"atan", [](const T& x) { return atan(x); }, mpfr_atan, 10, 3},
        {"sinh", [](const T& x) { return sinh(x); }, mpfr_sinh, 1, 3},
        {"cosh", [](const T& x) { return cosh(x); }, mpfr_cosh, 1, 3},
        {"tanh", [](const T& x) { return tanh(x); }, mpfr_tanh, 1, 3},
        {"asinh", [](const T& x) { return asinh(x); }, mpfr_asinh, 1, 3},
        {"acosh", [](const T& x) { return acosh(x); }, mpfr_acosh, 7, 3},
        {"atanh", [](const T& x) { return atanh(x); }, mpfr_atanh, -1, 3},
        {"cbrt", [](const T& x) { return cbrt(x); }, mpfr_cbrt, -10, 3},
        {"erf", [](const T& x) { return erf(x); }, mpfr_erf, -1, 3},
        {"erfc", [](const T& x) { return erfc(x); }, mpfr_erfc, 10, 3},
        {"tgamma", [](const T& x) { return tgamma(x); }, mpfr_gamma, 10, 3},
    };
    for (const row& r : rows) {
        const T x = ratio<T>(r.p, r.q);
        expect_near(r.f(x), reference(r.exact, to_real(x)), r.name);
    }
}

TYPED_TEST(functions, of_several_numbers)
{
    using T = TypeParam;
    const T x = ratio<T>(10, 3);
    const T y = ratio<T>(-5, 7);
    const real a = to_real(x);
    const real b = to_real(y);
    expect_near(atan2(y, x), reference(mpfr_atan2, b, a), "atan2");
    expect_near(atan2(y, -3), reference(mpfr_atan2, b, real(-3)), "atan2 of an integer");
    expect_near(atan2(0.5, x), reference(mpfr_atan2, real(0.5), a), "atan2 of a double");
    expect_near(hypot(x, y), reference(mpfr_hypot, a, b), "hypot");
    expect_near(pow(x, y), reference(mpfr_pow, a, b), "pow");
    expect_near(pow(x, -5), reference(mpfr_pow, a, real(-5)), "pow of an int");
    expect_near(pow(x, 0.3), reference(mpfr_pow, a, real(0.3)), "pow of a double");
    expect_near(pow(2, y), reference(mpfr_pow, real(2), b), "powers of 2");
    expect_near(fmod(x, y), reference(mpfr_fmod, a, b), "fmod");
    expect_near(remainder(x, y), reference(mpfr_remainder, a, b), "remainder");
    expect_near(remainder(x, 2), reference(mpfr_remainder, a, real(2)), "remainder by an integer");
    EXPECT_TRUE(isinf(pow(x, (1L << 53) + 1)));
}

TYPED_TEST(functions, fma_keeps_what_a_rounded_product_loses)
{
    using T = TypeParam;
    const T x = ratio<T>(10, 3);
    const T y = ratio<T>(-5, 7);
    const T product = x * y;
    expect_near(
        fma(x, y, -product),
        to_real(x).with_precision(reference_bits) * to_real(y) - to_real(product).with_precision(reference_bits),
        "fma");
    EXPECT_EQ(fma(T(3), 4, 5.0), 17);
}

TYPED_TEST(functions, whole_numbers)
{
    using T = TypeParam;
    // 2^60 + 1/2 and -(2^60 + 1/2) take two terms
    const long large = 1L << 60;
    const T half = T(large) + ratio<T>(1, 2);
    EXPECT_EQ(floor(half), large);
    EXPECT_EQ(ceil(half), large + 1);
    EXPECT_EQ(round(half), large + 1);
    EXPECT_EQ(trunc(-half), -large);
    EXPECT_EQ(floor(-half), -large - 1);
    EXPECT_EQ(round(-half), -large - 1);
}

TYPED_TEST(functions, special_values)
{
    using T = TypeParam;
    const T nan = std::numeric_limits<T>::quiet_NaN();
    const T inf = infinity;
    const T two(2);
    EXPECT_TRUE(isnan(nan) && !isnan(inf) && isinf(inf) && isinf(-inf) && !isinf(nan) && !isinf(two));
    EXPECT_TRUE(isfinite(two) && !isfinite(inf) && !isfinite(nan));
    EXPECT_TRUE(signbit(-two) && !signbit(two));
    EXPECT_TRUE(isnan(asin(two)) && isnan(pow(-two, 0.5)) && isnan(acosh(T(0))));
    const bool overflows = detail::is_expansion<T>;
    EXPECT_EQ(isinf(pow(two, 5000.0)), overflows);
    EXPECT_EQ(fmin(nan, two), 2);
    EXPECT_EQ(fmin(two, nan), 2);
    EXPECT_EQ(fmax(nan, two), 2);
    EXPECT_EQ(fmax(two, 3), 3);
    EXPECT_EQ(fmin(two, 3), 2);
    EXPECT_TRUE(isnan(fmax(nan, nan)));
}

}  // namespace
}  // namespace residua
