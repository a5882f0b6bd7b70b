// Dense factors whose large products a device computes, beside those of the host: the same bits.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/base/tuning_table.hpp>
#include <residua/solvers/dense_direct/block_product.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/solve.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/on_cuda.hpp"
#include "tests/support/stopping.hpp"
#include "tests/support/systems.hpp"

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
        const double a = term(x, k);
        const double b = term(y, k);
        if (std::bit_cast<std::uint64_t>(a) != std::bit_cast<std::uint64_t>(b) && !(std::isnan(a) && std::isnan(b))) {
            return false;
        }
    }
    return true;
}
bool same(const multidigit_number& x, const multidigit_number& y)
{
    const auto& a = x.value();
    const auto& b = y.value();
    return a.exponent == b.exponent && a.negative == b.negative && std::equal(a.d, a.d + a.digits, b.d);
}

template <class Kind>
struct direct_cuda_test : on_cuda<Kind> {
    using space = typename Kind::space;
    using factors = dense_factors<space>;
    using matrix = typename space::matrix;
    const space on = Kind::make();

    /// Numbers of all bits in (-1, 1); with 2n on the diagonal of a symmetric one.
    matrix any(index_t n, bool symmetric)
    {
        constexpr int pool_size = 997;
        std::vector<real> pool;
        for (int i = 0; i < pool_size; ++i) {
            real x(0.0, Kind::bits);
            for (long k = 0; k < Kind::bits; k += 50) {
                x = ldexp(x, -50) + real(std::ldexp(static_cast<double>(this->random.bits() >> 14), -50), Kind::bits);
            }
            pool.push_back(this->random.one_in(2) ? -x : x);
        }
        auto a = on.make_matrix(n, n);
        for (index_t j = 0; j < n; ++j) {
            for (index_t i = 0; i < n; ++i) {
                const auto x = on.make_scalar(pool[static_cast<std::size_t>(this->random.integer(0, pool_size - 1))]);
                a.set(i, j, symmetric && i < j ? a.get(j, i) : x);
            }
        }
        for (index_t j = 0; symmetric && j < n; ++j) {
            a.set(j, j, on.make_scalar(2.0 * static_cast<double>(n)));
            for (index_t i = 0; i < j; ++i) {
                a.set(i, j, a.get(j, i));
            }
        }
        return a;
    }

    /// Both, with products on the device from so much work on.
    void expect_the_same(const matrix& a, bool symmetric, index_t panel, std::optional<double> least_work = 0.0)
    {
        const product_place place{.device = this->device, .least_work = least_work};
        const factors by_host(on, a, symmetric, {.panel = panel});
        const factors by_device(on, a, symmetric, {.panel = panel, .products = place});
        const std::string what = "n " + std::to_string(a.rows()) + ", panel " + std::to_string(by_host.panel()) +
                                 (symmetric ? ", symmetric, " : ", LU, ") + this->random.trace();
        EXPECT_EQ(by_host.products_on_device(), 0) << what;
        if (least_work == 0.0 && by_host.failure().empty()) {
            EXPECT_EQ(by_device.products_on_device() > 0, by_host.panel() < a.rows()) << what;
        }
        EXPECT_EQ(by_host.failure(), by_device.failure()) << what;
        EXPECT_EQ(by_host.is_cholesky(), by_device.is_cholesky()) << what;
        EXPECT_EQ(by_host.pivots(), by_device.pivots()) << what;
        for (index_t j = 0; j < a.cols(); ++j) {
            for (index_t i = by_host.is_cholesky() || by_host.is_ldl() ? j : 0; i < a.rows(); ++i) {
                ASSERT_TRUE(same(by_host.factors().get(i, j), by_device.factors().get(i, j)))
                    << i << ", " << j << " of " << what;
            }
        }
        if (!by_host.failure().empty()) {
            return;
        }
        for (const bool transposed : {false, true}) {
            auto x = on.make_vector(a.rows());
            for (index_t i = 0; i < a.rows(); ++i) {
                x.set(i, a.get(i, 0));
            }
            auto y = x;
            by_host.solve(x, transposed);
            by_device.solve(y, transposed);
            for (index_t i = 0; i < a.rows(); ++i) {
                ASSERT_TRUE(same(x.get(i), y.get(i))) << i << " of x, " << what;
            }
        }
    }
};

