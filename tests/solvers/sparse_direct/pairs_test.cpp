// L U of the real forms of complex matrices in pairs, by fronts: determinants of the complex matrices in exact rational arithmetic.
#include <cmath>
#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <omp.h>

#include "tests/solvers/sparse_direct/multifrontal.hpp"
#include "tests/support/complex_matrices.hpp"
#include "tests/support/complex_symmetric.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using z = std::complex<double>;
using numbers_at = std::map<std::pair<index_t, index_t>, z>;

linear_system form_of(index_t n, const numbers_at& entries)
{
    io::coo<double> re{n, n, {}, {}, {}};
    std::vector<double> im;
    for (const auto& [at, number] : entries) {
        re.row.push_back(at.first);
        re.col.push_back(at.second);
        re.value.push_back(number.real());
        im.push_back(number.imag());
    }
    linear_system made = make_system(real_form(re, im, [](double x) { return x == 0.0; }), {});
    made.complex = true;
    return made;
}

/// A permuted diagonal and others; numbers of one part, of both, and, if they are small, of -1, 0 and 1, whose sums cancel. Rows and
/// columns have units that differ by up to 2^range.
numbers_at any_complex(index_t n, double share, bool small, int range, unsigned seed)
{
    any_numbers random(seed);
    const auto part = [&] { return small ? static_cast<double>(random.below(3)) - 1.0 : random.number(); };
    numbers_at entries;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            if (random.chance(share) || j == (i * 7 + seed) % n) {
                const double first = part(), second = part();
                const z number = random.chance(0.3)   ? z(first, 0.0)
                                 : random.chance(0.4) ? z(0.0, first)
                                                      : z(first, second);
                entries[{i, j}] = number == 0.0 ? z(0.0, 1.0) : number;
            }
        }
    }
    std::vector<int> row_unit, column_unit;
    for (index_t i = 0; i < n; ++i) {
        row_unit.push_back(static_cast<int>(random.number() * range));
        column_unit.push_back(static_cast<int>(random.number() * range));
    }
    for (auto& [at, number] : entries) {
        number *= std::ldexp(
            1.0, row_unit[static_cast<std::size_t>(at.first)] + column_unit[static_cast<std::size_t>(at.second)]);
    }
    return entries;
}

/// No matching, no scaling, and a front for each complex pivot, in their order: many pivots have to wait.
sparse_analysis pairs_by_diagonal(index_t n, const numbers_at& entries)
{
    sparse_matrix sizes{.rows = n, .cols = n};
    std::vector<index_t> row_begin(static_cast<std::size_t>(n) + 1, 0);
    for (const auto& [at, number] : entries) {
        ++row_begin[static_cast<std::size_t>(at.first) + 1];
        sizes.column.push_back(static_cast<std::int32_t>(at.second));
        sizes.values.push_back(std::abs(number));
    }
    std::partial_sum(row_begin.begin(), row_begin.end(), row_begin.begin());
    sizes.row_begin = std::move(row_begin);
    std::vector<std::int32_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    sparse_analysis analysis = analysis_by_diagonal(sizes, order, true);
    assembly_tree& tree = analysis.tree;
    for (auto* numbers : {&analysis.row_of_column, &tree.unknown, &tree.below_rows}) {
        const std::vector<std::int32_t> single = std::exchange(*numbers, {});
        for (const std::int32_t k : single) {
            numbers->insert(numbers->end(), {2 * k, 2 * k + 1});
        }
    }
    for (auto* places : {&tree.first_pivot, &tree.below_begin}) {
        for (index_t& place : *places) {
            place *= 2;
        }
    }
    tree.n *= 2;
    analysis.row_exponent.resize(static_cast<std::size_t>(2 * n));
    analysis.column_exponent.resize(static_cast<std::size_t>(2 * n));
    analysis.in_pairs = true;
    return analysis;
}

template <class Kind>
struct pairs : multifrontal_of<Kind> {
    using base = multifrontal_of<Kind>;
    using factors_of = typename base::factors_of;

    factors_of factorize_in_pairs(const linear_system& a) const
    {
        return base::factorize(taken_as_it_is(a), analyze_in_pairs(a));
    }

