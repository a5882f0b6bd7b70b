// Every operation on a device gives the words that the host gives.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/level1/asum.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/level1/times_i.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/ger.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/level3/gemm.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/blas/multidigit/sum_state.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/trsv.hpp>

#include "tests/blas/multidigit/hostile.hpp"
#include "tests/support/cuda_formats.hpp"

namespace residua::support {
namespace {

const host_executor host;

class multidigit_cuda_test : public testing::TestWithParam<long> {
protected:
    void SetUp() override
    {
        if (cuda_devices().empty()) {
            GTEST_SKIP() << why_no_cuda_device();
        }
        exec = make_cuda_executor();
    }

    /// Mostly full digits; also few bits, zeros and, where `wild`, what is not finite and the ends of the range.
    multidigit_number any()
    {
        auto value = multidigit_number(format, 1.0).value();
        const int digits = static_cast<int>((GetParam() + 63) / 64);
        const bool is_short = random.one_in(8);
        for (int k = 0; k < digits; ++k) {
            std::uint64_t& d = value.d[value.digits - 1 - k];
            d = is_short && k > 0 ? 0 : random.one_in(12) ? (random.one_in(2) ? 0 : ~std::uint64_t{0}) : random.bits();
            d |= k == 0 ? std::uint64_t{1} << 63 : 0;
        }
        value.d[value.digits - digits] &= ~std::uint64_t{0} << (64 * digits - GetParam());
        value.negative = random.one_in(2);
        value.exponent = random.integer(-4, 4) * (random.one_in(6) ? static_cast<int>(GetParam()) / 3 : 1);
        if (wild && random.one_in(10)) {
            value.exponent = random.one_in(2) ? multidigit_most_exponent - random.integer(0, 3)
                                              : multidigit_least_exponent + random.integer(0, 3);
        }
        if (wild && random.one_in(25)) {
            const double infinity = std::numeric_limits<double>::infinity();
            return {format, random.one_in(2) ? random.with_random_sign(infinity) : infinity - infinity};
        }
        return random.one_in(12) ? multidigit_number(format) : multidigit_number(format, value);
    }

    vector<host_executor, multidigit> random_vector(index_t n)
    {
        vector<host_executor, multidigit> x(format, n);
        for (index_t i = 0; i < n; ++i) {
            x.set(i, any());
        }
        return x;
    }

    matrix<host_executor, multidigit> random_matrix(index_t m, index_t n)
    {
        matrix<host_executor, multidigit> a(format, m, n);
        for (index_t j = 0; j < n; ++j) {
            for (index_t i = 0; i < m; ++i) {
                a.set(i, j, any());
            }
        }
        return a;
    }

    csr<host_executor, double> random_sparse(index_t n)
    {
        std::vector<std::vector<std::int32_t>> rows(static_cast<std::size_t>(n));
        index_t count = 0;
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                if (j == i || random.one_in(static_cast<int>(n / 4 + 2))) {
                    rows[static_cast<std::size_t>(i)].push_back(static_cast<std::int32_t>(j));
                    ++count;
                }
            }
        }
        csr<host_executor, double> a(n, n, count);
        index_t p = 0;
        for (index_t i = 0; i < n; ++i) {
            for (const std::int32_t j : rows[static_cast<std::size_t>(i)]) {
                a.col()[p] = j;
                a.value().store(p++, random.one_in(20) ? 0.0 : random.value(-9, 9));
            }
            a.row_begin()[i + 1] = p;
        }
        return a;
    }

    void expect_same(const std::string& what, const vector<host_executor, multidigit>& expected,
                     const vector<cuda_executor, multidigit>& device)
    {
        const auto found = to_host(exec, device);
        ASSERT_EQ(expected.size(), found.size());
        for (index_t i = 0; i < found.size(); ++i) {
            ASSERT_TRUE(same_words(expected.get(i), found.get(i)))
                << what << " element " << i << " of " << found.size() << ": " << to_real(expected.get(i)) << " and "
                << to_real(found.get(i));
        }
    }

