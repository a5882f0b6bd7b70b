// Dense factors that are made in the memory of a device have the bits of those that the host makes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/dense_direct/block_product.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/on_cuda.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class S, long Bits>
struct kind {
    using space = S;
    static constexpr long bits = Bits;
    static S make()
    {
        if constexpr (number<typename S::element>) {
            return S{};
        } else {
            return S{{}, multidigit_format(Bits)};
        }
    }
};

template <number T>
bool same(const T& x, const T& y)
{
    for (int k = 0; k < number_traits<T>::terms; ++k) {
        const double a = term(x, k), b = term(y, k);
        if (std::bit_cast<std::uint64_t>(a) != std::bit_cast<std::uint64_t>(b) && !(std::isnan(a) && std::isnan(b))) {
            return false;
        }
    }
    return true;
}
bool same(const multidigit_number& x, const multidigit_number& y)
{
    const auto &a = x.value(), &b = y.value();
    return a.exponent == b.exponent && a.negative == b.negative && std::equal(a.d, a.d + a.digits, b.d);
}

/// What the entries of a matrix are like.
enum class look {
    plain,      ///< of one size
    graded,     ///< rows and columns of very different sizes
    dependent,  ///< each column is nearly the one before it
    signs,      ///< -1, 0 and 1, so that pivots have equals
};
constexpr look looks[]{look::plain, look::graded, look::dependent, look::signs};

template <class Kind>
struct device_factors_cuda_test : on_cuda<Kind> {
    using space = typename Kind::space;
    using matrix = typename space::matrix;
    using vector = typename space::vector;
    using device_space = std::remove_cvref_t<decltype(detail::on_device(std::declval<const cuda_executor&>(),
                                                                        std::declval<const space&>()))>;
    const space on = Kind::make();

    device_space there() const { return detail::on_device(this->device, on); }

    /// A number of all bits in (-1, 1).
    real any()
    {
        real x(0.0, Kind::bits);
        for (long k = 0; k < Kind::bits; k += 50) {
            x = ldexp(x, -50) + real(std::ldexp(static_cast<double>(this->random.bits() >> 14), -50), Kind::bits);
        }
        return this->random.one_in(2) ? -x : x;
    }

    matrix any(index_t n, look how)
    {
        std::vector<real> pool;
        for (int i = 0; i < 499; ++i) {
            pool.push_back(any());
        }
        std::vector<long> row(static_cast<std::size_t>(n)), column(static_cast<std::size_t>(n));
        for (std::size_t i = 0; how == look::graded && i < row.size(); ++i) {
            row[i] = this->random.integer(-60, 60);
            column[i] = this->random.integer(-60, 60);
        }
        auto a = on.make_matrix(n, n);
        for (index_t j = 0; j < n; ++j) {
            for (index_t i = 0; i < n; ++i) {
                const real& x = pool[static_cast<std::size_t>(this->random.integer(0, 498))];
                const auto r = static_cast<std::size_t>(i), c = static_cast<std::size_t>(j);
                if (how == look::signs) {
                    a.set(i, j, on.make_scalar(static_cast<double>(this->random.integer(-1, 1))));
                } else if (how == look::dependent && j > 0) {
                    a.set(i, j, a.get(i, j - 1) + on.make_scalar(ldexp(x, -Kind::bits / 2)));
                } else {
                    a.set(i, j, on.make_scalar(ldexp(x, row[r] + column[c])));
                }
            }
        }
        return a;
    }

    /// A symmetric matrix that is definite by its diagonal.
    matrix any_definite(index_t n)
    {
        auto a = any(n, look::plain);
        for (index_t j = 0; j < n; ++j) {
            a.set(j, j, on.make_scalar(2.0 * static_cast<double>(n)) + abs(a.get(j, j)));
            for (index_t i = 0; i < j; ++i) {
                a.set(i, j, a.get(j, i));
            }
        }
        return a;
    }

    /// Both, and what they solve, alone and together.
    void expect_the_same(const matrix& a, bool symmetric, index_t panel, const std::string& which)
    {
        const index_t n = a.rows();
        const elimination_options options{.panel = panel};
        const dense_factors<space> here(on, a, symmetric, options);
        const dense_factors<device_space> made(there(), there().placed(a), symmetric, options);
        const dense_factors<space> copied = made.on_host();
        const std::string what = which + ", n " + std::to_string(n) + ", panel " + std::to_string(panel) +
                                 (symmetric ? ", Cholesky, " : ", LU, ") + this->random.trace();
        ASSERT_EQ(here.failure(), made.failure()) << what;
        ASSERT_EQ(here.is_cholesky(), made.is_cholesky()) << what;
        ASSERT_EQ(here.pivots(), made.pivots()) << what;
        EXPECT_EQ(here.panel(), made.panel()) << what;
        EXPECT_EQ(made.products_on_device() > 0, made.panel() < n) << what;
        EXPECT_TRUE(made.made_on_device() && copied.made_on_device() && !here.made_on_device());
        for (index_t j = 0; j < n; ++j) {
            for (index_t i = here.is_cholesky() ? j : 0; i < n; ++i) {
                ASSERT_TRUE(same(here.factors().get(i, j), copied.factors().get(i, j)))
                    << i << ", " << j << " of " << what;
            }
        }
        if constexpr (dense_factors<device_space>::solves_there) {
            if (here.failure().empty()) {
                EXPECT_EQ(here.find_determinant(), made.find_determinant()) << what;
                expect_the_same_solutions(here, made, a, what);
            }
        }
    }

