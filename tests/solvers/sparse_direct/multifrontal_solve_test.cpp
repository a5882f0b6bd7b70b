// Solves of sparse factors with several right-hand sides: each has the bits that it has alone, by any number of threads and
// in concurrent calls.
#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <omp.h>

#include "tests/solvers/sparse_direct/matrices.hpp"
#include "tests/solvers/sparse_direct/multifrontal.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// Restores the number of threads at the end of a test.
struct threads_kept {
    int before = omp_get_max_threads();
    ~threads_kept() { omp_set_num_threads(before); }
};

template <class Kind>
struct several_of : multifrontal_of<Kind> {
    using base = multifrontal_of<Kind>;
    using vector = typename base::vector;
    using factors_of = typename base::factors_of;
    using numbers = std::vector<std::vector<real>>;

    /// Numbers of full precision and of different sizes.
    numbers columns(index_t n, std::size_t count)
    {
        numbers b(count);
        for (std::size_t c = 0; c < count; ++c) {
            for (const real& x : this->integers(n)) {
                b[c].push_back(ldexp(x, static_cast<long>(c % 5) - 2) / real(7.0 + static_cast<double>(c), base::most));
            }
        }
        return b;
    }

    numbers solve_together(const factors_of& f, const numbers& b, bool transposed) const
    {
        std::vector<vector> x;
        residua::columns<typename base::solve_space> all;
        for (const std::vector<real>& each : b) {
            x.push_back(this->in_solves.make_vector(static_cast<index_t>(each.size())));
            for (std::size_t i = 0; i < each.size(); ++i) {
                x.back().set(static_cast<index_t>(i), this->in_solves.make_scalar(each[i]));
            }
        }
        std::transform(x.begin(), x.end(), std::back_inserter(all), [](vector& each) { return &each; });
        f.factors->solve(all, transposed);
        numbers result(b.size());
        for (std::size_t c = 0; c < b.size(); ++c) {
            for (std::size_t i = 0; i < b[c].size(); ++i) {
                result[c].push_back(to_real(x[c].get(static_cast<index_t>(i))).with_precision(base::most));
            }
        }
        return result;
    }

    /// So many together as each alone, and A x = b for them.
    void expect_as_alone(const factors_of& f, const std::vector<std::size_t>& counts, double growth = 1.0)
    {
        ASSERT_EQ(f->failure(), "");
        this->expect_solves(f, growth);
        const numbers b = columns(f.m.rows, *std::max_element(counts.begin(), counts.end()));
        for (const bool transposed : {false, true}) {
            numbers alone;
            for (const std::vector<real>& each : b) {
                alone.push_back(this->solve(f, each, transposed));
            }
            for (const std::size_t count : counts) {
                const auto end = static_cast<std::ptrdiff_t>(count);
                EXPECT_EQ(solve_together(f, numbers(b.begin(), b.begin() + end), transposed),
                          numbers(alone.begin(), alone.begin() + end))
                    << count << " together, " << (transposed ? "transposed" : "not transposed");
            }
        }
    }

    factors_of factorize_ldl(const sparse_matrix& a) const
    {
        return this->factorize(taken_as_it_is(a), analyze_for_factors(a, factor_kind::ldl));
    }

    /// Fronts of one pivot each, of which many have none.
    factors_of factorize_waiting(const sparse_matrix& a) const
    {
        return this->factorize(taken_as_it_is(a),
                               analysis_by_diagonal(a, find_order(pattern_of(a), ordering::minimum_degree), true));
    }
};

TYPED_TEST_SUITE(several_of, kinds);

const std::vector<std::size_t> few{0, 1, 2, 3, 5};
const std::vector<std::size_t> many{1, 7, 8, 9, 16, 17, 35};

}  // namespace

TYPED_TEST(several_of, grids)
{
    const std::int32_t side = TestFixture::bits > 53 ? 9 : 17;
    this->expect_as_alone(this->factorize(grid(side, side + 2), true), many);
    this->expect_as_alone(this->factorize(grid(side, side + 2, 1, 3.0)), many, 10.0);
    this->expect_as_alone(this->factorize_ldl(grid(side, side + 2)), few);
    this->expect_as_alone(this->factorize(grid(5, 6, 5, 0.5)), few, 10.0);
}

TYPED_TEST(several_of, pivots_that_wait)
{
    index_t delayed = 0, without = 0;
    for (const std::uint32_t seed : {671, 672, 673, 674}) {
        const sparse_matrix a = with_zeros(40, seed);
        if (!analyze_for_factors(a, factor_kind::lu).failure.empty()) {
            continue;
        }
        const auto f = this->factorize_waiting(a);
        if (f->failure().empty()) {
            this->expect_as_alone(f, few, 1e4);
            delayed += f->delayed();
            for (index_t k = 0; k < f->fronts(); ++k) {
                without += f->factors_of(k).pivots == 0 ? 1 : 0;
            }
        }
    }
    EXPECT_GT(delayed, 20);
    EXPECT_GT(without, 5);
}