    cuda_executor exec;
    multidigit_format format{GetParam()};
    biased_random random;
    bool wild = false;
};
INSTANTIATE_TEST_SUITE_P(bits, multidigit_cuda_test,
                         testing::Values(64, 65, 106, 128, 160, 190, 200, 212, 256, 310, 350, 424, 500, 580, 609, 848,
                                         1000, 1200, 1440, 1696, 2016, 2200, 2800, 3400, 4096));

/// Elements first, first + stride, ... of x, n of them.
template <class V>
auto strided(V view, index_t n, index_t stride)
{
    const index_t first = stride < 0 ? (n - 1) * -stride : 0;
    view.start = view.start.from(n > 0 ? first : 0);
    view.size = n;
    view.stride = stride;
    return view;
}

TEST_P(multidigit_cuda_test, vectors)
{
    SCOPED_TRACE(random.trace());
    for (const auto& [n, xs, ys] :
         {std::tuple<index_t, index_t, index_t>{0, 1, 1}, {1, 1, 1}, {33, 2, -3}, {700, 1, 1}, {257, -1, 2}}) {
        for (const bool is_wild : {false, true}) {
            wild = is_wild;
            const auto x = random_vector(3 * n + 3);
            const auto y = random_vector(3 * n + 3);
            const auto dx = to_device(exec, x);
            const auto with = [&, n = n, xs = xs, ys = ys](const std::string& name, const auto& work) {
                auto expected = y;
                auto device = to_device(exec, y);
                work(host, strided(x.view(), n, xs), strided(expected.view(), n, ys));
                work(exec, strided(dx.view(), n, xs), strided(device.view(), n, ys));
                expect_same(name, expected, device);
            };
            with("copy", [](const auto& e, auto from, auto to) { blas::copy(e, from, to); });
            with("times_i", [even = n / 2 * 2](const auto& e, auto from, auto to) {
                blas::times_i<multidigit>(e, from.part(0, even), to.part(0, even));
            });
            with("conjugate", [even = n / 2 * 2](const auto& e, auto from, auto to) {
                blas::conjugate<multidigit>(e, from.part(0, even), to.part(0, even));
            });
            for (const multidigit_number& a :
                 {any(), multidigit_number(format, 1.0), multidigit_number(format, -1.0), multidigit_number(format),
                  ldexp(multidigit_number(format, -1.0), is_wild ? multidigit_most_exponent : 30)}) {
                const multidigit_number b = any();
                with("fill", [&](const auto& e, auto, auto to) { blas::fill(e, a, to); });
                with("scal", [&](const auto& e, auto, auto to) { blas::scal(e, a, to); });
                with("axpy", [&](const auto& e, auto from, auto to) { blas::axpy(e, a, from, to); });
                with("xpay", [&](const auto& e, auto from, auto to) { blas::xpay(e, from, a, to); });
                with("waxpby", [&]<class Exec>(const Exec& e, auto from, auto to) {
                    blas::waxpby<multidigit>(e, a, from, b, to, to);
                });
                with("waxpby -1", [&]<class Exec>(const Exec& e, auto from, auto to) {
                    blas::waxpby<multidigit>(e, a, from, multidigit_number(format, -1.0), from, to);
                });
            }
            const auto hx = strided(x.view(), n, xs);
            const auto hy = strided(y.view(), n, ys);
            const auto dy = to_device(exec, y);
            const auto vx = strided(dx.view(), n, xs);
            const auto vy = strided(dy.view(), n, ys);
            EXPECT_TRUE(same_words(blas::dot<multidigit>(host, hx, hy), blas::dot<multidigit>(exec, vx, vy)));
            EXPECT_TRUE(same_words(blas::asum<multidigit>(host, hx), blas::asum<multidigit>(exec, vx)));
            EXPECT_TRUE(same_words(blas::norm_inf<multidigit>(host, hx), blas::norm_inf<multidigit>(exec, vx)));
            EXPECT_TRUE(same_words(blas::norm2<multidigit>(host, hx), blas::norm2<multidigit>(exec, vx)));
        }
    }
}

