// Dense QR in the memory of a device has the bits of the host.
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include <residua/solvers/dense_direct/block_product.hpp>
#include <residua/solvers/dense_direct/dense_qr.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/on_cuda.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class S, long Bits>
struct kind {
    using space = S;
    static constexpr long bits = Bits;
};

template <number T>
bool same(const T& x, const T& y)
{
    for (int k = 0; k < number_traits<T>::terms; ++k) {
        if (std::bit_cast<std::uint64_t>(term(x, k)) != std::bit_cast<std::uint64_t>(term(y, k))) {
            return false;
        }
    }
    return true;
}
bool same(const multidigit_number& x, const multidigit_number& y) { return to_real(x) == to_real(y); }

template <class Kind>
struct dense_qr_cuda_test : on_cuda<Kind> {
    using space = typename Kind::space;
    using matrix = typename space::matrix;
    using device_space = std::remove_cvref_t<decltype(detail::on_device(std::declval<const cuda_executor&>(),
                                                                        std::declval<const space&>()))>;

    static space make()
    {
        if constexpr (run_time_format<typename space::element>) {
            return space{{}, typename space::traits::format(Kind::bits)};
        } else {
            return space{};
        }
    }

    const space on = make();

    matrix any(index_t m, index_t n)
    {
        matrix a = on.make_matrix(m, n);
        for (index_t j = 0; j < n; ++j) {
            const long e = this->random.integer(-40, 40);
            for (index_t i = 0; i < m; ++i) {
                real x(0.0, Kind::bits);
                for (long k = 0; k < Kind::bits; k += 50) {
                    x = ldexp(x, -50) +
                        real(std::ldexp(static_cast<double>(this->random.bits() >> 14), -50), Kind::bits);
                }
                a.set(i, j, on.make_scalar(ldexp(this->random.one_in(2) ? -x : x, e)));
            }
        }
        return a;
    }

    void expect_the_same(const matrix& here, const matrix& there, const std::string& what)
    {
        for (index_t j = 0; j < here.cols(); ++j) {
            for (index_t i = 0; i < here.rows(); ++i) {
                ASSERT_TRUE(same(here.get(i, j), there.get(i, j))) << i << ", " << j << " of " << what;
            }
        }
    }

    void expect_the_same_factors(index_t m, index_t n, index_t panel)
    {
        const matrix a = any(m, n), b = any(m, 3), c = any(n, 2);
        const device_space there = detail::on_device(this->device, on);
        const dense_qr<space> host(on, a, {.panel = panel});
        const dense_qr<device_space> made(there, there.placed(a), {.panel = panel});
        const auto fetched = [&](const typename device_space::matrix& x) { return to_host(this->device, x); };
        const std::string what = std::to_string(m) + " x " + std::to_string(n) + ", panel " + std::to_string(panel) +
                                 ", " + this->random.trace();
        ASSERT_EQ(host.failure(), made.failure()) << what;
        expect_the_same(host.factors(), fetched(made.factors()), "the factors, " + what);
        expect_the_same(host.lower_triangle(), fetched(made.lower_triangle()), "L, " + what);
        for (const bool transposed : {false, true}) {
            matrix x = b, y = c;
            auto x_there = there.placed(b), y_there = there.placed(c);
            host.apply_q(x.view(), transposed);
            made.apply_q(x_there.view(), transposed);
            expect_the_same(x, fetched(x_there), "Q x, " + what);
            host.solve_r(y.view(), transposed);
            made.solve_r(y_there.view(), transposed);
            expect_the_same(y, fetched(y_there), "inverse(R) x, " + what);
        }
    }
};

using kinds = testing::Types<kind<multidigit_space<host_executor>, 128>, kind<multidigit_space<host_executor>, 424>,
                             kind<multidigit_space<host_executor>, 1500>, kind<host_space<expansion<double, 2>>, 106>,
                             kind<host_space<expansion<double, 3>>, 159>, kind<host_space<expansion<double, 4>>, 212>,
                             kind<host_space<expansion<double, 6>>, 318>, kind<host_space<expansion<double, 8>>, 424>>;
TYPED_TEST_SUITE(dense_qr_cuda_test, kinds);

}  // namespace

TYPED_TEST(dense_qr_cuda_test, has_the_bits_of_the_host)
{
    for (const auto& [m, n] :
         {std::pair<index_t, index_t>{1, 1}, {2, 1}, {9, 8}, {40, 7}, {33, 33}, {150, 90}, {700, 40}}) {
        for (const index_t panel : {0, 16}) {
            this->expect_the_same_factors(m, n, panel);
            ASSERT_FALSE(this->HasFailure());
        }
    }
}

TYPED_TEST(dense_qr_cuda_test, reports_what_is_not_finite)
{
    auto a = this->any(20, 12);
    a.set(19, 10, this->on.make_scalar(std::nan("")));
    const auto there = detail::on_device(this->device, this->on);
    const dense_qr<typename TestFixture::device_space> f(there, there.placed(a));
    EXPECT_NE(f.failure(), "");
}
