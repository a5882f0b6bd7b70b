// Dense factors with several right-hand sides: residuals over MPFR, and the bits that each has alone.
#include <algorithm>
#include <concepts>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <omp.h>

#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/space/blas_space.hpp>

using namespace residua;

namespace {

template <class S, long Bits>
struct kind {
    using space = S;
    static constexpr long bits = Bits;
    static S make()
    {
        if constexpr (requires { S{{}, multidigit_format(Bits)}; }) {
            return S{{}, multidigit_format(Bits)};
        } else if constexpr (requires { S{{}, rns_format(Bits)}; }) {
            return S{{}, rns_format(Bits)};
        } else {
            return S{};
        }
    }
};

template <class Kind>
struct direct_columns_test : testing::Test {};
using kinds = testing::Types<kind<host_space<double>, 53>, kind<host_space<expansion<double, 2>>, 106>,
                             kind<host_space<expansion<double, 4>>, 212>, kind<multidigit_space<host_executor>, 106>,
                             kind<multidigit_space<host_executor>, 300>, kind<rns_space<host_executor>, 212>>;
TYPED_TEST_SUITE(direct_columns_test, kinds);

enum class matrix_kind { any, definite, symmetric };

/// A symmetric matrix that is not definite has zeros in its diagonal, so that some pivots have two rows.
std::vector<std::vector<double>> any_rows(index_t n, matrix_kind kind)
{
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    std::vector<std::vector<double>> a(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n)));
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            a[i][j] = value(random);
            a[j][i] = kind == matrix_kind::any ? value(random) : a[i][j];
        }
        a[i][i] += kind == matrix_kind::definite ? static_cast<double>(n) : 0.0;
        if (kind == matrix_kind::symmetric && i % 3 != 0) {
            a[i][i] = 0.0;
        }
    }
    return a;
}

template <class S>
dense_factors<S> factors_of(const S& space, const std::vector<std::vector<double>>& rows, matrix_kind kind)
{
    const auto n = static_cast<index_t>(rows.size());
    auto a = space.make_matrix(n, n);
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            a.set(i, j, space.make_scalar(rows[i][j]));
        }
    }
    return kind == matrix_kind::symmetric ? dense_factors<S>::ldl(space, std::move(a))
                                          : dense_factors<S>(space, std::move(a), kind == matrix_kind::definite);
}

/// The pivots of elimination without swaps, over MPFR: no leading minor is zero by accident.
std::vector<real> exact_pivots(const std::vector<std::vector<double>>& rows)
{
    std::vector<std::vector<real>> a;
    for (const auto& row : rows) {
        a.emplace_back();
        std::transform(row.begin(), row.end(), std::back_inserter(a.back()), [](double x) { return real(x, 4000); });
    }
    std::vector<real> pivots;
    for (std::size_t k = 0; k < a.size(); ++k) {
        pivots.push_back(a[k][k]);
        for (std::size_t i = k + 1; i < a.size(); ++i) {
            const real multiple = a[i][k] / a[k][k];
            for (std::size_t j = k + 1; j < a.size(); ++j) {
                a[i][j] -= multiple * a[k][j];
            }
        }
    }
    return pivots;
}

/// Number i of right-hand side j.
double right_hand_side(index_t i, index_t j) { return static_cast<double>((i * 7 + j * 5) % 13) - 5.5; }

template <class S>
std::vector<typename S::vector> right_hand_sides(const S& space, index_t n, index_t count)
{
    std::vector<typename S::vector> x;
    for (index_t j = 0; j < count; ++j) {
        x.push_back(space.make_vector(n));
        for (index_t i = 0; i < n; ++i) {
            x.back().set(i, space.make_scalar(right_hand_side(i, j)));
        }
    }
    return x;
}

template <class S>
void solve_together(const dense_factors<S>& factors, std::vector<typename S::vector>& x, bool transposed)
{
    columns<S> all;
    std::transform(x.begin(), x.end(), std::back_inserter(all), [](auto& each) { return &each; });
    factors.solve(all, transposed);
}