TEST_P(multidigit_cuda_test, long_sums)
{
    SCOPED_TRACE(random.trace());
    const auto pool = random_vector(511);
    for (const index_t n : {511, 2049, 40003, GetParam() == 64 ? 2200003 : 0}) {
        vector<host_executor, multidigit> x(format, n), y(format, n);
        for (index_t i = 0; i < n; ++i) {
            x.set(i, pool.get(i % 511));
            y.set(i, pool.get(i * 7 % 510));
        }
        const auto dx = to_device(exec, x), dy = to_device(exec, y);
        EXPECT_TRUE(same_words(blas::dot<multidigit>(host, x, y), blas::dot<multidigit>(exec, dx, dy))) << n;
        EXPECT_TRUE(same_words(blas::norm2<multidigit>(host, x), blas::norm2<multidigit>(exec, dx))) << n;
        EXPECT_TRUE(same_words(blas::norm_inf<multidigit>(host, x), blas::norm_inf<multidigit>(exec, dx))) << n;
    }
}

/// x in a format of so many terms and back, with powers of two.
template <number T>
void expect_same_conversions(const cuda_executor& exec, const vector<host_executor, multidigit>& x,
                             const buffer<host_executor, int>& exponents)
{
    const index_t n = x.size();
    const auto dx = to_device(exec, x);
    const auto de = to_device(exec, exponents);
    vector<host_executor, T> terms(n);
    vector<cuda_executor, T> device_terms(n, exec);
    blas::convert(host, x.view(), terms.view(), {exponents.data(), 5});
    blas::convert(exec, dx.view(), device_terms.view(), {de.data(), 5});
    EXPECT_TRUE(same_bits(to_host(exec, device_terms), terms)) << number_traits<T>::name;
    auto expected = x;
    auto device = dx;
    blas::convert(host, std::as_const(terms).view(), expected.view(), {exponents.data(), -7});
    blas::convert(exec, std::as_const(device_terms).view(), device.view(), {de.data(), -7});
    const auto back = to_host(exec, device);
    for (index_t i = 0; i < n; ++i) {
        ASSERT_TRUE(same_words(back.get(i), expected.get(i))) << number_traits<T>::name << ", element " << i;
    }
}

TEST_P(multidigit_cuda_test, states_of_parts_of_sums_are_those_of_the_host)
{
    SCOPED_TRACE(random.trace());
    for (const index_t n : {0, 1, 2049, 9000, GetParam() == 64 ? 1295460 : 2}) {  // the long one has groups
        const auto x = random_vector(n);
        const auto y = random_vector(n);
        const auto dx = to_device(exec, x);
        const auto dy = to_device(exec, y);
        const index_t block = blas::block_of_sum<multidigit>(n);
        const index_t cut = (n / block + 1) / 2 * block;
        for (const auto& [first, last] : {std::pair<index_t, index_t>{0, n}, {0, cut}, {cut, n}}) {
            const auto on_host = blas::dot_state<host_executor>(host, x.view().part(first, last),
                                                                y.view().part(first, last), {first, n});
            const auto on_device = blas::dot_state<cuda_executor>(exec, dx.view().part(first, last),
                                                                  dy.view().part(first, last), {first, n});
            EXPECT_EQ(blas::to_bytes(on_host), blas::to_bytes(on_device)) << first << " to " << last;
        }
    }
}

