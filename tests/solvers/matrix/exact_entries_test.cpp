#include <residua/solvers/matrix/exact_entries.hpp>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mpfr.h>

#include <residua/io/decimal.hpp>
#include <residua/solvers/checkpoint/message_archive.hpp>
#include <residua/solvers/matrix/structure.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/exact_entry.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include "tests/support/scale.hpp"

using namespace residua;

namespace {

exact_entries written(const std::vector<std::string>& decimals)
{
    return exact_entries(std::vector<io::decimal_word>(decimals.begin(), decimals.end()));
}

/// By MPFR's own reading of text.
real by_mpfr(const std::string& decimal, long bits)
{
    real x(0.0, bits);
    mpfr_strtofr(x.mpfr(), decimal.c_str(), nullptr, 10, MPFR_RNDN);
    return x;
}

std::string random_decimal(std::mt19937_64& random)
{
    std::string text;
    for (std::uint64_t k = 1 + random() % (random() % 3 == 0 ? 60 : 19); k > 0; --k) {
        text += static_cast<char>('0' + random() % 10);
    }
    if (random() % 2 == 0) {
        text.insert(random() % text.size(), ".");
    }
    const long exponent =
        static_cast<long>(random() % 9) * (random() % 4 == 0 ? 177 : 3) - (random() % 2 == 0 ? 400 : 10);
    return (random() % 2 == 0 ? "-" : "") + text + "e" + std::to_string(exponent);
}

/// One row of decimals.
linear_system row_of(const std::vector<std::string>& decimals)
{
    linear_system a;
    a.rows = 1;
    a.cols = static_cast<index_t>(decimals.size());
    a.row_begin = {0, a.cols};
    for (std::size_t k = 0; k < decimals.size(); ++k) {
        a.column.push_back(static_cast<std::int32_t>(k));
        a.values.push_back(to_double(by_mpfr(decimals[k], 53)));
    }
    a.exact = written(decimals);
    return a;
}

}  // namespace

TEST(exact_entries_test, reals_stand_behind_others)
{
    const std::vector<real> more{real(-0.375), real(0.0), real(1.0, 200) / real(3.0, 200), ldexp(real(5.0), -900)};
    const exact_entries decimals = written({"0.1", "-12345678901234567890123456789e-9"}).joined(more, 200);
    const exact_entries reals = exact_entries(std::vector<real>{real(0.5)}).joined(more, 64);
    EXPECT_TRUE(decimals.are_decimals());
    EXPECT_EQ(decimals.written(0), "1e-1");
    EXPECT_EQ(decimals.written(2), "-375e-3");
    EXPECT_EQ(decimals.sign(3), 0);
    ASSERT_EQ(decimals.size(), 6U);
    ASSERT_EQ(reals.size(), 5U);
    for (std::size_t k = 0; k < more.size(); ++k) {
        EXPECT_EQ(reals.at(k + 1, 64), more[k]);
        EXPECT_LE(abs(decimals.at(k + 2, 300) - more[k]), ldexp(abs(more[k]), -200)) << k;
    }
}

TEST(exact_entries_test, are_rounded_once_to_any_bits)
{
    std::mt19937_64 random(3);
    for (std::int64_t k = 0; k < support::scaled(3000); ++k) {
        const std::string decimal = random_decimal(random);
        const exact_entries a = written({"7", decimal});
        for (const long bits : {24L, 53L, 106L, 300L, 1000L, 8256L}) {
            real room;
            bool rounded = false;
            const real& x = a.at(1, bits, room, rounded);
            const real expected = by_mpfr(decimal, bits);
            ASSERT_EQ(x, expected) << decimal;
            ASSERT_EQ(x.precision(), bits);
            ASSERT_TRUE(rounded || expected == by_mpfr(decimal, 20000)) << decimal;
            ASSERT_EQ(a.sign(1), sign(expected)) << decimal;
        }
    }
    EXPECT_EQ(written({"0.000e7"}).sign(0), 0);
    EXPECT_EQ(written({"-0.00000000000000000000000000000"}).sign(0), 0);
}

TEST(exact_entries_test, many_have_the_digits_that_were_written)
{
    std::mt19937_64 random(5);
    std::vector<std::string> decimals;
    for (int k = 0; k < 100000; ++k) {
        decimals.push_back(k % 1000 == 999 ? "-0.00000000000000000000000000" : random_decimal(random));
    }
    const exact_entries all = written(decimals);
    ASSERT_EQ(all.size(), decimals.size());
    for (std::size_t k = 0; k < decimals.size(); ++k) {
        ASSERT_EQ(all.written(k), written({decimals[k]}).written(0)) << k;
        ASSERT_EQ(all.at(k, 300), by_mpfr(decimals[k], 300)) << decimals[k];
    }
}