/// The largest residual of column j, in units 2^-p of the sizes of its terms.
template <class V>
double backward_error(const std::vector<std::vector<double>>& a, const V& x, index_t j, bool transposed, long bits)
{
    double worst = 0.0;
    const auto n = static_cast<index_t>(a.size());
    for (index_t i = 0; i < n; ++i) {
        real rest(right_hand_side(i, j), 1000), size = abs(rest);
        for (index_t k = 0; k < n; ++k) {
            const real term = real(transposed ? a[k][i] : a[i][k], 1000) * to_real(x.get(k)).with_precision(1000);
            rest -= term;
            size += abs(term);
        }
        worst = std::max(worst, to_double(ldexp(abs(rest) / size, bits)));
    }
    return worst;
}

}  // namespace

TYPED_TEST(direct_columns_test, have_the_bits_that_each_has_alone)
{
    using S = typename TypeParam::space;
    const S space = TypeParam::make();
    const index_t n = std::same_as<typename S::element, rns> ? 30 : 150, count = 5;  // more than two steps of columns
    const int before = omp_get_max_threads();
    for (const matrix_kind kind : {matrix_kind::any, matrix_kind::definite, matrix_kind::symmetric}) {
        const auto rows = any_rows(n, kind);
        const dense_factors<S> factors = factors_of(space, rows, kind);
        ASSERT_EQ(factors.failure(), "");
        ASSERT_EQ(factors.is_cholesky(), kind == matrix_kind::definite);
        ASSERT_EQ(factors.is_ldl(), kind == matrix_kind::symmetric);
        const dense_factors<S> known(space, factors.factors(), factors.pivots(), factors.is_cholesky(),
                                     factors.is_pair());
        for (const bool transposed : {false, true}) {
            for (const int threads : {1, 2}) {
                omp_set_num_threads(threads);
                auto together = right_hand_sides(space, n, count);
                solve_together(factors, together, transposed);
                auto alone = right_hand_sides(space, n, count);
                for (index_t j = 0; j < count; ++j) {
                    (j % 2 == 0 ? factors : known).solve(alone[j], transposed);
                    EXPECT_LT(backward_error(rows, together[j], j, transposed, TypeParam::bits), 300.0);
                    for (index_t i = 0; i < n; ++i) {
                        ASSERT_EQ(to_real(together[j].get(i)), to_real(alone[j].get(i))) << i << ", " << j;
                    }
                }
            }
        }
    }
    omp_set_num_threads(before);
}

TYPED_TEST(direct_columns_test, pivots_of_two_rows_give_the_inertia_and_the_determinant)
{
    using S = typename TypeParam::space;
    for (const index_t n : {1, 2, 3, 10, 31}) {
        const auto rows = any_rows(n, matrix_kind::symmetric);
        const dense_factors<S> factors = factors_of(TypeParam::make(), rows, matrix_kind::symmetric);
        ASSERT_EQ(factors.failure(), "");
        real product(1.0, 4000);
        inertia expected;
        for (const real& pivot : exact_pivots(rows)) {
            product *= pivot;
            ++(real(0.0) < pivot ? expected.positive : expected.negative);
        }
        const std::optional<inertia> found = factors.find_inertia();
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->positive, expected.positive) << n;
        EXPECT_EQ(found->negative, expected.negative) << n;
        EXPECT_EQ(found->zero, 0);
        const real error = abs(factors.find_determinant()->with_precision(4000) / product - real(1.0, 4000));
        EXPECT_LT(to_double(ldexp(error, TypeParam::bits).with_precision(64)), 1e6) << n;
    }
}

TYPED_TEST(direct_columns_test, singular_symmetric_matrices_name_the_column)
{
    auto rows = any_rows(12, matrix_kind::symmetric);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i][6] = rows[6][i] = 0.0;
    }
    const auto factors = factors_of(TypeParam::make(), rows, matrix_kind::symmetric);
    EXPECT_NE(factors.failure().find("column 7"), std::string::npos) << factors.failure();
    EXPECT_FALSE(factors.find_inertia() || factors.find_determinant());
}