TEST_P(multidigit_cuda_test, states_of_blocks_with_groups_some_of_them_empty_are_those_of_the_host)
{
    SCOPED_TRACE(random.trace());
    const index_t words = blas::detail::words_of_sum(format);
    for (const auto& [length, n] : {std::pair<index_t, index_t>{5120, 5220}, {12288, 24676}, {16384, 37768}}) {
        const auto x = random_vector(n), y = random_vector(n);
        const auto dx = to_device(exec, x), dy = to_device(exec, y);
        std::vector<std::uint64_t> on_host(static_cast<std::size_t>((n + length - 1) / length * words));
        std::vector<std::uint64_t> on_device(on_host.size());
        const auto terms = [](const auto& a, const auto& b) {
            return blas::detail::multidigit_terms{{a.start, a.stride}, 0, {b.start, b.stride}, false};
        };
        blas::detail::sum_blocks(host, "test", format, length, n, terms(x.view(), y.view()), on_host.data());
        blas::detail::sum_blocks(exec, "test", format, length, n, terms(dx.view(), dy.view()), on_device.data());
        EXPECT_EQ(on_host, on_device) << length << ", " << n;
    }
}

TEST_P(multidigit_cuda_test, conversions)
{
    SCOPED_TRACE(random.trace());
    const auto x = random_vector(700);
    buffer<host_executor, int> exponents(x.size());
    std::generate_n(exponents.data(), exponents.size(), [&] { return random.integer(-60, 60); });
    expect_same_conversions<double>(exec, x, exponents);
    expect_same_conversions<expansion<double, 2>>(exec, x, exponents);
    expect_same_conversions<expansion<double, 3>>(exec, x, exponents);
    expect_same_conversions<expansion<double, 4>>(exec, x, exponents);
    expect_same_conversions<expansion<double, 8>>(exec, x, exponents);
    for (const long bits : {64, 200, 848}) {
        vector<host_executor, multidigit> y(multidigit_format(bits), x.size());
        vector<cuda_executor, multidigit> dy(multidigit_format(bits), x.size(), exec);
        blas::convert(host, x.view(), y.view(), {exponents.data(), 3});
        blas::convert(exec, to_device(exec, x).view(), dy.view(), {to_device(exec, exponents).data(), 3});
        expect_same("resize", y, dy);
    }
}

TEST_P(multidigit_cuda_test, dense_products)
{
    SCOPED_TRACE(random.trace());
    for (const auto& [m, n] : {std::pair<index_t, index_t>{0, 0}, {1, 1}, {5, 0}, {33, 70}, {70, 33}, {3, 600}}) {
        wild = m == 33;
        const auto a = random_matrix(m + 2, n);
        const auto da = to_device(exec, a);
        const auto x = random_vector(n), y = random_vector(m);
        const auto dx = to_device(exec, x), dy = to_device(exec, y);
        const multidigit_number third = multidigit_number(format, 1.0) / multidigit_number(format, 3.0);
        for (const auto& [alpha, beta] : {std::pair{multidigit_number(format, 1.0), multidigit_number(format)},
                                          {third, -third},
                                          {third, multidigit_number(format)}}) {
            auto expected = y;
            auto device = dy;
            blas::gemv<multidigit>(host, blas::trans::no, alpha, a.view().block(1, 0, m, n), x, beta, expected);
            blas::gemv<multidigit>(exec, blas::trans::no, alpha, da.view().block(1, 0, m, n), dx, beta, device);
            expect_same("gemv", expected, device);
            auto expected_t = x;
            auto device_t = dx;
            blas::gemv<multidigit>(host, blas::trans::yes, alpha, a.view().block(1, 0, m, n), y, beta, expected_t);
            blas::gemv<multidigit>(exec, blas::trans::yes, alpha, da.view().block(1, 0, m, n), dy, beta, device_t);
            expect_same("gemv_t", expected_t, device_t);
            if (m * n > 2400 || m == 3) {
                continue;
            }
            const index_t l = m == 33 ? 67 : 3;
            const auto b = random_matrix(n, l);
            auto c = random_matrix(m, l);
            auto dc = to_device(exec, c);
            blas::gemm<multidigit>(host, blas::trans::no, blas::trans::no, alpha, a.view().block(1, 0, m, n), b, beta,
                                   c);
            blas::gemm<multidigit>(exec, blas::trans::no, blas::trans::no, alpha, da.view().block(1, 0, m, n),
                                   to_device(exec, b), beta, dc);
            const auto found = to_host(exec, dc);
            for (index_t j = 0; j < l; ++j) {
                for (index_t i = 0; i < m; ++i) {
                    ASSERT_TRUE(same_words(c.get(i, j), found.get(i, j))) << "gemm " << i << ", " << j;
                }
            }
        }
    }
}