    void expect_the_same_solutions(const dense_factors<space>& here, const dense_factors<device_space>& made,
                                   const matrix& a, const std::string& what)
    {
        const index_t n = a.rows();
        for (const bool transposed : {false, true}) {
            std::vector<vector> x(3, on.make_vector(n));
            std::vector<typename device_space::vector> y;
            for (std::size_t k = 0; k < x.size(); ++k) {
                for (index_t i = 0; i < n; ++i) {
                    x[k].set(i, k == 1 && i > 0 ? on.make_scalar(0.0) : a.get(i, static_cast<index_t>(k) % n));
                }
                y.push_back(there().placed(x[k]));
            }
            auto alone = y.front();
            here.solve({&x[0], &x[1], &x[2]}, transposed);
            made.solve({&y[0], &y[1], &y[2]}, transposed);
            made.solve(alone, transposed);
            for (std::size_t k = 0; k < x.size(); ++k) {
                const vector fetched = there().fetched(y[k]);
                for (index_t i = 0; i < n; ++i) {
                    ASSERT_TRUE(same(x[k].get(i), fetched.get(i)))
                        << i << " of x " << k << (transposed ? ", transposed, " : ", ") << what;
                }
            }
            const vector fetched = there().fetched(alone);
            for (index_t i = 0; i < n; ++i) {
                ASSERT_TRUE(same(x[0].get(i), fetched.get(i))) << i << " of x alone, " << what;
            }
        }
    }
};

using kinds = testing::Types<kind<multidigit_space<host_executor>, 128>, kind<multidigit_space<host_executor>, 212>,
                             kind<multidigit_space<host_executor>, 424>, kind<multidigit_space<host_executor>, 848>,
                             kind<multidigit_space<host_executor>, 1500>, kind<host_space<expansion<double, 2>>, 106>,
                             kind<host_space<expansion<double, 3>>, 159>, kind<host_space<expansion<double, 4>>, 212>,
                             kind<host_space<expansion<double, 6>>, 318>, kind<host_space<expansion<double, 8>>, 424>>;
TYPED_TEST_SUITE(device_factors_cuda_test, kinds);

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
        this->expect_the_same(this->any(n, look::plain), false, 0, "plain");
        this->expect_the_same(this->any_definite(n), true, 0, "definite");
    }
    this->expect_the_same(this->any(257, look::plain), false, 0, "plain");
    this->expect_the_same(this->any_definite(257), true, 0, "definite");
}

TYPED_TEST(device_factors_cuda_test, exact_products_have_the_bits_of_the_host)
{
    for (const index_t panel : {5, 16, 40}) {
        this->expect_the_same(this->any(130, look::plain), false, panel, "plain");
        this->expect_the_same(this->any_definite(130), true, panel, "definite");
    }
}

TYPED_TEST(device_factors_cuda_test, matrices_that_need_care_have_the_bits_of_the_host)
{
    for (const look how : looks) {
        for (const index_t n : {8, 33, 100}) {
            this->expect_the_same(this->any(n, how), false, n == 100 ? 16 : 0,
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
    this->expect_the_same(a, false, 0, "zero columns");
    this->expect_the_same(a, false, 16, "zero columns");
    a = this->any(40, look::signs);
    for (index_t i = 0; i < 40; ++i) {
        a.set(i, 23, a.get(i, 5));
    }
    this->expect_the_same(a, false, 0, "equal columns");
    this->expect_the_same(this->on.make_matrix(20, 20), false, 0, "zeros");
    this->expect_the_same(this->on.make_matrix(20, 20), true, 0, "zeros");
}

TYPED_TEST(device_factors_cuda_test, indefinite_matrices_go_to_lu_as_on_the_host)
{
    for (const index_t bad : {0, 7, 8, 48, 49}) {
        auto a = this->any_definite(50);
        a.set(bad, bad, this->on.make_scalar(-1.0));
        this->expect_the_same(a, true, 0, "indefinite");
        a.set(bad, bad, this->on.make_scalar(0.0));
        this->expect_the_same(a, true, 16, "indefinite");
    }
}

TYPED_TEST(device_factors_cuda_test, what_is_not_finite_ends_as_on_the_host)
{
    for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        for (const auto& [i, j] : {std::pair<index_t, index_t>{0, 38}, {38, 0}, {0, 0}, {39, 39}, {15, 25}, {25, 15}}) {
            auto a = this->any(40, look::plain);
            a.set(i, j, this->on.make_scalar(bad));
            this->expect_the_same(a, false, 0, std::to_string(bad));
            a = this->any_definite(40);
            a.set(i, j, this->on.make_scalar(bad));
            a.set(j, i, this->on.make_scalar(bad));
            this->expect_the_same(a, true, 0, std::to_string(bad));
        }
    }
}
