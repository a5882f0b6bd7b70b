// Definiteness is claimed where it is proved, and nowhere else.
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/session/analyze.hpp>
#include <residua/solvers/session/definiteness.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// The Laplacian of a ring of n points, singular with the vector of ones, plus `shift` on the diagonal.
linear_system ring(index_t n, const real& shift)
{
    io::coo<real> a{n, n, {}, {}, {}};
    for (index_t i = 0; i < n; ++i) {
        std::vector<real> row(static_cast<std::size_t>(n), real(0.0, 600));
        row[static_cast<std::size_t>(i)] = real(2.0, 600) + shift;
        row[static_cast<std::size_t>((i + 1) % n)] -= real(1.0, 600);
        row[static_cast<std::size_t>((i + n - 1) % n)] -= real(1.0, 600);
        for (index_t j = 0; j < n; ++j) {
            if (!is_zero(row[static_cast<std::size_t>(j)])) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(row[static_cast<std::size_t>(j)]);
            }
        }
    }
    return make_system(a, std::vector<real>(static_cast<std::size_t>(n)));
}

std::optional<bool> definite(const linear_system& system)
{
    const matrix_structure structure = inspect(system);
    return is_positive_definite(structure, scale(system, structure.symmetric));
}

}  // namespace

TEST(definiteness_test, a_singular_matrix_is_not_called_definite)
{
    for (const index_t n : {3, 4, 5, 8, 30, 100}) {
        EXPECT_FALSE(definite(ring(n, real(0.0))).has_value()) << n;
    }
}

TEST(definiteness_test, what_is_a_little_above_or_below_is_decided)
{
    for (const index_t n : {3, 10, 60}) {
        for (const long e : {-1L, -30L, -60L, -200L, -350L}) {
            EXPECT_EQ(definite(ring(n, ldexp(real(1.0), e))), std::optional(true)) << n << " 2^" << e;
            EXPECT_EQ(definite(ring(n, -ldexp(real(1.0), e))), std::optional(false)) << n << " -2^" << e;
        }
        EXPECT_FALSE(definite(ring(n, ldexp(real(1.0), -500))).has_value());
    }
}

TEST(definiteness_test, the_range_of_binary64_does_not_matter)
{
    // D [2 1; 1 2] D and D [1 2; 2 1] D with D = diag(1, 2^-750)
    const auto of = [](double diagonal, double other) {
        io::coo<real> a{2, 2, {0, 0, 1, 1}, {0, 1, 0, 1}, {}};
        a.value = {real(diagonal), ldexp(real(other), -750), ldexp(real(other), -750), ldexp(real(diagonal), -1500)};
        return make_system(a, std::vector<real>(2));
    };
    EXPECT_EQ(definite(of(2.0, 1.0)), std::optional(true));
    EXPECT_EQ(definite(of(1.0, 2.0)), std::optional(false));
    EXPECT_EQ(analyze(of(2.0, 1.0)).positive_definite, std::optional(true));
}

TEST(definiteness_test, what_needs_no_factorisation)
{
    EXPECT_EQ(definite(system_of(from_rows({{1, 2}, {3, 4}}))), std::optional(false));
    EXPECT_EQ(definite(system_of(from_rows({{0, 1}, {1, 5}}))), std::optional(false));
    EXPECT_EQ(definite(system_of(from_rows({{3}}))), std::optional(true));
}
