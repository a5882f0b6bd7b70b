#include <gtest/gtest.h>

#include "tests/blas/level3/products.hpp"
#include "tests/support/cuda_formats.hpp"

namespace residua {
namespace {

using namespace support;
using blas::slice_type;

const host_executor host;

struct gemm_ozaki_cuda_test : on_cuda<double> {
    host_matrix product(const host_matrix& a, const host_matrix& b, const blas::ozaki_options& options)
    {
        const auto da = to_device(device, a);
        const auto db = to_device(device, b);
        matrix<cuda_executor, double> c(a.rows(), b.cols(), device);
        blas::gemm_ozaki(device, da.view(), db.view(), c.view(), options);
        return to_host(device, c);
    }
};

TEST_F(gemm_ozaki_cuda_test, all_slices_give_the_rounded_product)
{
    SCOPED_TRACE(random.trace());
    for (const auto& [m, k, n] : shapes) {
        for (const auto kind : kinds) {
            const auto [a, b] = random_factors(random, kind, m, k, n);
            const auto expected = rounded_product(a, b);
            for (const auto type : {slice_type::binary32, slice_type::binary64, slice_type::int8}) {
                EXPECT_TRUE(same_numbers(product(a, b, {type, 0}), expected))
                    << name(kind) << ' ' << m << ' ' << k << ' ' << static_cast<int>(type);
            }
        }
    }
}

TEST_F(gemm_ozaki_cuda_test, large_products_have_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    for (const auto kind : {factors::uniform, factors::cancelling, factors::wide}) {
        const auto [a, b] = random_factors(random, kind, 300, 9001, 130);
        host_matrix expected(a.rows(), b.cols());
        blas::gemm_ozaki(host, a.view(), b.view(), expected.view(), {slice_type::binary64, 0});
        for (const auto type : {slice_type::binary32, slice_type::binary64, slice_type::int8}) {
            EXPECT_TRUE(same_numbers(product(a, b, {type, 0}), expected))
                << name(kind) << ' ' << static_cast<int>(type);
        }
    }
}

TEST_F(gemm_ozaki_cuda_test, slices_gain_as_published)
{
    const auto [a, b] = random_factors(random, factors::uniform, 512, 4096, 256);
    host_matrix exact(a.rows(), b.cols());
    blas::gemm_ozaki(host, a.view(), b.view(), exact.view(), {slice_type::binary64, 0});
    const double one = greatest_relative_error(product(a, b, {slice_type::binary32, 1}), exact);
    const double two = greatest_relative_error(product(a, b, {slice_type::binary32, 2}), exact);
    const double three = greatest_relative_error(product(a, b, {slice_type::binary32, 3}), exact);
    EXPECT_GT(one / two, 15.0);
    EXPECT_GT(one / three, 500.0);
    std::printf("gains %.1f and %.1f\n", one / two, one / three);
}

TEST_F(gemm_ozaki_cuda_test, slices_keep_their_bound)
{
    for (const auto kind : {factors::uniform, factors::wide, factors::cancelling, factors::graded}) {
        const auto [a, b] = random_factors(random, kind, 9, 77, 8);
        for (int s = 1; s <= 5; ++s) {
            for (const auto type : {slice_type::binary32, slice_type::binary64}) {
                const int exact_bits = type == slice_type::binary32 ? 24 : 53;
                const double bound =
                    s * 77.0 * (s * 77.0 + 5) * pow2(-slice_bits(exact_bits, 77) * (s - 1)) * pow2(-exact_bits) +
                    77.0 * (s * s + 2) * (1 + 77.0 / 4096) * 0x1p-53;
                EXPECT_LE(greatest_error(product(a, b, {type, s}), a, b), bound) << name(kind) << ' ' << s;
            }
            EXPECT_LE(greatest_error(product(a, b, {slice_type::int8, s}), a, b), 77.0 * (s + 2) * pow2(-7 * s))
                << name(kind) << ' ' << s;
        }
    }
}

}  // namespace
}  // namespace residua
