#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/exact/gemv_exact.hpp>
#include <residua/blas/exact/rns.hpp>

#include "tests/blas/exact/exact_sparse.hpp"
#include "tests/support/on_cuda.hpp"

namespace residua {
namespace {

using namespace support;

using rns_vector = exact_format<rns>::vector;
using rns_matrix = exact_format<rns>::matrix;

exact_format<rns> of_bits(long bits) { return {rns_format(bits)}; }

/// What makes exact products of RNS floats other than those of multi-digit floats, on a device as on the host.
struct exact_rns_cuda_test : on_cuda<rns> {
    const host_executor host{};

    template <class Device, class Host>
    void expect_equal(const Device& on_device, const Host& expected) const
    {
        const auto found = to_host(device, on_device);
        for (index_t i = 0; i < expected.size(); ++i) {
            ASSERT_TRUE(exact_format<rns>::same(found.get(i), expected.get(i)))
                << "number " << i << ": " << to_double(found.get(i)) << " and " << to_double(expected.get(i));
        }
    }

    /// y = A x of the format `to`
    void expect_same_sums(const exact_format<rns>& to, const rns_matrix& a, const rns_vector& x, long q) const
    {
        auto expected = to.zeros(a.rows());
        blas::gemv_exact<rns>(host, a, x, expected, {q});
        const auto a_there = to_device(device, a);
        const auto x_there = to_device(device, x);
        auto y = to_device(device, to.zeros(a.rows()));
        blas::gemv_exact<rns>(device, a_there, x_there, y, {q});
        expect_equal(y, expected);
        const blas::exact_matrix<cuda_executor, rns> whole(device, a_there, {q});
        auto again = to_device(device, to.zeros(a.rows()));
        whole.multiply(device, x_there, again);
        expect_equal(again, expected);
    }