TEST_P(multidigit_cuda_test, sparse_products_and_triangles)
{
    SCOPED_TRACE(random.trace());
    for (const index_t n : {1, 40, 300}) {
        wild = n == 40;
        const auto a = random_sparse(n);
        csr<host_executor, multidigit> own(n, n, random_vector(a.entries()));
        std::copy(a.row_begin().begin(), a.row_begin().end(), own.row_begin().begin());
        std::copy(a.col().begin(), a.col().end(), own.col().begin());
        const auto x = random_vector(n), y = random_vector(n);
        const auto dx = to_device(exec, x), dy = to_device(exec, y);
        const multidigit_number third = multidigit_number(format, 1.0) / multidigit_number(format, 3.0);
        for (const auto& [alpha, beta] :
             {std::pair{multidigit_number(format, 1.0), multidigit_number(format)}, {third, -third}}) {
            const auto with = [&, alpha = alpha, beta = beta](const std::string& name, const auto& matrix) {
                auto expected = y;
                auto device = dy;
                blas::spmv<multidigit>(host, alpha, matrix, x.view(), beta, expected.view());
                blas::spmv<multidigit>(exec, alpha, to_device(exec, matrix), dx.view(), beta, device.view());
                expect_same(name, expected, device);
            };
            with("spmv csr", a);
            with("spmv sliced", sliced_ell<host_executor, double>(a));
            with("spmv csr own", own);
            with("spmv sliced own", sliced_ell<host_executor, multidigit>(own));
        }
        for (const blas::uplo triangle : {blas::uplo::lower, blas::uplo::upper}) {
            for (const blas::diag diagonal : {blas::diag::non_unit, blas::diag::unit}) {
                auto expected = y;
                auto device = dy;
                blas::trsv<multidigit>(host, triangle, diagonal, a, y, expected);
                blas::trsv<multidigit>(exec, blas::device_levels(exec, blas::find_levels(triangle, a)), diagonal,
                                       to_device(exec, a), dy, device);
                expect_same("trsv", expected, device);
            }
        }
        blas::scaled_permutation<host_executor> p{buffer<host_executor, index_t>(n), buffer<host_executor, double>(n)};
        for (index_t i = 0; i < n; ++i) {
            p.source.data()[i] = (i * 7 + 3) % n;
            p.factor.data()[i] = std::ldexp(1.0, random.integer(-1022, 1023));
        }
        auto expected = y;
        auto device = dy;
        blas::permute<host_executor>(host, p, x, expected);
        blas::permute<cuda_executor>(exec, {to_device(exec, p.source), to_device(exec, p.factor)}, dx, device);
        expect_same("permute", expected, device);
    }
}

TEST_P(multidigit_cuda_test, refuses_what_does_not_fit)
{
    const vector<cuda_executor, multidigit> x(format, 3, exec);
    vector<cuda_executor, multidigit> y(format, 4, exec);
    vector<cuda_executor, multidigit> other(multidigit_format(GetParam() == 64 ? 65 : 64), 3, exec);
    EXPECT_THROW(blas::axpy<multidigit>(exec, multidigit_number(format), x, y), dimension_error);
    EXPECT_THROW(blas::axpy<multidigit>(exec, multidigit_number(format), x, other), error);
    EXPECT_THROW(blas::dot<multidigit>(exec, x, y), dimension_error);
}

}  // namespace
}  // namespace residua::support