TEST(exact_entries_test, are_rounded_to_odd)
{
    std::vector<std::string> decimals{"0.1",
                                      "-0.1",
                                      "1",
                                      "-2.5",
                                      "0.99999999999999999999999999999999999999999999999999",
                                      "-1.00000000000000000000000000000000000000000000000001",
                                      "0"};
    std::mt19937_64 random(5);
    for (std::int64_t k = 0; k < support::scaled(3000); ++k) {
        decimals.push_back(random_decimal(random));
    }
    const exact_entries a = written(decimals);
    for (std::size_t k = 0; k < decimals.size(); ++k) {
        for (const long bits : {53L, 117L, 223L, 1000L}) {
            real cut(0.0, bits), x;
            const bool rounded = mpfr_strtofr(cut.mpfr(), decimals[k].c_str(), nullptr, 10, MPFR_RNDZ) != 0;
            if (rounded && mpfr_min_prec(cut.mpfr()) < bits) {
                sign(cut) > 0 ? mpfr_nextabove(cut.mpfr()) : mpfr_nextbelow(cut.mpfr());
            }
            ASSERT_EQ(a.set_odd(x, k, bits), rounded) << decimals[k];
            ASSERT_EQ(x, cut) << decimals[k] << " to " << bits;
        }
    }
}

TEST(exact_entries_test, are_compared_by_all_their_digits)
{
    const std::string third(40, '3');
    const exact_entries a = written({"0.1", "1e-1", "0.10", "-1e-1", "0.1000000000000000000000000000000000000000001",
                                     "0." + third, third + "e-40", "0." + third + "4", "0", "-0.0"});
    for (const auto& [p, q] : {std::pair{0, 1}, {0, 2}, {5, 6}, {8, 9}}) {
        EXPECT_TRUE(a.equal(p, q)) << p << q;
        EXPECT_TRUE(a.equal(q, p)) << p << q;
    }
    for (const auto& [p, q] : {std::pair{0, 3}, {0, 4}, {5, 7}, {0, 8}, {4, 5}}) {
        EXPECT_FALSE(a.equal(p, q)) << p << q;
    }
    EXPECT_TRUE(a.opposite(0, 3));
    EXPECT_TRUE(a.opposite(8, 9));
    EXPECT_FALSE(a.opposite(0, 1));
    EXPECT_FALSE(a.opposite(4, 3));
}

TEST(exact_entries_test, are_summed_exactly)
{
    const auto one = [](std::size_t) { return 1; };
    EXPECT_EQ(written({"0.1", "0.2", "-0.3"}).sum(0, 3, one, 64), real(0.0));
    EXPECT_EQ(written({"1e300", "1e-300", "-1e300"}).sum(0, 3, one, 200), by_mpfr("1e-300", 200));
    EXPECT_EQ(written({"9", "0.1", "0.25", "7"})
                  .sum(
                      1, 3, [](std::size_t k) { return k == 1 ? -1 : 1; }, 90),
              by_mpfr("0.15", 90));
    EXPECT_EQ(written({"123456789012345678901234567890", "1e-30"}).sum(0, 2, one, 70),
              by_mpfr("123456789012345678901234567890", 70));
    // Last digits that are too far from each other are not added as integers.
    EXPECT_EQ(written({"1e30000", "1e-30000", "-1e30000"}).sum(0, 3, one, 200).precision(), 200);
    EXPECT_EQ(exact_entries(std::vector<real>{real(1.0), real("0.5", 90)}).sum(0, 2, one, 64), real(1.5));
}

TEST(exact_entries_test, are_gathered_and_scaled)
{
    const exact_entries a = written({"0.1", "-0.1234567890123456789012345", "3"});
    const exact_entries b = a.gathered({2, 1, 1, 0}).scaled({0, 3, -2, 1000});

    ASSERT_EQ(b.size(), 4u);
    EXPECT_EQ(b.at(0, 99), real(3.0));
    EXPECT_EQ(b.at(1, 99), ldexp(by_mpfr("-0.1234567890123456789012345", 99), 3));
    EXPECT_EQ(b.at(2, 99), ldexp(by_mpfr("-0.1234567890123456789012345", 99), -2));
    EXPECT_EQ(b.gathered({3}).at(0, 99), ldexp(by_mpfr("0.1", 99), 1000));
    EXPECT_EQ(b.in_bits(80)[3], ldexp(by_mpfr("0.1", 80), 1000));
    EXPECT_TRUE(exact_entries().gathered({}).empty());
    EXPECT_TRUE(exact_entries().scaled({}).empty());
}

