#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/numbers.hpp>
#include <residua/arith/numbers/format.hpp>

namespace {

int number_of_digits_that_agree()
{
    using namespace residua::literals;
    using qd = residua::expansion<double, 4>;

    qd x = 2;                      // exact, as any double or integer is
    x = 3 * x + 0.5_x4;            // a literal: rounded to four terms at once
    x += qd("0.1");                // a constructor: the same of text
    const qd y = pow(sqrt(x), 2);  // x again, nearly
    const residua::real error = abs(to_real(y) - to_real(x));
    return error == 0 ? 64 : static_cast<int>(-static_cast<double>(log10(error / to_real(x))));
}

TEST(documentation, an_example_has_the_digits_of_four_terms) { EXPECT_GE(number_of_digits_that_agree(), 62); }

}  // namespace

namespace residua {
namespace {

using namespace residua::literals;

template <class T>
T read(const char* decimal)
{
    if constexpr (std::same_as<T, real>) {
        return real(decimal, 300);
    } else {
        return T(decimal);
    }
}

template <class T>
bool nearly(const T& x, const T& y)
{
    return abs(x - y) <= ldexp(std::numeric_limits<T>::epsilon(), 6) * abs(y);
}

/// x in a longer format, and from there back.
template <class T>
T there_and_back(const T& x)
{
    if constexpr (detail::is_expansion<T>) {
        const expansion<double, number_traits<T>::terms + 1> longer = x;
        return T(longer);
    } else if constexpr (std::same_as<T, real>) {
        return x.with_precision(x.precision() + 64).with_precision(x.precision());
    } else {
        const multidigit_fixed<std::numeric_limits<T>::digits + 64> longer = x;
        return T(longer);
    }
}

/// What is written without a thought, once in a format; does it compile, and is it right?
template <class T>
void write_what_everybody_writes()
{
    const long five = 5;
    const T tenth = read<T>("0.1");
    EXPECT_TRUE(T(five) == 5 && nearly(tenth, T(five) / 50));
    EXPECT_EQ(fmt::format("{:.40}", T(five) / 4), "1.25" + std::string(37, '0') + "e+00");
    EXPECT_TRUE(nearly(log(exp(T(five))), T(five)) && exp(T(1)) > 2.718 && exp(T(1)) < 2.719);
    EXPECT_TRUE(nearly(pow(T(five), T(0.5)), sqrt(T(five))) && nearly(4 * atan2(T(1), T(1)), acos(T(-1))));
    EXPECT_TRUE(1 + std::numeric_limits<T>::epsilon() > 1 && std::numeric_limits<T>::max() > 1e308);
    std::vector<T> several{T(3), tenth, T(2)};
    std::sort(several.begin(), several.end());
    EXPECT_TRUE(several[0] == tenth && several[2] == 3 &&
                std::accumulate(several.begin(), several.end(), T(0)) == 5 + tenth);
    std::unordered_map<T, int> places{{tenth, 7}};
    EXPECT_TRUE(places.at(tenth) == 7 && places.find(T(3)) == places.end());
    EXPECT_EQ(there_and_back(tenth), tenth);
    T x = 3;
    x = x + 1;
    x = 2 * x;
    x += 0.5;
    EXPECT_TRUE(x == 8.5 && 8.5 == x && x != 8 && x > 0 && 9L > x && x >= 8.5f && x < 9u);
    EXPECT_TRUE((x <=> T(9)) < 0 && (x <=> 8) > 0);
    EXPECT_EQ(static_cast<double>(x), 8.5);
    const long n = 5;
    EXPECT_EQ(x - n, 3.5);
    EXPECT_EQ(n - x, -3.5);
    EXPECT_EQ(-x, -8.5);
    EXPECT_EQ(+x, 8.5);
    EXPECT_EQ(17 / x, 2);
    EXPECT_EQ(T(true) + 'a', 98);
    std::ostringstream out;
    out << x;
    EXPECT_EQ(out.str(), "8.5e+00");
    std::istringstream in("0.25");
    in >> x;
    EXPECT_EQ(x, 0.25);
    EXPECT_EQ(fmt::format("{:.3}", x), "2.50e-01");
    EXPECT_EQ(std::max(x, T(1)), 1);
    EXPECT_EQ(std::min({x, T(1), T(-1)}), -1);
    EXPECT_EQ(pow(x, T(0.5)), 0.5);
    EXPECT_EQ(pow(x, 2), 0.0625);
    EXPECT_EQ(exp(x - x), 1);
    EXPECT_EQ(atan2(T(0), x), 0);
    EXPECT_EQ(sqrt(x), 0.5);
    EXPECT_EQ(abs(-x), x);
    EXPECT_EQ(fma(x, 4, T(1)), 2);
    EXPECT_TRUE(!isnan(x) && isnan(T(std::nan(""))));
    using std::swap;
    T y(2);
    swap(x, y);
    EXPECT_TRUE(x == 2 && y == 0.25);
}

template <class T>
class everyday : public ::testing::Test {};

using numbers = ::testing::Types<expansion<double, 2>, expansion<double, 3>, expansion<double, 4>, expansion<double, 8>,
                                 multidigit_fixed<64>, multidigit_fixed<200>, multidigit_fixed<1024>, real>;
TYPED_TEST_SUITE(everyday, numbers);

template <class T>
class every_length : public ::testing::Test {};

using lengths_of_numbers =
    ::testing::Types<expansion<double, 2>, expansion<double, 3>, expansion<double, 4>, expansion<double, 6>,
                     expansion<double, 8>, expansion<double, 12>, expansion<double, 16>, expansion<double, 24>,
                     multidigit_fixed<64>, multidigit_fixed<200>, multidigit_fixed<1024>, multidigit_fixed<2048>, real>;
TYPED_TEST_SUITE(every_length, lengths_of_numbers);

TYPED_TEST(every_length, one_liners) { write_what_everybody_writes<TypeParam>(); }

TYPED_TEST(everyday, integers_of_64_bits_are_exact)
{
    using T = TypeParam;
    constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
    constexpr std::uint64_t most = ~std::uint64_t{0};

    const T x = odd;
    EXPECT_EQ(to_real(x), real(odd));
    EXPECT_EQ(to_real(T(most)), real(most));
    EXPECT_EQ(to_real(T(std::numeric_limits<std::int64_t>::min())), real(-0x1p63));
    EXPECT_EQ(to_real(T(0) + odd), real(odd));
    EXPECT_EQ(to_real(odd - T(0)), real(odd));
    EXPECT_EQ(to_real(T(1) * odd), real(odd));
    EXPECT_TRUE(x == odd && odd == x && x != odd - 1 && odd - 1 != x);
    EXPECT_TRUE(x > odd - 1 && x < odd + 1 && odd - 1 < x);
    EXPECT_TRUE((x <=> odd) == 0 && (x <=> odd - 1) > 0);
}

TYPED_TEST(everyday, operators_mix_with_doubles_and_integers)
{
    using T = TypeParam;
    T x = 3;
    x += 0.5;
    x -= 1;
    x *= 4;
    x /= 2u;
    x = 2 * x + 1;
    EXPECT_EQ(x, 11);
    EXPECT_TRUE(x > 0 && 0 < x && x <= 11.0 && (x <=> 11) == 0);
    EXPECT_EQ(static_cast<double>(x), 11.0);
    const T nan = std::numeric_limits<T>::quiet_NaN();
    EXPECT_TRUE(isnan(nan) && (nan <=> x) == std::partial_ordering::unordered && !(nan == nan));
    EXPECT_TRUE(isinf(std::numeric_limits<T>::infinity()) && !isfinite(nan) && isfinite(x));
}

TYPED_TEST(everyday, text_goes_out_and_comes_back)
{
    using T = TypeParam;
    const T third = read<T>("1") / 3;
    std::stringstream stream;
    stream << third << " " << -third << " 7e2,inf x";
    T a = read<T>("0");
    T b = read<T>("0");
    T c = read<T>("0");
    T d = read<T>("0");
    char comma = '\0';
    stream >> a >> b >> c >> comma >> d;
    EXPECT_TRUE(stream);
    const double rounding = detail::is_expansion<T> ? 0x1p-104 : 0.0;  // gaps between terms hold more than is printed
    EXPECT_LE(abs(a - third), rounding);
    EXPECT_LE(abs(b + third), rounding);
    EXPECT_TRUE(c == 700 && comma == ',' && isinf(d));
    EXPECT_FALSE(stream >> c);
    EXPECT_EQ(c, 700);
    EXPECT_EQ(fmt::format("{:.4}", third), "3.333e-01");
    EXPECT_EQ(fmt::format("{:>12.4}|", third), "   3.333e-01|");
    EXPECT_EQ(fmt::format("{:.28}", third).size(), 33u);
}

TYPED_TEST(everyday, limits_say_what_the_format_holds)
{
    using T = TypeParam;
    using limits = std::numeric_limits<T>;
    const T eps = limits::epsilon();
    EXPECT_TRUE(eps > 0 && 1 + eps != 1);
    EXPECT_TRUE(isfinite(limits::max()) && limits::lowest() == -limits::max());
    EXPECT_TRUE(limits::max() > 1e308 && limits::min() > 0);
    if constexpr (detail::is_multidigit_fixed<T>) {
        EXPECT_EQ(to_real(eps), ldexp(real(1), 1 - limits::digits));
        EXPECT_EQ(to_real(limits::max()), detail::greatest_real(limits::digits));
        EXPECT_EQ(to_real(limits::min()), detail::least_real(limits::digits));
        EXPECT_EQ(T(to_string(limits::max())), limits::max());
        EXPECT_TRUE(isnan(limits::quiet_NaN()) && isinf(limits::infinity()) && limits::infinity() > limits::max());
    } else if constexpr (!std::same_as<T, real>) {
        EXPECT_EQ(eps.t[0], pow2(1 - limits::digits));
        EXPECT_EQ(limits::max().t[0], std::numeric_limits<double>::max());
        EXPECT_EQ(to_double(limits::max()), std::numeric_limits<double>::max());
        EXPECT_EQ(from_real<T>(to_real(limits::max())), limits::max());
    }
}

TYPED_TEST(everyday, standard_algorithms_take_numbers)
{
    using T = TypeParam;
    std::vector<T> v{T(3), T(1), T(2)};
    std::sort(v.begin(), v.end());
    EXPECT_TRUE(v[0] == 1 && v[2] == 3);
    EXPECT_EQ(std::accumulate(v.begin(), v.end(), T(0)), 6);
    EXPECT_EQ(std::max(v[0], v[1]), 2);
    std::unordered_map<T, int> places;
    places[T(1) / 4] = 7;
    EXPECT_EQ(places.at(T(0.25)), 7);
    EXPECT_EQ(std::hash<T>{}(T(0.0)), std::hash<T>{}(T(-0.0)));
}

TEST(hash, equal_numbers_of_other_forms_have_one_hash)
{
    // 1 + 2^-52 - 2^-52 with terms that may be so, and 1
    expansion<double, 3> x(1.0 + 0x1p-52);
    x.t[1] = -0x1p-52;
    ASSERT_EQ(x, 1.0);
    EXPECT_EQ(std::hash<decltype(x)>{}(x), (std::hash<expansion<double, 3>>{}(1.0)));
    EXPECT_EQ(std::hash<real>{}(real(1.5, 53)), std::hash<real>{}(real(1.5, 4000)));
    EXPECT_NE(std::hash<real>{}(real(1.5)), std::hash<real>{}(real(-1.5)));
    EXPECT_NE(std::hash<real>{}(real(1.5)), std::hash<real>{}(real(3.0)));
}

TEST(lengths, convert_to_more_exactly_and_to_fewer_when_asked)
{
    using dd = expansion<double, 2>;
    using qd = expansion<double, 4>;
    static_assert(std::is_convertible_v<dd, qd> && !std::is_convertible_v<qd, dd>);
    static_assert(std::is_constructible_v<dd, qd> && !std::is_constructible_v<dd, long double>);
    const qd third = qd(1) / 3;
    const dd shorter(third);
    EXPECT_EQ(to_real(qd(shorter)), to_real(shorter));
    EXPECT_LT(abs(third - qd(shorter)), 0x1p-106);
}

TEST(lengths, of_multidigit_floats_convert_as_those_of_expansions)
{
    using shorter = multidigit_fixed<100>;
    using longer = multidigit_fixed<300>;
    static_assert(std::is_convertible_v<shorter, longer> && !std::is_convertible_v<longer, shorter>);
    static_assert(std::is_constructible_v<shorter, longer> && !std::is_constructible_v<shorter, long double>);
    static_assert(!std::is_convertible_v<real, longer> && std::is_constructible_v<longer, real>);
    const longer third = longer(1) / 3;
    EXPECT_EQ(to_real(shorter(third)), to_real(third).with_precision(100));
    EXPECT_EQ(to_real(longer(shorter(third))), to_real(shorter(third)));
    EXPECT_EQ(to_real(longer(expansion<double, 4>("0.1"))), to_real(expansion<double, 4>("0.1")).with_precision(300));
    const longer below_two = 2 - std::numeric_limits<longer>::epsilon();
    EXPECT_EQ(shorter(ldexp(below_two, 2'000'000'000)), ldexp(shorter(2), 2'000'000'000));  // beyond the range of real
    EXPECT_EQ(shorter(1) / 3 + third, longer(shorter(1) / 3) + third);  // the longer one, in which nothing is lost
}

TEST(literals, are_rounded_to_the_format_at_once)
{
    EXPECT_EQ(0.1_x4, (expansion<double, 4>("0.1")));
    EXPECT_EQ(0.1_x2, (expansion<double, 2>("0.1")));
    EXPECT_NE(0.1_x2, 0.1);
    EXPECT_EQ(1'000.5_x8, 1000.5);
    EXPECT_EQ(0.1_m256, multidigit_fixed<256>("0.1"));
    EXPECT_EQ(to_real(0.1_m1024), real("0.1", 1024));
    EXPECT_EQ(to_real(0.1_m4096), 0.1_r4096);
    EXPECT_EQ((0.1_r256).precision(), 256);
    EXPECT_THROW(0x10_x2, error);
}

TEST(limits_of_reals, follow_the_innermost_precision)
{
    EXPECT_EQ(std::numeric_limits<real>::epsilon(), 0x1p-52);
    {
        const limits_precision outer(400);
        EXPECT_EQ(std::numeric_limits<real>::epsilon(), ldexp(real(1), -399));
        {
            const limits_precision inner(100);
            EXPECT_EQ(std::numeric_limits<real>::max().precision(), 100);
        }
        EXPECT_EQ(std::numeric_limits<real>::epsilon(), ldexp(real(1), -399));
    }
    EXPECT_EQ(limits_precision::bits(), 53);
    EXPECT_THROW(limits_precision(0), error);
}

TEST(complex, arithmetic_and_absolute_value_work)
{
    using qd = expansion<double, 4>;
    const std::complex<qd> a(3, 4);
    const std::complex<qd> b(1, -2);
    EXPECT_EQ(a + b, std::complex<qd>(4, 2));
    EXPECT_EQ(a - b, std::complex<qd>(2, 6));
    EXPECT_EQ(a * b, std::complex<qd>(11, -2));
    EXPECT_EQ(a * b / b, a);
    EXPECT_EQ(abs(a), 5);
}

}  // namespace
}  // namespace residua
