// Partial eliminations against products of their factors in full, with exact products, with sums, and with columns that
// have no pivot.
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <omp.h>

#include "tests/solvers/dense_direct/block_elimination.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/stopping.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using kinds = testing::Types<kind<host_space<float>, 24>, kind<host_space<double>, 53>,
                             kind<host_space<expansion<double, 2>>, 106>, kind<host_space<expansion<double, 4>>, 212>,
                             kind<host_space<expansion<double, 8>>, 424>, kind<multidigit_space<host_executor>, 106>,
                             kind<multidigit_space<host_executor>, 300>, kind<multidigit_space<host_executor>, 1000>>;
TYPED_TEST_SUITE(block_elimination_of, kinds);

/// Restores the number of threads at the end of a test.
struct threads_kept {
    int before = omp_get_max_threads();
    ~threads_kept() { omp_set_num_threads(before); }
};

}  // namespace

TYPED_TEST(block_elimination_of, definite_matrices_leave_their_schur_complement)
{
    for (const auto& [m, k] : {std::pair<index_t, index_t>{1, 1}, {2, 1}, {9, 8}, {40, 7}, {45, 37}, {33, 33}}) {
        this->expect_cholesky(m, k);
    }
}

TYPED_TEST(block_elimination_of, indefinite_matrices_have_no_cholesky_factor)
{
    for (const index_t bad : {0, 7, 8, 20}) {
        rows a = this->any_definite(21);
        a[bad][bad] = -a[bad][bad];
        for (const index_t panel : {index_t{0}, index_t{4}}) {
            typename TestFixture::elimination e(this->on, {.panel = panel});
            auto l = this->block_of(a, 0, 0, 21, 21);
            EXPECT_FALSE(e.cholesky(l.view())) << bad;
        }
    }
    rows infinite = this->any_definite(3);
    auto l = this->block_of(infinite, 0, 0, 3, 3);
    l.set(1, 1, this->on.make_scalar(INFINITY));
    EXPECT_FALSE(typename TestFixture::elimination(this->on).cholesky(l.view()));
}

TYPED_TEST(block_elimination_of, lu_of_some_columns_leaves_the_schur_complement)
{
    for (const shape& s : {shape{1, 1, 1, 0}, shape{1, 1, 1, 3}, shape{5, 5, 5, 2}, shape{30, 9, 9, 11},
                           shape{50, 37, 37, 12}, shape{50, 20, 33, 12}, shape{20, 17, 20, 5}}) {
        const rows a = this->any(s.rows, s.columns + s.beyond);
        EXPECT_EQ(this->expect_lu(a, s, 0.0), s.columns);
        EXPECT_EQ(this->expect_lu(a, s, 1e-9), s.columns);
    }
}

TYPED_TEST(block_elimination_of, lu_moves_columns_without_a_pivot_behind)
{
    index_t delayed = 0;
    for (std::int64_t round = 0; round < scaled(12); ++round) {
        const shape s{44, 29, 29 + static_cast<index_t>(this->random() % 2) * 5, 9};
        rows a = this->any(s.rows, s.columns + s.beyond);
        for (index_t j = 0; j < s.columns; ++j) {
            if (this->random() % 4 == 0) {
                for (index_t i = s.candidates; i < s.rows; ++i) {
                    a[i][j] = ldexp(a[i][j], 20);
                }
            }
        }
        SCOPED_TRACE("round " + std::to_string(round));
        delayed += s.columns - this->expect_lu(a, s, 0.01);
    }
    EXPECT_GT(delayed, scaled(12));
}

TYPED_TEST(block_elimination_of, lu_takes_a_column_after_others_have_made_a_pivot_for_it)
{
    // column 0 has zeros in the candidates' rows but one, and huge entries below; a pivot comes with the last column
    const shape s{24, 18, 18, 3};
    rows a = this->any(s.rows, s.columns + s.beyond);
    for (index_t i = 0; i < s.rows; ++i) {
        a[i][0] = i < s.candidates ? real(0.0) : ldexp(a[i][0], 3);
        a[i][1] = i < s.candidates ? real(0.0) : a[i][1];
    }
    a[17][0] = real(1e-6);
    for (index_t i = 0; i < s.rows; ++i) {
        for (index_t j = 2; j < s.columns; ++j) {
            a[i][j] = i >= s.candidates && j + 1 == s.columns ? ldexp(a[i][j], 5) : a[i][j];
        }
    }
    const index_t found = this->expect_lu(a, s, 0.01);
    EXPECT_GE(found, 15);
    EXPECT_LT(found, 18);
}