TEST(exact_entries_test, travel_in_messages)
{
    const auto terms = std::make_shared<const std::vector<double>>(std::vector<double>{1.0, 0x1p-80, -3.0, 0x1p-90});
    const std::vector<exact_entries> all{
        {},
        written({"0.1", "-0.1234567890123456789012345", "3", "1e-400"}).gathered({3, 1, 2, 1}),
        written({"0.1", "98765432109876543210987654321"}).scaled({-7, 1000}),
        exact_entries({real(1.0) / real(3.0, 200), real("1e500", 70)}),
        exact_entries(std::shared_ptr<const double>(terms, terms->data()), 2, 2).scaled({0, 5})};
    message_writer writer;
    for (exact_entries each : all) {
        each.archive(writer);
    }
    message_reader reader(writer.message());
    for (const exact_entries& each : all) {
        exact_entries read = exact_entries({real(7.0)}).scaled({1});
        read.archive(reader);
        ASSERT_EQ(read.size(), each.size());
        EXPECT_EQ(read.are_decimals(), each.are_decimals());
        for (std::size_t k = 0; k < each.size(); ++k) {
            EXPECT_TRUE(read.at(k, 4000) == each.at(k, 4000)) << k;
            EXPECT_EQ(read.at(k, 4000).precision(), each.at(k, 4000).precision()) << k;
        }
    }
    EXPECT_THROW(exact_entries().archive(reader), error);
}

TEST(exact_entries_test, take_little_memory)
{
    EXPECT_EQ(written(std::vector<std::string>(1000, "0.12345678901234567")).bytes_each(), 16.0);
    EXPECT_LE(written(std::vector<std::string>(1000, "0." + std::string(40, '7'))).bytes_each(), 60.0);
}

TEST(exact_entries_test, give_residuals_of_what_is_written)
{
    // x solves the decimal row to 600 bits: r is far below what any rounding of the entries to fewer bits leaves.
    const linear_system a = row_of({"0.1", "0.3333333333333333333333333333"});
    const std::vector<real> x{by_mpfr("3.333333333333333333333333333", 600), real(-1.0)};
    const residual_evaluation at = evaluate_residual(a, {real(0.0)}, x, ldexp(real(1.0), -580));

    EXPECT_LE(at.norm2, ldexp(real(1.0), -590));
    EXPECT_LE(at.error, ldexp(real(1.0), -580));
    EXPECT_FALSE(is_zero(at.error)) << "0.1 was rounded";
    const residual_evaluation rough = evaluate_residual(a, {real(0.0)}, {real(1.0), real(0.0)}, ldexp(real(1.0), -100));
    EXPECT_LE(abs(rough.r.numbers().front() + by_mpfr("0.1", 500)), rough.error);
    EXPECT_LE(rough.error, ldexp(real(1.0), -100));
}

TEST(exact_entries_test, are_inspected_exactly)
{
    linear_system a = row_of({"0.4", "0.1", "0.3", "1", "0.1", "0.5", "1e0", "0.30", "0.2"});
    a.rows = a.cols = 3;
    a.row_begin = {0, 3, 6, 9};
    a.column = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    EXPECT_FALSE(inspect(a).symmetric);

    a.exact = written({"0.4", "0.1", "0.3", "1e-1", "0.6", "0.5", "0.30", "0.50", "0.8"});
    const matrix_structure found = inspect(a);
    EXPECT_TRUE(found.symmetric);
    EXPECT_TRUE(found.diagonally_dominant) << "0.4 = 0.1 + 0.3";
}

template <class T>
class rounded_entries_test : public testing::Test {};
using expansions = testing::Types<double, expansion<double, 2>, expansion<double, 3>, expansion<double, 4>>;
TYPED_TEST_SUITE(rounded_entries_test, expansions);

/// Among them are those whose terms lie far apart, and those at or beside the middle of two expansions.
TYPED_TEST(rounded_entries_test, are_those_of_a_long_reading)
{
    constexpr int terms = number_traits<TypeParam>::terms;
    std::vector<std::string> decimals{"0.1", "-0.3", "1e-320", "0", "1.5"};
    for (const int zeros : {20, 40, 60, 80, 200, 300}) {
        decimals.push_back("1." + std::string(static_cast<std::size_t>(zeros), '0') + "1");
        decimals.push_back("0.1" + std::string(static_cast<std::size_t>(zeros), '0') + "7");
    }
    for (const int below : {-400, -200, -120, -70, 0}) {
        for (const double half : {1.0, -0.5, -1.0}) {  // of the last place beside 1, and of that below it
            real middle(1.0, 1000);
            middle += ldexp(real(half), -53 * terms);
            for (const double sign : {-1.0, 1.0}) {
                real beside = middle;
                beside += ldexp(real(sign), below == 0 ? -900 : below - 53 * terms);
                decimals.push_back(to_string(below == 0 ? middle : beside, 700));
                decimals.push_back("-" + decimals.back());
            }
        }
    }
    std::mt19937_64 random(7);
    for (int k = 0; k < support::scaled(2000); ++k) {
        decimals.push_back(random_decimal(random));
    }
    const exact_entries entries = written(decimals);
    const host_space<TypeParam> space{};
    real room;
    for (std::size_t k = 0; k < decimals.size(); ++k) {
        const TypeParam found = exact_entry(space, entries, k, room);
        const TypeParam wanted = space.make_scalar(entries.at(k, 4000));
        for (int t = 0; t < terms; ++t) {
            EXPECT_EQ(term(found, t), term(wanted, t)) << decimals[k];
        }
    }
}