using kinds = testing::Types<kind<host_space<expansion<double, 4>>, 212>, kind<host_space<expansion<double, 8>>, 424>,
                             kind<multidigit_space<host_executor>, 212>, kind<multidigit_space<host_executor>, 848>,
                             kind<multidigit_space<host_executor>, 2653>>;
TYPED_TEST_SUITE(direct_cuda_test, kinds);

}  // namespace

TYPED_TEST(direct_cuda_test, factors_of_small_integers_are_exact)
{
    // A = L U with L = 1 below the diagonal of ones, U = 1 above one of twos
    constexpr index_t n = 5;
    auto a = this->on.make_matrix(n, n);
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            a.set(i, j, this->on.make_scalar(static_cast<double>(std::min(i, j) + (i >= j ? 2 : 1))));
        }
    }

    const dense_factors f(this->on, a, false, {.panel = 2, .products = {.device = this->device, .least_work = 0.0}});

    EXPECT_GT(f.products_on_device(), 0);
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            EXPECT_TRUE(same(f.factors().get(i, j), this->on.make_scalar(i == j ? 2.0 : 1.0))) << i << " " << j;
        }
    }
}

TYPED_TEST(direct_cuda_test, factors_and_solutions_have_the_bits_of_the_host)
{
    for (const bool symmetric : {false, true}) {
        this->expect_the_same(this->any(1, symmetric), symmetric, 0);
        this->expect_the_same(this->any(100, symmetric), symmetric, 0);
        this->expect_the_same(this->any(100, symmetric), symmetric, 7);
        this->expect_the_same(this->any(333, symmetric), symmetric, 0);
    }
}

TYPED_TEST(direct_cuda_test, large_products_alone_have_the_bits_of_the_host)
{
    this->expect_the_same(this->any(333, false), false, 0, 0x1p28);
}

TYPED_TEST(direct_cuda_test, products_on_the_device_are_those_of_the_table)
{
    const auto on_device = [this](std::optional<double> least_work) {
        return dense_factors(this->on, this->any(200, false), false,
                             {.panel = 16, .products = {.device = this->device, .least_work = least_work}})
            .products_on_device();
    };

    EXPECT_EQ(on_device({}), on_device(tuning::row_of(tuning::products, TypeParam::bits).least_work));
    this->expect_the_same(this->any(200, false), false, 16, {});
}

TYPED_TEST(direct_cuda_test, a_late_negative_pivot_and_singular_matrices_end_as_on_the_host)
{
    auto a = this->any(50, true);
    a.set(48, 48, this->on.make_scalar(-1.0));
    this->expect_the_same(a, true, 7);

    a = this->any(50, false);
    for (index_t i = 0; i < 50; ++i) {
        a.set(i, 37, this->on.make_scalar(0.0));
    }
    this->expect_the_same(a, false, 7);
}

TYPED_TEST(direct_cuda_test, what_is_not_finite_ends_as_on_the_host)
{
    for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        for (const auto& [i, j] : {std::pair<index_t, index_t>{0, 38}, {38, 0}, {39, 39}, {15, 25}}) {
            for (const bool symmetric : {false, true}) {
                auto a = this->any(40, symmetric);
                a.set(i, j, this->on.make_scalar(bad));
                a.set(symmetric ? j : i, symmetric ? i : j, this->on.make_scalar(bad));
                this->expect_the_same(a, symmetric, 4);
            }
        }
    }
}

TYPED_TEST(direct_cuda_test, stops_when_asked)
{
    const auto a = this->any(60, false);
    const auto factorize = [&] {
        dense_factors(this->on, a, false, {.panel = 7, .products = {.device = this->device, .least_work = 0.0}});
    };
    for (const int last : {1, 20, 40}) {
        int asked = 0;
        EXPECT_TRUE(is_stopped([&] { return ++asked == last; }, factorize));
        EXPECT_EQ(asked, last);
    }
}

