#include <functional>
#include <sstream>
#include <unordered_set>

#include <residua/arith/complex/format.hpp>

#include "tests/arith/complex/complex_oracle.hpp"

namespace residua::testing {
namespace {

template <class T>
class complex_text_of : public ::testing::Test {
protected:
    /// "(re,im)" in the format of T.
    static complex_number<T> read(std::string_view text)
    {
        if constexpr (std::is_same_v<T, real> || std::is_same_v<T, multidigit_number> ||
                      std::is_same_v<T, rns_number>) {
            return read_complex(text, [](std::string_view decimal) {
                const long bits = std::is_same_v<T, rns_number> ? 400 : part_kind<T>::bits;
                return part_kind<T>::make(real(decimal, bits));
            });
        } else {
            return from_string<complex_number<T>>(text);
        }
    }

    complex_source<T> source;
};

using formats = ::testing::Types<double, expansion<double, 2>, expansion<double, 4>, multidigit_fixed<200>,
                                 multidigit_number, rns_number, real>;
TYPED_TEST_SUITE(complex_text_of, formats);

TYPED_TEST(complex_text_of, a_number_reads_back_as_the_number)
{
    using T = TypeParam;
    SCOPED_TRACE(this->source.trace());
    for (int i = 0; i < 300; ++i) {
        const auto part = [&] {
            // What has more bits than the format, as an expansion with gaps may, is rounded by its text.
            return part_kind<T>::make(to_real(this->source.part(-90, 90)).with_precision(part_kind<T>::bits));
        };
        const T re = part();
        const complex_number<T> z(re, part());
        ASSERT_TRUE(this->read(to_string(z)) == z) << z;
    }
}

TYPED_TEST(complex_text_of, a_number_has_one_form)
{
    using T = TypeParam;
    const complex_number<T> z(part_kind<T>::make(real(1.5)), part_kind<T>::make(real(-0.25)));
    EXPECT_EQ(to_string(z), "(1.5e+00,-2.5e-01)");
    EXPECT_EQ(to_string(z, 4), "(1.500e+00,-2.500e-01)");
    EXPECT_EQ(fmt::format("{}", z), "(1.5e+00,-2.5e-01)");
    EXPECT_EQ(fmt::format("{:>26.4}", z), "    (1.500e+00,-2.500e-01)");
    std::ostringstream out;
    out << z;
    EXPECT_EQ(out.str(), to_string(z));
    EXPECT_TRUE(this->read("(15e-1,-.25)") == z);
}

TYPED_TEST(complex_text_of, what_is_no_number_is_refused)
{
    for (const char* text :
         {"",        "1",      "1.5",    "(1,2",   "1,2)",  "(1)",     "()",      "(,)",   "(1,)",    "(,1)",
          "(1,2,3)", "( 1,2)", "(1, 2)", "(1,2) ", "(x,2)", "(1,inf)", "(nan,1)", "(1;2)", "((1,2))", "(0x1,2)"}) {
        EXPECT_THROW(this->read(text), error) << text;
    }
}

TEST(complex_text, beyond_the_range_is_refused)
{
    EXPECT_THROW(from_string<complex_number<double>>("(1e999,0)"), error);
    EXPECT_THROW((from_string<complex_number<expansion<double, 2>>>("(0,1e999)")), error);
    try {
        from_string<complex_number<double>>("1.5");
        FAIL();
    } catch (const error& e) {
        EXPECT_STREQ(e.what(), "not a complex number, which is written (re,im): 1.5");
    }
}

TEST(complex_text, of_special_values)
{
    const double inf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(to_string(complex_number<double>(inf, -inf)), "(inf,-inf)");
    EXPECT_EQ(to_string(complex_number<double>(-0.0, inf - inf)), "(-0e+00,nan)");
}

TEST(complex_conversion, takes_and_gives_the_pairs_of_the_standard_library)
{
    const std::complex<double> pair(0.1, -3.0);
    const complex_number<expansion<double, 3>> z = pair;
    EXPECT_EQ(to_double(z.real()), 0.1);
    EXPECT_TRUE(z == (complex_number<expansion<double, 3>>(complex_number<double>(pair))));
    EXPECT_EQ(std::complex<double>(z), pair);
    EXPECT_EQ(std::complex<double>(complex_number<real>(real("0.1", 300), real(2))), std::complex<double>(0.1, 2.0));
    EXPECT_EQ(std::complex<double>(complex_number<multidigit_fixed<100>>(pair)), pair);
    EXPECT_EQ(std::complex<double>(complex_number<double>(pair)), pair);
    // To a shorter format it has to be written.
    static_assert(!std::is_convertible_v<complex_number<expansion<double, 3>>, complex_number<expansion<double, 2>>>);
    static_assert(std::is_convertible_v<complex_number<expansion<double, 2>>, complex_number<expansion<double, 3>>>);
    static_assert(std::is_trivially_copyable_v<complex_number<expansion<double, 3>>>);
    static_assert(sizeof(complex_number<expansion<double, 3>>) == 2 * sizeof(expansion<double, 3>));
}

TEST(complex_conversion, operands_may_be_what_a_part_is_made_of)
{
    const complex_number<expansion<double, 2>> z(1, 2);
    EXPECT_TRUE(2 * z - 1 == (complex_number<expansion<double, 2>>(1, 4)));
    EXPECT_TRUE(z / 2.0 + 0.5 == (complex_number<expansion<double, 2>>(1, 1)));
    EXPECT_TRUE(5 / z == (complex_number<expansion<double, 2>>(1, -2)));
    const complex_number<double> w(3, 4);
    EXPECT_TRUE(1 + w * 2 == complex_number<double>(7, 8));
}

TEST(complex_hash, is_that_of_the_value)
{
    using number = complex_number<expansion<double, 2>>;
    const std::hash<number> of;
    EXPECT_EQ(of(number(0.0, -0.0)), of(number(-0.0, 0.0)));
    EXPECT_NE(of(number(1, 2)), of(number(2, 1)));
    const std::unordered_set<number> numbers{number(1, 2), number(2, 1), number(1, 2)};
    EXPECT_EQ(numbers.size(), 2u);
    EXPECT_EQ(std::hash<complex_number<real>>()(real(1.0, 60)), std::hash<complex_number<real>>()(real(1.0, 600)));
}

template <class T>
void expect_angles()
{
    using kind = part_kind<T>;
    complex_source<T> source;
    for (int i = 0; i < 100; ++i) {
        const auto z = source.number(-40, 40);
        const real_pair exact = in_full(z);
        real angle(0.0, oracle_bits / 10);
        mpfr_atan2(angle.mpfr(), exact.im.mpfr(), exact.re.mpfr(), MPFR_RNDN);
        expect_within("arg(z)", to_real(arg(z)), angle, ldexp(abs(angle), -kind::bits) * real(1.0001));
    }
}

TEST(complex_angle, is_rounded_correctly_or_nearly)
{
    expect_angles<double>();
    expect_angles<expansion<double, 2>>();
    expect_angles<expansion<double, 4>>();
    expect_angles<multidigit_fixed<200>>();
    expect_angles<real>();
}

}  // namespace
}  // namespace residua::testing