TYPED_TEST(several_of, pivots_of_one_and_two_columns)
{
    sparse_matrix a = grid(9, 8);
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            a.values.own()[p] = a.column[p] == i && i % 2 == 0 ? 0.0 : a.values[p];
        }
    }
    this->expect_as_alone(this->factorize_ldl(a), many, 1e3);
}

TYPED_TEST(several_of, special_trees)
{
    this->expect_as_alone(this->factorize({.rows = 0, .cols = 0, .row_begin = {0}, .column = {}, .values = {}}), few);
    for (const bool symmetric : {false, true}) {
        this->expect_as_alone(this->factorize(diagonal(1), symmetric), few);
        this->expect_as_alone(this->factorize(diagonal(33), symmetric), many);
        this->expect_as_alone(this->factorize(bordered_blocks(1, 23, 0, symmetric, this->random), symmetric), many,
                              4.0);
        this->expect_as_alone(this->factorize(bordered_blocks(6, 5, 3, symmetric, this->random), symmetric), few, 4.0);
    }
}

// The columns of a front go in steps, and its rows in pieces.
TYPED_TEST(several_of, large_fronts)
{
    const std::size_t size = TestFixture::bits > 500 ? 131 : TestFixture::bits > 53 ? 150 : 300;
    const std::size_t border = TestFixture::bits > 53 ? 21 : 220;
    for (const bool symmetric : {true, false}) {
        const sparse_matrix a = bordered_blocks(TestFixture::bits > 500 ? 1 : 2, size, border, symmetric, this->random);
        this->expect_as_alone(this->factorize(a, symmetric), {2, TestFixture::bits > 53 ? 3U : 19U}, 4.0);
    }
}

TYPED_TEST(several_of, threads_change_no_bit)
{
    const threads_kept keep;
    const std::int32_t side = TestFixture::bits > 500 ? 13 : TestFixture::bits > 53 ? 24 : 60;
    const sparse_matrix wind = grid(side, side, 1, 3.0), waiting = rows_of(any_matrix(104, 0.02, 671));
    const auto b = this->columns(wind.rows, 3), c = this->columns(waiting.n, 3);
    std::vector<std::vector<std::vector<real>>> expected;
    for (const int made_by : {1, 5}) {
        omp_set_num_threads(made_by);
        const auto lu = this->factorize(wind), cholesky = this->factorize(grid(side, side), true),
                   ldl = this->factorize_ldl(grid(side, side)), delaying = this->factorize_waiting(waiting);
        ASSERT_EQ(lu->failure() + cholesky->failure() + ldl->failure() + delaying->failure(), "");
        for (const int threads : {1, 2, 5, 16}) {
            omp_set_num_threads(threads);
            const std::vector<std::vector<std::vector<real>>> found{
                this->solve_together(lu, b, false),       this->solve_together(lu, b, true),
                this->solve_together(cholesky, b, false), this->solve_together(ldl, b, false),
                this->solve_together(delaying, c, false), this->solve_together(delaying, c, true),
                {this->solve(lu, b[0], false)},           {this->solve(cholesky, b[0], true)}};
            expected = expected.empty() ? found : expected;
            EXPECT_EQ(found, expected) << "made by " << made_by << ", solved by " << threads << " threads";
        }
    }
}

TYPED_TEST(several_of, calls_at_the_same_time)
{
    const threads_kept keep;
    omp_set_num_threads(2);
    const auto f = this->factorize(grid(12, 13, 1, 0.5));
    ASSERT_EQ(f->failure(), "");
    const auto b = this->columns(f.m.rows, 8);
    const auto expected = this->solve_together(f, b, false), expected_transposed = this->solve_together(f, b, true);
    std::vector<std::vector<real>> found(4);
    std::vector<std::vector<std::vector<real>>> together(2);
    std::vector<std::thread> callers;
    for (std::size_t k = 0; k < found.size(); ++k) {
        callers.emplace_back([&, k] { found[k] = this->solve(f, b[k], k % 2 == 1); });
    }
    for (std::size_t k = 0; k < together.size(); ++k) {
        callers.emplace_back([&, k] { together[k] = this->solve_together(f, b, k == 1); });
    }
    for (std::thread& each : callers) {
        each.join();
    }
    for (std::size_t k = 0; k < found.size(); ++k) {
        EXPECT_EQ(found[k], (k % 2 == 1 ? expected_transposed : expected)[k]);
    }
    EXPECT_EQ(together[0], expected);
    EXPECT_EQ(together[1], expected_transposed);
}
