#pragma once

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

namespace residua::support {

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
inline bool same(const multidigit_number& x, const multidigit_number& y)
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
/// How a matrix is factorised.
enum class way {
    lu,
    cholesky,  ///< and by LU if it is not definite
    ldl,
};
inline std::string name_of(way by)
{
    return by == way::lu ? ", LU, " : by == way::cholesky ? ", Cholesky, " : ", L D L', ";
}

template <class S>
dense_factors<S> factors_by(way by, const S& on, typename S::matrix a, const elimination_options& options)
{
    return by == way::ldl ? dense_factors<S>::ldl(on, std::move(a), options)
                          : dense_factors<S>(on, std::move(a), by == way::cholesky, options);
}

inline constexpr look looks[]{look::plain, look::graded, look::dependent, look::signs};

/// Dense factors that are made in the memory of a device, beside those that the host makes.
template <class Kind>
struct device_factors_of : on_cuda<Kind> {
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

    /// A symmetric matrix with the lower triangle of another one.
    static matrix mirrored(matrix a)
    {
        for (index_t j = 0; j < a.cols(); ++j) {
            for (index_t i = 0; i < j; ++i) {
                a.set(i, j, a.get(j, i));
            }
        }
        return a;
    }

    matrix any_symmetric(index_t n, look how)
    {
        auto a = any(n, how);
        for (index_t j = 0; j < n; ++j) {
            if (how == look::graded) {  // by powers of two that depend on the place alone
                for (index_t i = j; i < n; ++i) {
                    const real x = ldexp(any(), (i * 37 % 101 - 50) + (j * 37 % 101 - 50));
                    a.set(i, j, on.make_scalar(x));
                }
            }
            if (j % 3 == 1) {
                a.set(j, j, on.make_scalar(0.0));
            }
        }
        return mirrored(std::move(a));
    }

    /// Both, and what they solve, alone and together.
    void expect_the_same(const matrix& a, way by, index_t panel, const std::string& which)
    {
        const index_t n = a.rows();
        const elimination_options options{.panel = panel};
        const dense_factors<space> here = factors_by(by, on, a, options);
        const dense_factors<device_space> made = factors_by(by, there(), there().placed(a), options);
        const dense_factors<space> copied = made.on_host();
        const std::string what = which + ", n " + std::to_string(n) + ", panel " + std::to_string(panel) + name_of(by) +
                                 this->random.trace();
        ASSERT_EQ(here.failure(), made.failure()) << what;
        ASSERT_EQ(here.is_cholesky(), made.is_cholesky()) << what;
        ASSERT_EQ(here.pivots(), made.pivots()) << what;
        ASSERT_EQ(here.is_pair(), made.is_pair()) << what;
        EXPECT_EQ(here.panel(), made.panel()) << what;
        if (by == way::ldl) {  // products of few pivots are sums, where columns have none
            EXPECT_TRUE(made.products_on_device() == 0 || made.panel() < n) << what;
        } else {
            EXPECT_EQ(made.products_on_device() > 0, made.panel() < n) << what;
        }
        EXPECT_TRUE(made.made_on_device() && copied.made_on_device() && !here.made_on_device());
        for (index_t j = 0; j < n; ++j) {
            const bool beside = j > 0 && here.is_ldl() && here.is_pair()[static_cast<std::size_t>(j - 1)] != 0;
            for (index_t i = here.is_cholesky() || here.is_ldl() ? j - (beside ? 1 : 0) : 0; i < n; ++i) {
                ASSERT_TRUE(same(here.factors().get(i, j), copied.factors().get(i, j)))
                    << i << ", " << j << " of " << what;
            }
        }
        if constexpr (dense_factors<device_space>::solves_there) {
            if (here.failure().empty()) {
                EXPECT_EQ(here.find_determinant(), made.find_determinant()) << what;
                const auto signs = here.find_inertia(), signs_there = made.find_inertia();
                ASSERT_EQ(signs.has_value(), signs_there.has_value()) << what;
                EXPECT_TRUE(!signs ||
                            (signs->positive == signs_there->positive && signs->negative == signs_there->negative))
                    << what;
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

using kinds_of_device_factors =
    testing::Types<kind<multidigit_space<host_executor>, 128>, kind<multidigit_space<host_executor>, 212>,
                   kind<multidigit_space<host_executor>, 424>, kind<multidigit_space<host_executor>, 848>,
                   kind<multidigit_space<host_executor>, 1500>, kind<host_space<expansion<double, 2>>, 106>,
                   kind<host_space<expansion<double, 3>>, 159>, kind<host_space<expansion<double, 4>>, 212>,
                   kind<host_space<expansion<double, 6>>, 318>, kind<host_space<expansion<double, 8>>, 424>>;

}  // namespace residua::support
