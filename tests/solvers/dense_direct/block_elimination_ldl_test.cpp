// Partial L D L' of dense symmetric matrices: P A P' - L D L', over MPFR, is zero but for the Schur complement.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <omp.h>

#include <residua/blas/base/single_threaded_blas.hpp>
#include <residua/solvers/dense_direct/block_elimination.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/ldl_front.hpp"
#include "tests/support/stopping.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class Kind>
using block_elimination_ldl = ldl_front<Kind>;
using kinds = testing::Types<kind<host_space<float>, 24>, kind<host_space<double>, 53>,
                             kind<host_space<expansion<double, 2>>, 103>, kind<host_space<expansion<double, 4>>, 206>,
                             kind<multidigit_space<host_executor>, 106>, kind<multidigit_space<host_executor>, 424>,
                             kind<rns_space<host_executor>, 212>>;
TYPED_TEST_SUITE(block_elimination_ldl, kinds);

}  // namespace

TYPED_TEST(block_elimination_ldl, of_two_zeros_in_the_diagonal_is_one_pair)
{
    auto a = this->zeros(2);
    this->set(a, 1, 0, real(1.0));

    const auto f = this->expect_good(a, 2);

    EXPECT_EQ(f.pivots.count, 2);
    EXPECT_EQ(f.pivots.is_pair, (std::vector<char>{1, 0}));
    EXPECT_EQ(f.at(0, 0), real(0.0));
    EXPECT_EQ(f.at(1, 0), real(0.0));
    EXPECT_EQ(f.at(1, 1), real(0.0));
    EXPECT_EQ(to_real(f.p.get(0, 1)), real(1.0));
}

TYPED_TEST(block_elimination_ldl, of_small_integers_is_exact)
{
    // quotients by powers of two, whatever the order of operations
    const double l[4][4] = {{1, 0, 0, 0}, {0.5, 1, 0, 0}, {-0.25, 0, 1, 0}, {1, 0.5, -0.25, 1}};
    const double d[4][4] = {{8, 0, 0, 0}, {0, 0, 4, 0}, {0, 4, 0, 0}, {0, 0, 0, 3}};
    auto a = this->zeros(4);
    for (index_t i = 0; i < 4; ++i) {
        for (index_t j = 0; j < 4; ++j) {
            for (index_t p = 0; p < 4; ++p) {
                for (index_t q = 0; q < 4; ++q) {
                    a[i][j] += real(l[i][p] * d[p][q] * l[j][q]);
                }
            }
        }
    }

    const auto f = this->expect_good(a, 3);

    EXPECT_EQ(f.pivots.is_pair, (std::vector<char>{0, 1, 0}));
    EXPECT_EQ(to_real(f.p.get(1, 2)), real(4.0));
    for (index_t i = 0; i < 4; ++i) {
        for (index_t j = 0; j < (this->has_products ? i + 1 : std::min(i + 1, index_t{3})); ++j) {
            EXPECT_EQ(f.at(i, j), real(i == j ? d[i][i] : l[i][j])) << i << " " << j;
        }
    }
}

TYPED_TEST(block_elimination_ldl, is_good_of_any_matrix_with_panels_of_any_width)
{
    for (const index_t k : {1, 2, 3, 7, 8, 9, 17, 33, 44}) {
        for (const index_t below : {0, 1, 5, 21}) {
            const auto a = this->any(k + below);
            for (const index_t panel : {0, 3, 8, 16}) {
                if (!this->has_products && (panel > 0 || k > 17)) {
                    continue;
                }
                const auto f = this->expect_good(a, k, {.panel = panel});
                if (below == 0) {
                    EXPECT_EQ(f.pivots.count, k);
                }
                ASSERT_FALSE(this->HasFailure()) << k << " " << below << " " << panel << ", seed " << this->seed;
            }
        }
    }
}

TYPED_TEST(block_elimination_ldl, finds_partners_of_other_groups_of_columns)
{
    // a diagonal of zeros, and first columns that have entries in the last ones only
    for (const index_t half : {1, 4, 6, 20}) {
        const index_t k = 2 * half;
        auto a = this->zeros(k);
        for (index_t i = 0; i < half; ++i) {
            for (index_t j = 0; j < half; ++j) {
                this->set(a, i, half + j, this->any());
            }
        }

        const auto f = this->expect_good(a, k);

        EXPECT_EQ(f.pivots.count, k);
        EXPECT_EQ(this->pairs(f), half) << "seed " << this->seed;
    }
}

TYPED_TEST(block_elimination_ldl, finds_partners_that_others_want_too)
{
    // q is the only partner of j, but its own is p: all three have to be looked at together. In this order j comes
    // first when pairs are joined.
    const index_t triples = 8, n = 3 * triples;
    auto a = this->zeros(n);
    for (index_t q = 0, p = triples, j = 2 * triples; q < triples; ++j, ++p, ++q) {
        this->set(a, p, q, real(1.0));
        this->set(a, j, q, real(0x1p-10));
        this->set(a, j, j, real(0x1p-20));
    }

    const auto f = this->expect_good(a, n);

    EXPECT_EQ(f.pivots.count, n);
    EXPECT_EQ(this->pairs(f), triples);
}