    /// Pivots k and k + 1 of a front, of k = 0, 2, ..., belong to one complex row and one complex column.
    static void expect_pairs(const factors_of& f)
    {
        const auto& unknown = f.analysis->tree.unknown;
        for (index_t i = 0; i < f->fronts(); ++i) {
            const auto front = f->factors_of(i);
            ASSERT_EQ(front.pivots % 2, 0);
            for (std::size_t k = 0; k < front.row.size(); k += 2) {
                const auto row = [&](std::size_t at) { return f.analysis->row_of_column[unknown[front.row[at]]]; };
                EXPECT_EQ(row(k) ^ 1, row(k + 1));
                EXPECT_EQ(unknown[front.column[k]] + 1, unknown[front.column[k + 1]]);
                EXPECT_EQ(unknown[front.column[k]] % 2, 0);
            }
        }
    }

    /// The factors solve, and their determinant is within the condition times a few roundings of the exact one, as a complex number.
    factors_of expect_good(const linear_system& a, double growth)
    {
        return expect_good(a, analyze_in_pairs(a), growth);
    }
    factors_of expect_good(const linear_system& a, sparse_analysis analysis, double growth)
    {
        factors_of f = base::factorize(taken_as_it_is(a), std::move(analysis));
        EXPECT_TRUE(f.analysis->in_pairs);
        this->expect_solves(f, growth);
        if (!f->failure().empty()) {
            return f;
        }
        expect_pairs(f);
        const auto [re, im] = complex_determinant(rationals(a));
        const complex_number<real> exact(to_real(re, 2 * base::bits + 900), to_real(im, 2 * base::bits + 900));
        const std::optional<complex_number<real>> found = f->find_complex_determinant();
        EXPECT_TRUE(found.has_value());
        if (found) {
            const eigen_matrix scaled = base::scaled(f);
            const real condition = base::norm(scaled) * base::norm(eigen_matrix(scaled.partialPivLu().inverse()));
            const real error = abs(*found - exact) / abs(exact);
            const real allowed = ldexp(condition * real(static_cast<double>(a.rows) * base::operation()), -base::bits);
            EXPECT_LE(error, allowed) << to_double(ldexp(error, base::bits)) << " units, condition "
                                      << to_double(condition);
            const real of_form = abs(*f->find_determinant() / norm(exact) - real(1.0));
            EXPECT_LE(of_form, ldexp(allowed, 2));
            worst_determinant = std::max(worst_determinant, to_double((error / allowed).with_precision(64)));
        }
        return f;
    }

    double worst_determinant = 0.0;  ///< error, as a share of what is allowed
    void TearDown() override
    {
        base::TearDown();
        this->RecordProperty("worst_determinant", std::to_string(worst_determinant));
    }
};
TYPED_TEST_SUITE(pairs, kinds);

}  // namespace

TYPED_TEST(pairs, numbers_that_can_be_checked_by_hand)
{
    // det [0, 2i, 0; 1 + i, 1, 3; 0, 0, 4 - i] = -2i (1 + i) (4 - i) = 6 - 10i
    const linear_system a =
        form_of(3, {{{0, 1}, {0.0, 2.0}}, {{1, 0}, {1.0, 1.0}}, {{1, 1}, 1.0}, {{1, 2}, 3.0}, {{2, 2}, {4.0, -1.0}}});
    const auto f = this->expect_good(a, 8.0);
    const complex_number<real> found = *f->find_complex_determinant();
    EXPECT_LE(abs(found.real() - real(6.0)), ldexp(real(200.0), -TestFixture::bits));
    EXPECT_LE(abs(found.imag() + real(10.0)), ldexp(real(200.0), -TestFixture::bits));
}

TYPED_TEST(pairs, one_number)
{
    for (const z number : {z(0.0, 3.0), z(-2.0, 0.0), z(-0x1p-30, 1.0), z(3.0, -4.0), z(4.0, 3.0)}) {
        const auto f = this->expect_good(form_of(1, {{{0, 0}, number}}), 4.0);
        const complex_number<real> found = *f->find_complex_determinant();
        EXPECT_LE(abs(found.real() - real(number.real())), ldexp(real(20.0), -TestFixture::bits));
        EXPECT_LE(abs(found.imag() - real(number.imag())), ldexp(real(20.0), -TestFixture::bits));
    }
}

