// The rank and the null space of matrices of any shape, against exact rational arithmetic.
#include <residua/solvers/solver.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tests/support/rational_matrix.hpp>

namespace residua {
namespace {

using namespace residua::support;

/// The orthogonal projector onto the null space: I - F'(F F')^-1 F with F the independent rows of the reduced form of A.
rational_matrix projector_onto_null_space(rational_matrix a)
{
    const std::size_t n = a.front().size();
    a.resize(reduce(a).size());
    rational_matrix p(n, rational_vector(n));
    if (!a.empty()) {
        p = product(transposed(a), solved(product(a, transposed(a)), a));
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            p[i][j] = (i == j ? 1 : 0) - p[i][j];
        }
    }
    return p;
}

/// || V V' - P ||_max
double distance(const std::vector<std::vector<real>>& vectors, const rational_matrix& projector)
{
    constexpr long bits = 2000;
    real largest(0.0, bits);
    for (std::size_t i = 0; i < projector.size(); ++i) {
        for (std::size_t j = 0; j < projector.size(); ++j) {
            real sum = -to_real(projector[i][j], bits);
            for (const std::vector<real>& v : vectors) {
                sum = sum + v[i].with_precision(bits) * v[j].with_precision(bits);
            }
            largest = max(largest, abs(sum));
        }
    }
    return to_double(largest);
}

void expect_null_space(const rational_matrix& a, int digits, const std::string& what)
{
    rational_matrix reduced = a;
    const std::size_t rank = reduce(reduced).size();
    const std::size_t nullity = a.front().size() - rank;
    solver by(system_of(a, {}), {.digits = digits});
    const std::optional<rank_estimate> found = by.rank();
    ASSERT_TRUE(found) << what;
    EXPECT_EQ(found->rank, static_cast<index_t>(rank)) << what;
    EXPECT_EQ(found->nullity, static_cast<index_t>(nullity)) << what;
    const std::optional<null_space_basis> basis = by.null_space();
    ASSERT_TRUE(basis) << what;
    ASSERT_EQ(basis->vectors.size(), nullity) << what;
    EXPECT_GE(basis->digits, digits) << what;
    EXPECT_LE(distance(basis->vectors, projector_onto_null_space(a)), 2.0 * std::pow(10.0, -basis->digits)) << what;
}

TEST(null_space_test, a_matrix_that_can_be_checked_by_hand)
{
    solver by(system_of({{1, 2, 2}, {2, 4, 4}}, {}), {.digits = 20});
    ASSERT_TRUE(by.rank());
    EXPECT_EQ(by.rank()->rank, 1);
    EXPECT_EQ(by.rank()->nullity, 2);
    EXPECT_EQ(by.rank()->source, rank_source::two_primes);
    const std::optional<null_space_basis> basis = by.null_space();
    ASSERT_TRUE(basis);
    ASSERT_EQ(basis->vectors.size(), 2U);
    for (const std::vector<real>& v : basis->vectors) {
        EXPECT_LT(abs(v[0] + real(2.0) * v[1] + real(2.0) * v[2]), real(1e-20));
    }
}

TEST(null_space_test, random_matrices_of_any_shape_and_rank)
{
    random_integers random{{11}};
    for (int k = 0; k < 200; ++k) {
        const auto m = static_cast<std::size_t>(1 + random.below(8));
        const auto n = random.below(2) == 0 ? m : static_cast<std::size_t>(1 + random.below(8));
        const auto rank = static_cast<std::size_t>(random.below(static_cast<int>(std::min(m, n)) + 1));
        const int zeros = random.below(8);
        rational_matrix a = product(random.matrix(m, rank, 5, zeros), random.matrix(rank, n, 5, zeros));
        if (rank == 0) {
            a.assign(m, rational_vector(n));
        }
        expect_null_space(a, 10 + random.below(40), "number " + std::to_string(k));
    }
}

TEST(null_space_test, a_part_of_a_large_condition_gets_the_digits)
{
    const mpz_class large = 1 << 25;  // the part [1 L; L L^2 - 1] has a condition of L^4
    expect_null_space({{1, large, large + 1}, {large, large * large - 1, large * large + large - 1}}, 40, "wide");
    expect_null_space({{1, large, large + 1, 3}, {0, 1, 1, 0}, {0, 2, 2, 0}, {1, large + 1, large + 2, 3}}, 40,
                      "square");
}

TEST(null_space_test, says_what_shows_the_rank)
{
    const auto source_of = [](const rational_matrix& a) { return solver(system_of(a, {})).rank()->source; };
    EXPECT_EQ(source_of(laplacian(5, {{0, 2}, {1, 3}, {3, 4}})), rank_source::structure);
    EXPECT_EQ(source_of({{1, 2}, {3, 4}}), rank_source::one_prime);
    EXPECT_EQ(source_of({{1, 2}, {0, 0}}), rank_source::one_prime);
    EXPECT_EQ(source_of({{1, 2}, {2, 4}}), rank_source::two_primes);
    EXPECT_EQ(source_of({{1, 2, 3}}), rank_source::one_prime);
    EXPECT_FALSE(solver(system_of({{1, 2}, {2, 4}}, {}), {.interrupted = [] { return true; }}).rank());
}

/// A of fractions that are rounded when they are read, as from Python
linear_system rounded_system_of(const rational_matrix& a)
{
    constexpr long bits = 8256;
    io::coo<real> entries{static_cast<index_t>(a.size()), static_cast<index_t>(a.front().size()), {}, {}, {}};
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a[i].size(); ++j) {
            entries.row.push_back(static_cast<index_t>(i));
            entries.col.push_back(static_cast<index_t>(j));
            entries.value.push_back(to_real(a[i][j], bits));
        }
    }
    linear_system system = make_system(entries, {});
    system.reading_error = ldexp(real(1.0), -bits);
    return system;
}