TYPED_TEST(block_elimination_ldl, leaves_columns_with_too_small_entries_to_others)
{
    // every third column has a large entry below the candidates, where no pivot can come from
    for (const index_t k : {3, 8, 20, 41}) {
        const index_t below = 6, n = k + below;
        auto a = this->any(n);
        index_t bad = 0;
        for (index_t j = 0; j < k; ++j) {
            this->set(a, j, j, real(j % 2 == 0 ? 40.0 : -40.0));
            if (j % 3 == 1) {
                for (index_t i = 0; i < k; ++i) {
                    this->set(a, i, j, ldexp(this->any(), i == j ? -20 : -30));
                }
                this->set(a, k + j % below, j, real(1.0));
                ++bad;
            }
        }

        const auto f = this->expect_good(a, k);

        EXPECT_EQ(f.pivots.count, k - bad) << "seed " << this->seed;
        for (index_t j = 0; j < k; ++j) {
            EXPECT_EQ(f.pivots.column[j] % 3 == 1, j >= k - bad);
        }
    }
}

TYPED_TEST(block_elimination_ldl, takes_no_pair_whose_determinant_cancels)
{
    // larger entries below keep both from being good pivots, and the pair would pass the tests of multipliers
    auto a = this->zeros(4);
    this->set(a, 0, 0, real(1.0));
    this->set(a, 1, 0, real(1.0));
    this->set(a, 1, 1, real(1.0625));
    this->set(a, 2, 0, real(2.0));
    this->set(a, 3, 1, real(2.0));

    const auto f = this->expect_good(a, 2);

    EXPECT_EQ(f.pivots.count, 2);
    EXPECT_EQ(f.pivots.is_pair, (std::vector<char>{0, 0}));
}

TYPED_TEST(block_elimination_ldl, takes_columns_that_others_have_made_acceptable)
{
    // Zeros in the diagonal, each with one entry beside it that is too small for rows below, in a column behind. That
    // one's small pivot makes a large one of the zero.
    const auto of_size = [&](int e) {
        const real x = this->any();
        return ldexp(real(1.0) + abs(x), e) * real(real(0.0) < x ? 1.0 : -1.0);
    };
    for (const index_t zeros : {1, 4, 15, 40}) {
        const index_t k = 2 * zeros, n = k + 6;
        auto a = this->zeros(n);
        for (index_t j = 0; j < zeros; ++j) {
            this->set(a, zeros + j, j, of_size(-9));
            this->set(a, zeros + j, zeros + j, of_size(-14));
            for (index_t i = k; i < n; ++i) {
                this->set(a, i, j, of_size(-1));
                this->set(a, i, zeros + j, of_size(-14));
            }
        }

        const auto f = this->expect_good(a, k);

        EXPECT_EQ(f.pivots.count, k) << "seed " << this->seed;
        EXPECT_EQ(this->pairs(f), 0);
        EXPECT_GE(f.pivots.column[0], zeros);
    }
}

TYPED_TEST(block_elimination_ldl, leaves_zeros)
{
    const auto nothing = this->expect_good(this->zeros(11), 11);
    EXPECT_EQ(nothing.pivots.count, 0);

    auto a = this->any(21);
    for (index_t i = 0; i < 21; ++i) {
        for (const index_t j : {0, 7, 8, 20}) {
            this->set(a, i, j, real(0.0));
        }
    }
    const auto f = this->expect_good(a, 21);
    EXPECT_EQ(f.pivots.count, 17);
    for (index_t j = 17; j < 21; ++j) {
        for (index_t i = j; i < 21; ++i) {
            EXPECT_EQ(f.at(i, j), real(0.0));
        }
    }
}

TYPED_TEST(block_elimination_ldl, ends_where_numbers_are_not_finite)
{
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        for (const auto& [i, j] : {std::pair(0, 0), std::pair(5, 2), std::pair(13, 12)}) {
            auto a = this->any(14);
            this->set(a, i, j, real(bad));
            EXPECT_LT(this->eliminate(a, 14).pivots.count, 14) << bad << " " << i << " " << j;
        }
    }
}

TYPED_TEST(block_elimination_ldl, is_good_at_the_ends_of_the_range)
{
    const int end = this->bits == 24 ? 90 : 800;
    for (const int e : {-end, end}) {
        auto a = this->any(19);
        for (auto& row : a) {
            for (auto& x : row) {
                x = ldexp(x, e);
            }
        }
        for (index_t i = 0; i < 19; i += 2) {
            this->set(a, i, i, real(0.0));
        }
        EXPECT_EQ(this->expect_good(a, 19).pivots.count, 19);
    }
}

TYPED_TEST(block_elimination_ldl, stops)
{
    const auto a = this->any(40);
    for (const int last : {1, 2, 8}) {
        int asked = 0;
        EXPECT_TRUE(is_stopped([&] { return ++asked == last; }, [&] { this->eliminate(a, 30); }));
        EXPECT_EQ(asked, last);
    }
}

TYPED_TEST(block_elimination_ldl, has_the_same_bits_with_any_number_of_threads)
{
    const blas::detail::single_threaded_blas one_thread;
    const index_t k = this->bits == 53 ? 300 : 64, n = this->bits == 53 ? 700 : 100;
    auto a = this->any(n);
    for (index_t i = 0; i < k; i += 3) {
        this->set(a, i, i, real(0.0));
    }
    const int before = omp_get_max_threads();
    std::vector<typename TestFixture::front> of;
    for (const int threads : {1, 2, 3, 7}) {
        omp_set_num_threads(threads);
        of.push_back(this->eliminate(a, k));
    }
    omp_set_num_threads(before);
    EXPECT_GT(of.front().pivots.count, k / 2);
    EXPECT_GT(this->pairs(of.front()), 0);
    for (const auto& f : of) {
        EXPECT_EQ(f.pivots.column, of.front().pivots.column);
        EXPECT_EQ(f.pivots.is_pair, of.front().pivots.is_pair);
        bool same = true;
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j <= i; ++j) {
                same = same && f.at(i, j) == of.front().at(i, j);
            }
        }
        EXPECT_TRUE(same);
    }
}