TYPED_TEST(pairs, any_matrices)
{
    index_t delayed = 0, singular = 0;
    for (unsigned seed = 1; seed <= 30; ++seed) {
        const index_t n = 1 + static_cast<index_t>(seed * 37 % 18);
        const double share = seed % 3 == 0 ? 0.05 : seed % 3 == 1 ? 0.15 : 0.5;
        const int range = seed % 5 == 0 ? 40 : 0;
        const numbers_at entries = any_complex(n, share, seed % 2 == 0, range, seed);
        const linear_system a = form_of(n, entries);
        if (const auto [re, im] = complex_determinant(rationals(a)); re == 0 && im == 0) {
            ++singular;
            continue;
        }
        this->expect_good(a, 1000.0);
        if (range == 0) {
            delayed += this->expect_good(a, pairs_by_diagonal(n, entries), 1000.0)->delayed();
        }
        ASSERT_FALSE(this->HasFailure()) << "seed " << seed;
    }
    EXPECT_GT(delayed, 100);
    EXPECT_LT(singular, 12);
}

TYPED_TEST(pairs, grids)
{
    EXPECT_EQ(this->expect_good(absorbing_grid(5, 4, 0.75).form(), 50.0)->delayed(), 0);
    this->expect_good(imaginary_grid(5, 4, 0x1p-20).form(), 50.0);
    this->expect_good(mixed_grid(5, 4, 0.5, 1).form(), 50.0);
    const linear_system large = absorbing_grid(30, 25, 0.9).form();  // many fronts, and of many columns
    const auto f = this->factorize_in_pairs(large);
    this->expect_solves(f, 100.0);
    this->expect_pairs(f);
    const complex_number<real> found = *f->find_complex_determinant();
    EXPECT_LE(abs(norm(found) / *f->find_determinant() - real(1.0)), ldexp(real(1e7), -TestFixture::bits));
}

TYPED_TEST(pairs, a_matrix_of_lower_rank_has_none)
{
    const linear_system a =
        form_of(3, {{{0, 0}, 1.0}, {{0, 1}, {0.0, 1.0}}, {{1, 0}, {0.0, 1.0}}, {{1, 1}, -1.0}, {{2, 2}, {1.0, 1.0}}});
    const auto f = this->factorize_in_pairs(a);
    EXPECT_NE(f->failure().find("no usable pivot in column"), std::string::npos) << f->failure();
    EXPECT_FALSE(f->find_complex_determinant().has_value());
    const linear_system empty = form_of(2, {{{0, 0}, 1.0}, {{1, 0}, 1.0}});
    EXPECT_NE(this->factorize_in_pairs(empty)->failure().find("structurally singular"), std::string::npos);
    const linear_system usual = absorbing_grid(3, 3, 0.75).form();
    const auto alone = this->factorize(taken_as_it_is(usual), analyze_for_factors(usual, factor_kind::lu));
    EXPECT_FALSE(alone->find_complex_determinant().has_value());
}

TYPED_TEST(pairs, has_the_same_bits_with_any_number_of_threads_and_keeps_pairs_in_odd_panels)
{
    const linear_system a = absorbing_grid(20, 20, 0.7).form();
    const auto analysis = std::make_shared<const sparse_analysis>(analyze_in_pairs(a));
    const int before = omp_get_max_threads();
    std::vector<complex_number<real>> found;
    for (const index_t panel : {0, 7}) {
        for (const int threads : {1, 4}) {
            omp_set_num_threads(threads);
            const multifrontal<typename TestFixture::space> f(this->on, analysis, a, {}, {.panel = panel});
            ASSERT_EQ(f.failure(), "");
            found.push_back(*f.find_complex_determinant());
        }
    }
    omp_set_num_threads(before);
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(found[2], found[3]);
    EXPECT_LE(abs(found[2] / found[0] - complex_number<real>(real(1.0))), ldexp(real(1e7), -TestFixture::bits));
}
