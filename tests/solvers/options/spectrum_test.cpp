// What cg and minres learn of a spectrum.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/methods/minres.hpp>
#include <residua/solvers/options/spectrum.hpp>

#include "tests/support/krylov.hpp"

using namespace residua;
using namespace residua::support;

namespace {

io::coo<double> diagonal(const std::vector<double>& values)
{
    std::vector<std::vector<double>> rows(values.size(), std::vector<double>(values.size(), 0.0));
    for (std::size_t i = 0; i < values.size(); ++i) {
        rows[i][i] = values[i];
    }
    return from_rows(rows);
}

seen_spectrum seen_by_cg(const io::coo<double>& a, long bits, double tolerance)
{
    const real_space space{bits};
    std::vector<real> x = space.make_vector(a.rows);
    const std::vector<real> b(static_cast<std::size_t>(a.rows), real(1.0, bits));
    cg_workspace<real_space> work(space, a.rows);
    return cg(space, real_matrix{a}, real_identity{}, b, x, rule(tolerance), work).spectrum;
}

seen_spectrum seen_by_minres(const io::coo<double>& a, long bits, double tolerance)
{
    const real_space space{bits};
    std::vector<real> x = space.make_vector(a.rows);
    std::vector<real> b(static_cast<std::size_t>(a.rows), real(1.0, bits));
    b[0] = real(2.0, bits);
    minres_workspace<real_space> work(space, a.rows);
    return minres(space, real_matrix{a}, real_identity{}, b, x, rule(tolerance), work).spectrum;
}

void expect_ends(const std::optional<spectrum_ends>& ends, double smallest, double largest)
{
    ASSERT_TRUE(ends.has_value());
    EXPECT_NEAR(ends->smallest / smallest, 1.0, 0x1p-9);
    EXPECT_NEAR(ends->largest / largest, 1.0, 0x1p-9);
}

}  // namespace

TEST(spectrum_test, of_one_step_and_of_two)
{
    seen_spectrum seen;
    EXPECT_FALSE(seen.ends().has_value());
    seen.add_direction(7.0);  // of no step before it
    seen.add_step(0.25);
    expect_ends(seen.ends(), 4.0, 4.0);
    seen.add_direction(0.5);
    seen.add_step(2.0);
    // T = [[4, sqrt(2) 2], [., 2 + 1/2]]: trace 6.5, determinant 2
    expect_ends(seen.ends(), (6.5 - std::sqrt(6.5 * 6.5 - 8.0)) / 2.0, (6.5 + std::sqrt(6.5 * 6.5 - 8.0)) / 2.0);
}

TEST(spectrum_test, of_cg_are_the_eigenvalues_however_far_apart)
{
    expect_ends(seen_by_cg(diagonal({3.0, 7.0, 0.5, 11.0}), 300, 1e-60).ends(), 0.5, 11.0);
    expect_ends(seen_by_cg(diagonal({1.0, 1e-30, 1e-10}), 600, 1e-80).ends(), 1e-30, 1.0);
    expect_ends(seen_by_cg(diagonal({1e40, 1.0, 1e-80, 1e-50}), 2000, 1e-250).ends(), 1e-80, 1e40);
}

TEST(spectrum_test, lies_within_the_one_there_is)
{
    const io::coo<double> a = poisson_1d(40);
    const double most = 2.0 + 2.0 * std::cos(M_PI / 41.0);
    const double least = 2.0 - 2.0 * std::cos(M_PI / 41.0);
    for (const double tolerance : {0.5, 1e-2, 1e-12, 1e-40}) {
        for (const long bits : {53L, 300L}) {
            for (const seen_spectrum& seen :
                 {seen_by_cg(a, bits, tolerance), seen_by_minres(a, bits, std::max(tolerance, 1e-12))}) {
                const auto ends = seen.ends();
                ASSERT_TRUE(ends.has_value());
                EXPECT_GE(ends->smallest, least * (1.0 - 0x1p-9)) << tolerance << " " << bits;
                EXPECT_LE(ends->largest, most * (1.0 + 0x1p-9)) << tolerance << " " << bits;
            }
        }
    }
    // b = ones has every second eigenvector in it, those of both ends nearly among them
    const auto all = seen_by_cg(a, 300, 1e-40).ends();
    EXPECT_NEAR(all->smallest / least, 1.0, 1e-2);
    EXPECT_NEAR(all->largest / most, 1.0, 1e-2);
}

TEST(spectrum_test, of_minres_is_that_of_an_indefinite_matrix_by_size)
{
    const auto ends = seen_by_minres(diagonal({-8.0, 4.0, -1.0, 2.0, 0.25}), 400, 1e-60).ends();

    ASSERT_TRUE(ends.has_value());
    EXPECT_GE(ends->smallest, 0.25);
    EXPECT_LE(ends->largest, 8.0);
    EXPECT_GT(ends->largest / ends->smallest, 8.0);  // of 32
}

TEST(spectrum_test, is_not_told_beyond_the_range_of_binary64)
{
    for (const double bad : {0.0, std::numeric_limits<double>::infinity(), std::nan(""), -1.0}) {
        seen_spectrum seen;
        seen.add_step(1.0);
        seen.add_direction(1.0);
        seen.add_step(bad);
        EXPECT_FALSE(seen.ends().has_value()) << bad;
    }
    seen_spectrum zero;
    zero.add_pivot(1.0);
    zero.add_pivot(0.0);
    EXPECT_FALSE(zero.ends().has_value());
}