namespace {

class direct_on_cuda_test : public on_cuda<void> {};

/// Where such factors, or their products, are computed if a GPU is asked for. Factors of 256 rows are made there in some
/// formats. Products are by the tuning table there, if there are any and all are, or the first one, of a half of the
/// columns, is large enough.
executor expected_place(index_t n, bool symmetric, number_format format, long bits)
{
    const number_format in = format == number_format::automatic ? format_of(bits) : format;
    if (n >= 256 && (in == number_format::multidigit || (in == number_format::expansion && bits <= 424))) {
        return executor::cuda;
    }
    const tuning::panel_row& row = in == number_format::multidigit ? tuning::row_of(tuning::multidigit_panels, bits)
                                                                   : tuning::row_of(tuning::expansion_panels, bits);
    const double half = static_cast<double>(n) / 2.0;
    const double first = half * half * half * static_cast<double>(bits) / 4.0;  // Cholesky: by quarters of the columns
    return n >= (symmetric ? row.least_cholesky : row.least_lu) &&
                   first >= tuning::row_of(tuning::products, bits).least_work
               ? executor::cuda
               : executor::host;
}

/// The solution of a dense system with integers, symmetric or not, and its report.
solve_result solve_dense(index_t n, bool symmetric, number_format format, long bits, executor where)
{
    io::coo<double> a;
    a.rows = a.cols = n;
    biased_random random(20261122);
    std::vector<double> value(static_cast<std::size_t>(n * n));
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            const double any = random.integer(-1000, 1000) + (symmetric && i == j ? 1e6 : 0.0);
            value[i * n + j] = symmetric && j < i ? value[j * n + i] : any;
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(value[i * n + j]);
        }
    }
    solve_options options;
    options.method = method::direct;
    options.format = format;
    options.precision_bits = bits;
    options.executor = where;
    return solve(system_of(a), options);
}

}  // namespace

TEST_F(direct_on_cuda_test, a_solve_has_the_bits_of_the_host_and_says_where_its_factors_were_made)
{
    struct {
        index_t n;
        number_format format;
        long bits;
    } const runs[]{{400, number_format::multidigit, 848}, {400, number_format::expansion, 848},
                   {400, number_format::automatic, 600},  {40, number_format::multidigit, 848},
                   {400, number_format::native, 53},      {400, number_format::expansion, 106}};
    for (const auto& [n, format, bits] : runs) {
        for (const bool symmetric : {false, true}) {
            const executor computed = expected_place(n, symmetric, format, bits);
            const solve_result by_host = solve_dense(n, symmetric, format, bits, executor::host);
            const solve_result by_device = solve_dense(n, symmetric, format, bits, executor::cuda);
            const std::string what = std::to_string(n) + " " + std::string(to_string(format)) + " " +
                                     std::to_string(bits) + (symmetric ? " symmetric" : "");
            EXPECT_EQ(by_host.report.status, solve_status::converged) << what;
            EXPECT_EQ(by_host.report.executor, executor::host) << what;
            EXPECT_EQ(by_device.report.executor, computed) << what;
            EXPECT_EQ(by_device.report.device.empty(), computed == executor::host) << what;
            EXPECT_EQ(by_host.report.status, by_device.report.status) << what;
            EXPECT_EQ(by_host.x, by_device.x) << what;
        }
    }
}

TEST_F(direct_on_cuda_test, a_product_that_the_device_does_not_have_is_the_hosts)
{
    constexpr index_t most_terms = 131056;
    const multidigit_space<host_executor> on{{}, multidigit_format(64)};
    for (const index_t terms : {most_terms, most_terms + 1}) {
        auto a = on.make_matrix(1, terms);
        auto b = on.make_matrix(terms, 1);
        for (index_t k = 0; k < terms; ++k) {
            a.set(0, k, on.make_scalar(random.integer(-1000, 1000)));
            b.set(k, 0, on.make_scalar(std::ldexp(1.0, random.integer(-20, 20))));
        }
        auto by_host = on.make_matrix(1, 1);
        auto by_device = by_host;
        EXPECT_FALSE(detail::subtract_product(on, {}, a.view(), b.view(), by_host.view()));
        const product_place place{.device = device, .least_work = 0.0};
        EXPECT_EQ(detail::subtract_product(on, place, a.view(), b.view(), by_device.view()), terms == most_terms);
        EXPECT_TRUE(same(by_host.get(0, 0), by_device.get(0, 0))) << random.trace();
    }
}

TEST_F(direct_on_cuda_test, nobody_gets_a_device_without_asking)
{
    EXPECT_EQ(solve_dense(300, false, number_format::multidigit, 848, executor::automatic).report.executor,
              executor::host);
}