TEST(null_space_test, rounding_of_entries_shows_no_rank)
{
    const rational_matrix chain = {{mpq_class(6, 7), mpq_class(-2, 7), mpq_class(-4, 7)},
                                   {mpq_class(-1, 3), mpq_class(4, 9), mpq_class(-1, 9)},
                                   {mpq_class(-1, 5), mpq_class(-1, 11), mpq_class(16, 55)}};
    for (const rational_matrix& a :
         {chain, rational_matrix{{mpq_class(1, 7), 1}, {1, 7}}, rational_matrix{{mpq_class(1, 7), 1}, {1, 7}, {2, 14}},
          rational_matrix{{mpq_class(1, 7), 1, 3}, {1, 7, 21}},
          rational_matrix{{mpq_class(1, 7), 1, 3}, {1, 7, 20}, {2, 14, 41}}}) {
        rational_matrix reduced = a;
        solver by(rounded_system_of(a), {.digits = 20});
        const std::optional<rank_estimate> found = by.rank();
        EXPECT_TRUE(!found || found->rank == static_cast<index_t>(reduce(reduced).size()));
        EXPECT_EQ(by.null_space().has_value(), found.has_value());
        const solve_report report = by.solve(std::vector<real>(a.size(), real(1.0))).report;
        EXPECT_TRUE(!report.rank || *report.rank == static_cast<index_t>(reduced.size())) << report.message;
    }
    const auto rank_of = [](const rational_matrix& a) { return solver(rounded_system_of(a)).rank()->rank; };
    EXPECT_EQ(rank_of({{mpq_class(1, 3), 2}, {5, mpq_class(7, 11)}}), 2);
    EXPECT_EQ(rank_of({{mpq_class(1, 3), 2, 4}, {5, mpq_class(7, 11), 4}}), 2);
    EXPECT_EQ(rank_of({{mpq_class(1, 3), mpq_class(2, 3)}, {1, 2}}), 1);
}

TEST(null_space_test, components_of_a_laplacian_have_constant_vectors)
{
    const rational_matrix a = laplacian(7, {{0, 2}, {2, 5}, {1, 3}, {3, 4}, {4, 1}});
    expect_null_space(a, 50, "components");
    const std::optional<null_space_basis> basis = solver(system_of(a, {}), {.digits = 30}).null_space();
    ASSERT_TRUE(basis);
    ASSERT_EQ(basis->vectors.size(), 3U);
    EXPECT_EQ(basis->vectors[0][0], basis->vectors[0][5]);
    EXPECT_TRUE(is_zero(basis->vectors[0][1]));
    EXPECT_EQ(basis->vectors[2][6], real(1.0));
}

TEST(null_space_test, a_method_that_is_asked_for_is_for_solves_alone)
{
    const linear_system system = system_of({{1, 2, 1}, {2, 4, 1}, {3, 6, 2}}, {});
    const std::optional<null_space_basis> basis =
        solver(system, {.method = method::bicgstab, .preconditioner = preconditioner::none, .digits = 25}).null_space();
    ASSERT_TRUE(basis);
    EXPECT_EQ(basis->vectors.size(), 1U);
    EXPECT_GE(basis->digits, 25);
}

TEST(null_space_test, a_matrix_without_rows_has_all_vectors)
{
    linear_system empty;
    empty.cols = 2;
    empty.row_begin.push_back(0);
    solver by(std::move(empty));
    ASSERT_TRUE(by.null_space());
    EXPECT_EQ(by.null_space()->vectors.size(), 2U);
    EXPECT_EQ(by.rank()->rank, 0);
}

}  // namespace
}  // namespace residua