    /// Refused, with one line that names the exponent.
    template <class Product>
    void expect_refused(long exponent, const Product& product) const
    {
        try {
            product();
            FAIL() << "accepted";
        } catch (const unsupported_error& refused) {
            const std::string message = refused.what();
            EXPECT_NE(message.find(std::to_string(exponent)), std::string::npos) << message;
            EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        }
    }
};

// As operations leave them: significands with zeros at their end, up to 2^width, and ranges that enclose them loosely.
TEST_F(exact_rns_cuda_test, any_significand_is_an_operand)
{
    SCOPED_TRACE(random.trace());
    for (const long bits : {60, 76, 106, 212, 700, 1734}) {
        SCOPED_TRACE(std::to_string(bits) + " bits");
        const auto format = of_bits(bits);
        const auto one = format.from(1.0);
        const auto width = format.precision();
        const auto all_ones = format.power_of_two(width) - one;
        std::vector<rns_number> x{format.from(0.0), one / format.from(0.0), one, -one, all_ones, -all_ones};
        x.push_back(all_ones + format.from(0.5));  // X = 2^width
        auto doubled = one;
        for (long k = 0; k < width; ++k) {
            doubled = doubled + doubled;
            x.push_back(k % 2 == 0 ? doubled : -doubled);
        }
        for (int k = 0; k < 300; ++k) {
            const auto y = format.any(random, -40, 40) / format.any(random, -40, 40);
            x.push_back(y * x[static_cast<std::size_t>(random.integer(2, 5))]);
            x.push_back(y + x[static_cast<std::size_t>(random.integer(2, 5))]);
            x.push_back(y - y * (one + format.power_of_two(5 - width)));
        }
        auto column = format.zeros(static_cast<index_t>(x.size()), 1);
        for (index_t i = 0; i < column.rows(); ++i) {
            column.set(i, 0, x[static_cast<std::size_t>(i)]);
        }
        auto ones = format.zeros(index_t{1});
        ones.set(0, one);
        expect_same_sums(format, column, ones, 0);
        expect_same_sums(of_bits(60), column, ones, 0);
        expect_same_sums(format, column, ones, 50);
    }
}

TEST_F(exact_rns_cuda_test, precisions_may_differ)
{
    SCOPED_TRACE(random.trace());
    for (const exact_kind kind : exact_kinds) {
        SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
        const auto a = exact_factors<rns>(of_bits(300), random, kind, 6, 37, 1).a;
        const auto b = exact_factors<rns>(of_bits(60), random, kind, 1, 37, 5).b;
        auto expected = of_bits(200).zeros(6, 5);
        auto c = to_device(device, expected);
        blas::gemm_exact<rns>(host, a, b, expected);
        blas::gemm_exact<rns>(device, to_device(device, a), to_device(device, b), c);
        const auto found = to_host(device, c);
        auto x = of_bits(60).zeros(index_t{37});
        for (index_t j = 0; j < 5; ++j) {
            for (index_t i = 0; i < 6; ++i) {
                ASSERT_TRUE(exact_format<rns>::same(found.get(i, j), expected.get(i, j))) << i << ' ' << j;
            }
            for (index_t l = 0; l < 37; ++l) {
                x.set(l, b.get(l, j));
            }
            expect_same_sums(of_bits(1000), a, x, j);
        }
    }
}

// Blocks of larger matrices, a row as x, every other number backwards as y; what lies between stays.
TEST_F(exact_rns_cuda_test, operands_and_results_have_strides)
{
    SCOPED_TRACE(random.trace());
    const auto format = of_bits(212);
    const exact_factors<rns> of(format, random, exact_kind::spread, 70, 90, 40);
    const auto a = to_device(device, of.a);
    const auto b = to_device(device, of.b);
    const auto multiply = [&](const auto& exec, const auto& left, const auto& right, auto& c, auto& y) {
        using exec_type = std::remove_cvref_t<decltype(exec)>;
        blas::gemm_exact<rns>(exec, left.view().block(5, 3, 33, 64), right.view().block(20, 7, 64, 31),
                              c.view().block(1, 2, 33, 31));
        const vector_view<exec_type, rns> to = y.view();
        blas::gemv_exact<rns>(exec, left.view().block(5, 3, 33, 40), right.view().row(11),
                              vector_view<exec_type, rns>{to.start.from(64), 33, -2, to.format});
        blas::dot_exact<rns>(exec, left.view().row(2).part(1, 41), right.view().row(3), to.part(65, 66));
    };
    auto c = format.zeros(40, 35);
    auto y = format.zeros(66);
    for (index_t i = 0; i < 66; ++i) {
        y.set(i, format.from(5.0));
        c.set(i % 40, i % 35, format.from(7.0));
    }
    auto c_there = to_device(device, c);
    auto y_there = to_device(device, y);
    multiply(host, of.a, of.b, c, y);
    multiply(device, a, b, c_there, y_there);
    expect_equal(y_there, y);
    const auto found = to_host(device, c_there);
    for (index_t j = 0; j < 35; ++j) {
        for (index_t i = 0; i < 40; ++i) {
            ASSERT_TRUE(exact_format<rns>::same(found.get(i, j), c.get(i, j))) << i << ' ' << j;
        }
    }
}

TEST_F(exact_rns_cuda_test, empty_products_are_zero)
{
    const auto format = of_bits(106);
    const auto none = to_device(device, format.zeros(0, 3));
    const auto wide = to_device(device, format.zeros(3, 0));
    auto nothing = to_device(device, format.zeros(0, 0));
    blas::gemm_exact<rns>(device, none, wide, nothing);
    auto three = format.zeros(3);
    for (index_t i = 0; i < 3; ++i) {
        three.set(i, format.from(9.0));
    }
    auto y = to_device(device, three);
    const auto empty = to_device(device, format.zeros(index_t{0}));
    blas::gemv_exact<rns>(device, wide, empty, y);
    expect_equal(y, format.zeros(index_t{3}));
    auto one = to_device(device, three);
    blas::dot_exact<rns>(device, empty, empty, one.view().part(1, 2));
    three.set(1, format.from(0.0));
    expect_equal(one, three);
    auto no_rows = to_device(device, format.zeros(index_t{0}));
    blas::gemv_exact<rns>(device, none, y, no_rows);
    const csr<cuda_executor, double> a = to_device(device, csr<host_executor, double>(0, 3, 0));
    blas::spmv_exact<rns, double>(device, a, y, no_rows);
    blas::residual_exact<rns, double>(device, a, y, no_rows, no_rows);
}

// A sum 2^32 bits from one; what is beyond is refused, and nothing is left of that.
TEST_F(exact_rns_cuda_test, exponents_of_operands_are_those_of_multidigit_floats)
{
    const long most = blas::detail::most_exact_exponent;
    for (const long bits : {60, 848}) {
        const auto format = of_bits(bits);
        const auto one = format.from(1.0);
        auto ones = format.zeros(40, 40);
        for (index_t i = 0; i < 40; ++i) {
            ones.set(i, (i + 1) % 40, one);
        }
        auto x = format.zeros(40);
        auto square = to_device(device, format.zeros(index_t{1}));
        auto c = to_device(device, format.zeros(40, 40));
        auto y = to_device(device, x);
        for (const long e : {most, -most}) {
            for (index_t l = 0; l < 40; ++l) {
                x.set(l, ldexp(-one, e));
            }
            const auto there = to_device(device, x);
            blas::dot_exact<rns>(device, there, there, square);
            const auto found = to_host(device, square).get(0);
            EXPECT_TRUE(exact_format<rns>::same(found, ldexp(format.from(40.0), 2 * e)));
        }
        for (index_t l = 0; l < 40; ++l) {
            x.set(l, one);
        }
        for (const long e : {most + 1, -most - 1, 1L << 40, -(1L << 40)}) {
            auto far = ones;
            far.set(39, 6, ldexp(-one, e));
            x.set(39, ldexp(one, e));
            const auto a = to_device(device, ones);
            const auto far_a = to_device(device, far);
            const auto far_x = to_device(device, x);
            expect_refused(e, [&] { blas::gemm_exact<rns>(device, far_a, a, c); });
            expect_refused(e, [&] { blas::gemm_exact<rns>(device, a, far_a, c); });
            expect_refused(e, [&] { blas::gemv_exact<rns>(device, a, far_x, y); });
            expect_refused(e, [&] { blas::dot_exact<rns>(device, far_x, far_x, square); });
            expect_refused(e, [&] { blas::exact_matrix<cuda_executor, rns>(device, far_a); });
            const blas::exact_matrix<cuda_executor, rns> whole(device, a);
            expect_refused(e, [&] { whole.multiply(device, far_x, y); });
            const auto narrow =
                to_device(device, sparse(exact_format<double>{}, matrix<host_executor, double>(40, 40)));
            const auto sparse_a = to_device(device, sparse(format, far));
            const auto b = to_device(device, format.zeros(index_t{40}));
            expect_refused(e, [&] { blas::spmv_exact<rns, double>(device, narrow, far_x, y); });
            expect_refused(e, [&] { blas::spmv_exact<rns, rns>(device, sparse_a, b, y); });
            expect_refused(e, [&] { blas::residual_exact<rns, double>(device, narrow, b, far_x, y); });
            x.set(39, one);
            expect_same_sums(format, ones, x, 0);
        }
    }
}

TEST_F(exact_rns_cuda_test, spreads_that_are_too_wide_need_bits)
{
    const auto format = of_bits(106);
    const auto one = format.from(1.0);
    auto x = format.zeros(index_t{2});
    x.set(0, one);
    x.set(1, ldexp(one, -1'000'000'000));
    const auto there = to_device(device, x);
    auto result = to_device(device, format.zeros(index_t{1}));
    EXPECT_THROW(blas::dot_exact<rns>(device, there, there, result), unsupported_error);
    blas::dot_exact<rns>(device, there, there, result, {64});
    EXPECT_TRUE(exact_format<rns>::same(to_host(device, result).get(0), one));
}

}  // namespace
}  // namespace residua