TYPED_TEST(block_elimination_of, lu_comes_back_to_a_column_that_the_last_ones_help)
{
    // below the candidates column 0 has 161 times its largest entry, of which the last two columns take 160
    const shape s{18, 16, 16, 2};
    rows a(18, std::vector<real>(18, real(0.0)));
    for (index_t j = 0; j < 18; ++j) {
        a[j % 16][j] = real(1.0);
        a[(j + 3) % 16][j] += real(j > 0 && j < 14 ? 0.25 : 0.0);
    }
    a[14][0] = a[15][0] = real(1.0);
    a[0][0] = real(0.5);
    a[3][0] = real(0.0);
    a[16][0] = a[17][0] = real(161.0);
    a[16][14] = a[17][14] = a[16][15] = a[17][15] = real(80.0);
    EXPECT_EQ(this->expect_lu(a, s, 0.01), 16);
}

TYPED_TEST(block_elimination_of, lu_finds_no_pivot_at_all)
{
    const shape s{20, 12, 12, 4};
    rows a = this->any(s.rows, s.columns + s.beyond), zeros = a;
    for (index_t j = 0; j < s.columns; ++j) {
        for (index_t i = 0; i < s.rows; ++i) {
            a[i][j] = i < s.candidates ? a[i][j] : ldexp(real(1.0) + a[i][j], 40);
            zeros[i][j] = i < s.candidates ? real(0.0) : zeros[i][j];
        }
    }
    EXPECT_EQ(this->expect_lu(a, s, 0.01), 0);
    EXPECT_EQ(this->expect_lu(zeros, s, 0.01), 0);
    EXPECT_EQ(this->expect_lu(zeros, s, 0.0), 0);
}

TYPED_TEST(block_elimination_of, lu_of_equal_columns_stops_at_exact_zeros)
{
    const shape s{12, 12, 12, 2};
    rows a(12, std::vector<real>(14, real(0.0)));
    for (index_t i = 0; i < 12; ++i) {
        for (index_t j = 0; j < 14; ++j) {
            a[i][j] = real(i <= j % 6 ? 1.0 : 0.0);  // the rank is 6, all multipliers are integers
        }
    }
    EXPECT_EQ(this->expect_lu(a, s, 0.01), 6);
}

TYPED_TEST(block_elimination_of, bits_do_not_depend_on_the_threads)
{
    const threads_kept keep;
    const bool is_long = TestFixture::bits > 250;
    const shape s = is_long ? shape{90, 50, 50, 40} : shape{330, 170, 170, 140};
    rows a = this->any(s.rows, s.columns + s.beyond);
    for (index_t j = 0; j < s.columns; j += 5) {
        for (index_t i = s.candidates; i < s.rows; ++i) {
            a[i][j] = ldexp(a[i][j], 9);
        }
    }
    const rows definite = this->any_definite(s.rows);
    for (const index_t panel : {index_t{0}, index_t{8}}) {
        omp_set_num_threads(1);
        const auto one = this->run_lu(a, s, 0.01, panel);
        const auto cholesky = [&] {
            const blas::detail::single_threaded_blas one_thread;
            typename TestFixture::elimination e(this->on, {.panel = panel});
            const index_t k = s.columns, below = s.rows - k;
            std::pair x{this->block_of(definite, 0, 0, s.rows, k), this->block_of(definite, k, k, below, below)};
            EXPECT_TRUE(e.cholesky(x.first.view()));
            e.subtract_square(this->block_at(x.first.view(), k, 0, below, k), x.second.view());
            return x;
        };
        const auto definite_one = cholesky();
        for (const int threads : {2, 3, 7}) {
            omp_set_num_threads(threads);
            const auto many = this->run_lu(a, s, 0.01, panel);
            EXPECT_EQ(many.pivots.row_swap, one.pivots.row_swap);
            EXPECT_EQ(many.pivots.column, one.pivots.column);
            this->expect_same(many.a, one.a);
            this->expect_same(many.r, one.r);
            this->expect_same(many.c, one.c);
            const auto definite_many = cholesky();
            this->expect_same(definite_many.first, definite_one.first, true);
            this->expect_same(definite_many.second, definite_one.second, true);
        }
    }
}

TYPED_TEST(block_elimination_of, stops_when_asked)
{
    const rows a = this->any_definite(40);
    typename TestFixture::elimination e(this->on, {.panel = 4});
    const auto lu = [&] {
        auto l = this->block_of(a, 0, 0, 40, 40);
        e.lu(l.view(), 40, 0.0);
    };
    const auto cholesky = [&] {
        auto l = this->block_of(a, 0, 0, 40, 40);
        e.cholesky(l.view());
    };
    int full = 0;
    EXPECT_FALSE(is_stopped([&] { return ++full < 0; }, lu));
    EXPECT_GE(full, 40);
    for (const int last : {1, 2, full / 2}) {
        int asked = 0;
        EXPECT_TRUE(is_stopped([&] { return ++asked == last; }, lu));
        EXPECT_EQ(asked, last);
        EXPECT_TRUE(is_stopped([&] { return true; }, cholesky));
    }
}
