// Dense L D L' that is made in the memory of a device has the bits of that which the host makes.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/planning/precision.hpp>
#include <residua/solvers/precond/factorize.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/solvers/dense_direct/device_factors.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class Kind>
using device_ldl_cuda_test = device_factors_of<Kind>;
TYPED_TEST_SUITE(device_ldl_cuda_test, kinds_of_device_factors);

}  // namespace

TYPED_TEST(device_ldl_cuda_test, two_zeros_in_the_diagonal_are_one_pivot)
{
    // [0 2; 2 0] has the inertia (1, 1) and the determinant -4
    auto a = this->on.make_matrix(2, 2);
    a.set(1, 0, this->on.make_scalar(2.0));
    a.set(0, 1, this->on.make_scalar(2.0));

    const auto f = factors_by(way::ldl, this->there(), this->there().placed(a), {}).on_host();

    EXPECT_EQ(f.is_pair(), (std::vector<char>{1, 0}));
    EXPECT_TRUE(same(f.factors().get(0, 1), this->on.make_scalar(2.0)));
    EXPECT_TRUE(same(f.factors().get(1, 0), this->on.make_scalar(0.0)));
    EXPECT_EQ(f.find_determinant(), real(-4.0));
    EXPECT_EQ(f.find_inertia()->positive, 1);
    EXPECT_EQ(f.find_inertia()->negative, 1);
}

TYPED_TEST(device_ldl_cuda_test, has_the_bits_of_the_host)
{
    for (const index_t n : {1, 2, 3, 7, 8, 9, 31, 64, 65, 130}) {
        this->expect_the_same(this->any_symmetric(n, look::plain), way::ldl, 0, "plain");
        this->expect_the_same(this->any_definite(n), way::ldl, 0, "definite");
    }
    for (const index_t panel : {5, 16, 40}) {
        this->expect_the_same(this->any_symmetric(130, look::plain), way::ldl, panel, "plain");
    }
    this->expect_the_same(this->any_symmetric(257, look::plain), way::ldl, 0, "plain");
}

TYPED_TEST(device_ldl_cuda_test, of_matrices_that_need_care_has_the_bits_of_the_host)
{
    for (const look how : looks) {
        for (const index_t n : {8, 33, 100}) {
            this->expect_the_same(this->any_symmetric(n, how), way::ldl, n == 100 ? 16 : 0,
                                  "look " + std::to_string(static_cast<int>(how)));
        }
    }
}

TYPED_TEST(device_ldl_cuda_test, finds_partners_of_other_panels_as_on_the_host)
{
    const auto zero = this->on.make_scalar(0.0);
    for (const index_t half : {1, 4, 6, 20, 50}) {  // zeros but for the entries of first columns in last rows
        auto a = this->any(2 * half, look::plain);
        for (index_t j = 0; j < 2 * half; ++j) {
            for (index_t i = j; i < 2 * half; ++i) {
                if (j >= half || i < half) {
                    a.set(i, j, zero);
                }
            }
        }
        this->expect_the_same(this->mirrored(std::move(a)), way::ldl, half == 50 ? 16 : 0, "halves");
    }
    const index_t triples = 8;  // each of three columns wants another partner, so that panels find none at all
    auto a = this->on.make_matrix(3 * triples, 3 * triples);
    for (index_t q = 0, p = triples, j = 2 * triples; q < triples; ++j, ++p, ++q) {
        a.set(p, q, this->on.make_scalar(1.0));
        a.set(j, q, this->on.make_scalar(0x1p-10));
        a.set(j, j, this->on.make_scalar(0x1p-20));
    }
    this->expect_the_same(this->mirrored(std::move(a)), way::ldl, 0, "triples");
}

TYPED_TEST(device_ldl_cuda_test, of_singular_matrices_ends_as_on_the_host)
{
    auto a = this->any_symmetric(50, look::plain);
    for (index_t i = 0; i < 50; ++i) {
        for (const index_t j : {0, 7, 37, 38}) {
            a.set(i, j, this->on.make_scalar(0.0));
            a.set(j, i, this->on.make_scalar(0.0));
        }
    }
    this->expect_the_same(a, way::ldl, 0, "zero columns");
    this->expect_the_same(a, way::ldl, 16, "zero columns");
    this->expect_the_same(this->on.make_matrix(20, 20), way::ldl, 0, "zeros");
    this->expect_the_same(this->on.make_matrix(1, 1), way::ldl, 0, "zeros");
    a = this->any_symmetric(40, look::signs);
    for (index_t i = 0; i < 40; ++i) {
        a.set(i, 23, a.get(i, 5));
        a.set(23, i, a.get(i, 5));
    }
    a.set(23, 23, a.get(5, 5));
    this->expect_the_same(a, way::ldl, 0, "equal columns");
    for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        for (const auto& [i, j] : {std::pair<index_t, index_t>{38, 0}, {0, 0}, {39, 39}, {25, 15}}) {
            a = this->any_symmetric(40, look::plain);
            a.set(i, j, this->on.make_scalar(bad));
            a.set(j, i, this->on.make_scalar(bad));
            this->expect_the_same(a, way::ldl, 0, std::to_string(bad));
        }
    }
}

namespace {

class ldl_on_cuda_test : public on_cuda<void> {
public:
    /// Dense and symmetric, of integers, with zeros in its diagonal.
    linear_system any_system(index_t n)
    {
        io::coo<double> a;
        a.rows = a.cols = n;
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j <= i; ++j) {
                const auto x = static_cast<double>(i == j && i % 3 == 1 ? 0 : random.integer(-1000, 1000));
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(x);
                if (i != j) {
                    a.row.push_back(j);
                    a.col.push_back(i);
                    a.value.push_back(x);
                }
            }
        }
        return system_of(a);
    }
};

}  // namespace

TEST_F(ldl_on_cuda_test, factors_of_a_dense_matrix_are_made_there)
{
    const linear_system system = any_system(300);
    const scaled_matrix matrix = scale(system, true);
    for (const long bits : {106, 212, 600}) {
        const factorization here = factorize_long(factors_in(bits), matrix, {.kind = preconditioner::ldl});
        const factorization there =
            factorize_long(factors_in(bits), matrix, {.kind = preconditioner::ldl, .device = device});
        ASSERT_EQ(here.failure() + there.failure(), "");
        EXPECT_EQ(here.kind(), factor_kind::ldl);
        EXPECT_EQ(there.kind(), factor_kind::ldl);
        EXPECT_FALSE(here.computed_on_device());
        EXPECT_TRUE(there.computed_on_device());
        EXPECT_EQ(here.find_determinant(), there.find_determinant());
        EXPECT_EQ(here.find_inertia()->positive, there.find_inertia()->positive);
        EXPECT_EQ(here.find_inertia()->negative, there.find_inertia()->negative);
    }
}

TEST_F(ldl_on_cuda_test, a_solver_has_the_inertia_that_it_has_on_the_host)
{
    const linear_system system = any_system(300);
    solve_options options;
    const auto here = solver(system, options).inertia();
    options.executor = executor::cuda;
    const auto there = solver(system, options).inertia();
    ASSERT_TRUE(here && there);
    EXPECT_EQ(here->positive, there->positive);
    EXPECT_EQ(here->negative, there->negative);
    EXPECT_EQ(there->positive + there->negative, 300);
}
