#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/io/team.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include "tests/support/adjoint.hpp"
#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

namespace {

void expect_transposed(const linear_system& a, const linear_system& t)
{
    ASSERT_EQ(t.rows, a.cols);
    ASSERT_EQ(t.cols, a.rows);
    ASSERT_EQ(t.row_begin.size(), static_cast<std::size_t>(t.rows) + 1);
    ASSERT_EQ(t.nonzeros(), a.nonzeros());
    ASSERT_EQ(t.exact.size(), a.exact.size());
    for (index_t j = 0; j < t.rows; ++j) {
        for (index_t q = t.row_begin[j]; q < t.row_begin[j + 1]; ++q) {
            const index_t i = t.column[q];
            EXPECT_TRUE(q == t.row_begin[j] || t.column[q - 1] < i);
            index_t p = a.row_begin[i];
            while (p < a.row_begin[i + 1] && a.column[p] != j) {
                ++p;
            }
            ASSERT_LT(p, a.row_begin[i + 1]);
            EXPECT_EQ(t.values[q], a.values[p]);
            EXPECT_TRUE(a.exact.empty() || t.exact.at(q, 64) == a.exact.at(p, 64));
        }
    }
}

}  // namespace

TEST(transpose_test, moves_every_entry_of_a_rectangular_matrix)
{
    for (const auto& rows : {std::vector<std::vector<double>>{{1, 0, 2, 0}, {0, 0, 0, 0}, {3, 0, 0, -4}},
                             {{5}},
                             {{1, 2, 3}},
                             {{1}, {0}, {2}}}) {
        const linear_system a = system_of(from_rows(rows));
        expect_transposed(a, transpose(a));
        expect_transposed(transpose(a), transpose(transpose(a)));
        EXPECT_EQ(transpose(transpose(a)).values, a.values);
    }
}

TEST(transpose_test, ranges_of_rows_that_threads_take_follow_one_another)
{
    std::vector<std::vector<double>> rows(401, std::vector<double>(257));
    double next = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows[i].size(); ++j) {
            rows[i][j] = i % 50 == 7 || (i * j) % 7 == 3 ? 0.0 : ++next;
        }
    }
    const linear_system a = system_of(from_rows(rows));
    ASSERT_GT(a.nonzeros(), 60000);  // enough for several threads
    const linear_system t = transpose(a);
    expect_transposed(a, t);
    const io::thread_limit one(1);
    const linear_system alone = transpose(a);
    EXPECT_EQ(t.row_begin, alone.row_begin);
    EXPECT_EQ(t.column, alone.column);
    EXPECT_EQ(t.values, alone.values);
}

TEST(transpose_test, keeps_entries_that_binary64_does_not_hold)
{
    const io::coo<real> a{2, 3, {0, 0, 1}, {0, 2, 1}, {real("0.1", 300), real("1e-400", 300), real("3e500", 300)}};
    const linear_system system = make_system(a, ones(2));
    expect_transposed(system, transpose(system));

    const sparse_matrix t = transpose(static_cast<const sparse_matrix&>(system));
    EXPECT_EQ(t.rows, 3);
    EXPECT_EQ(t.cols, 2);
    EXPECT_EQ(t.exact.in_bits(64), (std::vector<real>{real("0.1", 300), real("3e500", 300), real("1e-400", 300)}));
}

TEST(transpose_test, one_power_of_two_scales_a_matrix_for_least_squares)
{
    const io::coo<real> a{3, 2, {0, 1, 2}, {0, 1, 1}, {real("1e400", 100), real("2e350", 100), real("-7e390", 100)}};
    const scaled_matrix s = scale_uniformly(make_system(a, ones(3)));
    EXPECT_TRUE(s.is_scaled());
    for (const int e : s.row_exponent) {
        EXPECT_EQ(e, s.row_exponent.front());
    }
    EXPECT_EQ(s.column_exponent, (std::vector<int>{0, 0}));
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(s.exact.at(k, 64), ldexp(a.value[k], s.row_exponent.front()));
    }
    EXPECT_FALSE(scale_uniformly(system_of(from_rows({{1, 2}}))).is_scaled());

    const io::coo<real> far{2, 1, {0, 1}, {0, 0}, {real("1e400", 100), real(1.0)}};
    try {
        scale_uniformly(make_system(far, ones(2)));
        FAIL() << "not refused";
    } catch (const unsupported_error& e) {
        EXPECT_EQ(std::string(e.what()).find("least squares take entries within 2^600 of each other"), 0u) << e.what();
    }
}

// Against the product in 4 times the bits, with entries and a vector that cancel.
TEST(transpose_test, the_normal_residual_is_within_its_error)
{
    const io::coo<double> a = upwind(50);
    const linear_system system = system_of(a);
    const linear_system t = transpose(system);
    const real norm = matrix_norm_frobenius(system);
    EXPECT_NEAR(to_double(norm), std::sqrt(50.0 * 49.0 / 9.0 + 49.0 * 2.5), 1e-9);
    for (const int e : {-20, -60, -200}) {
        const real_space space{200};
        std::vector<real> x = waves(space, 50);
        const residual_evaluation at = evaluate_residual(system, x, ldexp(real(1.0), e));
        const normal_evaluation normal = evaluate_normal(t, norm, at, ldexp(norm, e));
        const std::vector<real> r = exact_residual({1000}, a, system.b, x);
        std::vector<real> z = real_space{4000}.make_vector(50);
        real_matrix{transposed(a)}.apply(real_space{4000}, r, z);
        const real truth = real_space{4000}.norm2(z);
        EXPECT_LE(abs(normal.norm2 - truth), normal.error + ldexp(truth, -60)) << e;
        EXPECT_LE(normal.error, ldexp(norm, e + 1)) << e;
    }
}
