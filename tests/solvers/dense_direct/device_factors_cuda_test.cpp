// Dense L U and L L' that are made in the memory of a device have the bits of those that the host makes.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/solvers/dense_direct/device_factors.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class Kind>
using device_factors_cuda_test = device_factors_of<Kind>;
TYPED_TEST_SUITE(device_factors_cuda_test, kinds_of_device_factors);

}  // namespace

TYPED_TEST(device_factors_cuda_test, two_rows_are_swapped)
{
    // [1 2; 4 3] = P [1 0; 1/4 1] [4 3; 0 5/4]
    auto a = this->on.make_matrix(2, 2);
    const double entries[2][2]{{1.0, 2.0}, {4.0, 3.0}};
    for (index_t i = 0; i < 2; ++i) {
        for (index_t j = 0; j < 2; ++j) {
            a.set(i, j, this->on.make_scalar(entries[i][j]));
        }
    }

    const dense_factors f = dense_factors(this->there(), this->there().placed(a), false).on_host();

    const double expected[2][2]{{4.0, 3.0}, {0.25, 1.25}};
    EXPECT_EQ(f.pivots(), (std::vector<index_t>{1, 1}));
    for (index_t i = 0; i < 2; ++i) {
        for (index_t j = 0; j < 2; ++j) {
            EXPECT_TRUE(same(f.factors().get(i, j), this->on.make_scalar(expected[i][j]))) << i << " " << j;
        }
    }
    EXPECT_EQ(f.find_determinant(), real(-5.0));
}

TYPED_TEST(device_factors_cuda_test, factors_and_solutions_have_the_bits_of_the_host)
{
    for (const index_t n : {1, 2, 7, 8, 9, 31, 64, 65, 130}) {
        this->expect_the_same(this->any(n, look::plain), way::lu, 0, "plain");
        this->expect_the_same(this->any_definite(n), way::cholesky, 0, "definite");
    }
    this->expect_the_same(this->any(257, look::plain), way::lu, 0, "plain");
    this->expect_the_same(this->any_definite(257), way::cholesky, 0, "definite");
}

TYPED_TEST(device_factors_cuda_test, exact_products_have_the_bits_of_the_host)
{
    for (const index_t panel : {5, 16, 40}) {
        this->expect_the_same(this->any(130, look::plain), way::lu, panel, "plain");
        this->expect_the_same(this->any_definite(130), way::cholesky, panel, "definite");
    }
}

TYPED_TEST(device_factors_cuda_test, matrices_that_need_care_have_the_bits_of_the_host)
{
    for (const look how : looks) {
        for (const index_t n : {8, 33, 100}) {
            this->expect_the_same(this->any(n, how), way::lu, n == 100 ? 16 : 0,
                                  "look " + std::to_string(static_cast<int>(how)));
        }
    }
}

TYPED_TEST(device_factors_cuda_test, singular_matrices_end_as_on_the_host)
{
    const auto zero = this->on.make_scalar(0.0);
    auto a = this->any(50, look::plain);
    for (index_t i = 0; i < 50; ++i) {
        a.set(i, 0, zero);
        a.set(i, 37, zero);
        a.set(i, 38, zero);
    }
    this->expect_the_same(a, way::lu, 0, "zero columns");
    this->expect_the_same(a, way::lu, 16, "zero columns");
    a = this->any(40, look::signs);
    for (index_t i = 0; i < 40; ++i) {
        a.set(i, 23, a.get(i, 5));
    }
    this->expect_the_same(a, way::lu, 0, "equal columns");
    this->expect_the_same(this->on.make_matrix(20, 20), way::lu, 0, "zeros");
    this->expect_the_same(this->on.make_matrix(20, 20), way::cholesky, 0, "zeros");
}

TYPED_TEST(device_factors_cuda_test, indefinite_matrices_go_to_lu_as_on_the_host)
{
    for (const index_t bad : {0, 7, 8, 48, 49}) {
        auto a = this->any_definite(50);
        a.set(bad, bad, this->on.make_scalar(-1.0));
        this->expect_the_same(a, way::cholesky, 0, "indefinite");
        a.set(bad, bad, this->on.make_scalar(0.0));
        this->expect_the_same(a, way::cholesky, 16, "indefinite");
    }
}

TYPED_TEST(device_factors_cuda_test, what_is_not_finite_ends_as_on_the_host)
{
    for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        for (const auto& [i, j] : {std::pair<index_t, index_t>{0, 38}, {38, 0}, {0, 0}, {39, 39}, {15, 25}, {25, 15}}) {
            auto a = this->any(40, look::plain);
            a.set(i, j, this->on.make_scalar(bad));
            this->expect_the_same(a, way::lu, 0, std::to_string(bad));
            a = this->any_definite(40);
            a.set(i, j, this->on.make_scalar(bad));
            a.set(j, i, this->on.make_scalar(bad));
            this->expect_the_same(a, way::cholesky, 0, std::to_string(bad));
        }
    }
}
