#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/slices/slices.hpp>
#include <residua/blas/exact/byte_product.hpp>
#include <residua/blas/exact/gemv_exact.hpp>

#include "tests/blas/exact/exact_oracle.hpp"
#include "tests/blas/exact/integer.hpp"
#include "tests/support/biased_random.hpp"
#include "tests/support/on_cuda.hpp"
#include "tests/support/scale.hpp"

namespace residua {
namespace {

using namespace support;
using namespace blas::detail;

/// Vectors of integers below 2^bits, some small, some all ones.
struct host_vectors {
    index_t count;
    index_t length;
    int words;
    std::vector<std::uint64_t> word;

    host_vectors(biased_random& random, index_t vectors, index_t elements, int bits)
        : count(padded_to_group(vectors)),
          length(padded_to_group(elements)),
          words(bits / 64 + 1),
          word(static_cast<std::size_t>(count * length * words))
    {
        for (index_t v = 0; v < vectors; ++v) {
            for (index_t l = 0; l < elements; ++l) {
                const int kind = random.integer(0, 4);
                for (int shift = 0; shift + 30 <= bits && kind > 0; shift += 30) {
                    const auto part =
                        kind == 1 ? (std::int64_t{1} << 30) - 1 : static_cast<std::int64_t>(random.bits() >> 34);
                    at(v, l).add(kind == 3 ? -part : part, shift);
                    if (kind == 4 && random.one_in(4)) {
                        break;
                    }
                }
            }
        }
    }

    long_integer at(index_t v, index_t l) { return {word.data() + v * length + l, count * length, words}; }
};

struct byte_product_cuda_test : on_cuda<double> {
    byte_planes planes(const host_vectors& x, const byte_moduli& moduli)
    {
        buffer<cuda_executor, std::uint64_t> words(static_cast<index_t>(x.word.size()), device);
        residua::detail::cuda_copy_in(device, words.data(), x.word.data(), x.word.size() * sizeof(std::uint64_t));
        return {device, {words.data(), x.count * x.length, x.words, x.count, x.length}, moduli};
    }
};

TEST_F(byte_product_cuda_test, products_are_exact)
{
    SCOPED_TRACE(random.trace());
    struct shape {
        index_t m, k, n;
        int bits;
    };
    for (const auto& [m, k, n, bits] :
         {shape{1, 1, 1, 30}, shape{17, 5, 3, 60}, shape{9, 40, 21, 160}, shape{40, 100, 33, 230},
          shape{3, 3000, 2, 212}, shape{20, 9, 30, 430}, shape{70, 33, 20, 870}, shape{5, 40, 3, 1023},
          shape{5, 20, 7, 2060}, shape{3, 7, 2, 4100}, shape{2, 5, 3, 8900}}) {
        host_vectors a(random, m, k, bits);
        host_vectors b(random, n, k, bits);
        int of_terms = 0;
        while ((index_t{1} << of_terms) < k) {
            ++of_terms;
        }
        const byte_moduli moduli(device, 2L * bits + of_terms + 3, a.words);
        const index_t size = a.count * b.count;
        buffer<cuda_executor, std::uint64_t> c(size * moduli.words(), device, uninitialized{});
        multiply_bytes(device, planes(a, moduli), planes(b, moduli), 0, b.count, moduli, c.data(), size);
        std::vector<std::uint64_t> found(static_cast<std::size_t>(c.size()));
        residua::detail::cuda_copy_out(device, found.data(), c.data(), found.size() * sizeof(std::uint64_t));
        for (index_t i = 0; i < m; ++i) {
            for (index_t j = 0; j < n; ++j) {
                integer sum;
                for (index_t l = 0; l < k; ++l) {
                    sum.add_product(integer(a.at(i, l)), integer(b.at(j, l)));
                }
                ASSERT_TRUE(integer(long_integer{found.data() + i + j * a.count, size, moduli.words()}) == sum)
                    << bits << " bits, " << i << ' ' << j << ", " << moduli.set().size() << " moduli";
            }
        }
    }
}

/// Products on the device are those of the host, bit for bit.
template <class T>
struct exact_on_both {
    const exact_format<T>& format;
    const cuda_executor& device;

    void expect_same(const typename exact_format<T>::matrix& a, const typename exact_format<T>::matrix& b, long q) const
    {
        auto expected = format.zeros(a.rows(), b.cols());
        blas::gemm_exact<T>(host_executor{}, a, b, expected, {q});
        auto c = to_device(device, format.zeros(a.rows(), b.cols()));
        blas::gemm_exact<T>(device, to_device(device, a), to_device(device, b), c, {q});
        const auto found = to_host(device, c);
        for (index_t j = 0; j < b.cols(); ++j) {
            for (index_t i = 0; i < a.rows(); ++i) {
                ASSERT_TRUE(exact_format<T>::same(found.get(i, j), expected.get(i, j)))
                    << i << ' ' << j << ", " << q << " bits, " << exact_format<T>::leading(found.get(i, j)) << " and "
                    << exact_format<T>::leading(expected.get(i, j));
            }
        }
    }

    /// A x and x' x, x the first column of B.
    void expect_same_sums(const typename exact_format<T>::matrix& a, const typename exact_format<T>::matrix& b,
                          long q) const
    {
        auto x = format.zeros(b.rows());
        for (index_t l = 0; l < b.rows(); ++l) {
            x.set(l, b.get(l, 0));
        }
        auto expected = format.zeros(a.rows());
        blas::gemv_exact<T>(host_executor{}, a, x, expected, {q});
        const auto on_device = to_device(device, a);
        const auto x_on_device = to_device(device, x);
        const blas::exact_matrix<cuda_executor, T> whole(device, on_device, {q});
        for (const bool prepared : {false, true, true}) {
            auto y = to_device(device, format.zeros(a.rows()));
            if (prepared) {
                whole.multiply(device, x_on_device, y);
            } else {
                blas::gemv_exact<T>(device, on_device, x_on_device, y, {q});
            }
            const auto found = to_host(device, y);
            for (index_t i = 0; i < a.rows(); ++i) {
                ASSERT_TRUE(exact_format<T>::same(found.get(i), expected.get(i))) << i << ", " << q << " bits";
            }
        }
        auto square = format.zeros(index_t{1});
        blas::dot_exact<T>(host_executor{}, x, x, square, {q});
        auto result = to_device(device, format.zeros(index_t{1}));
        blas::dot_exact<T>(device, x_on_device, x_on_device, result, {q});
        ASSERT_TRUE(exact_format<T>::same(to_host(device, result).get(0), square.get(0))) << q << " bits";
    }

    /// A scale below 0.1 leaves the smallest cases, for compute-sanitizer, which takes a thousand times as long.
    void expect_all(biased_random& random) const
    {
        const bool is_small = test_scale() < 0.1;
        constexpr index_t shapes[][3] = {{1, 1, 1}, {5, 3, 2}, {33, 70, 50}, {3, 0, 2}, {2, 300, 17}};
        for (const auto& [m, k, n] : shapes) {
            if (static_cast<double>(m * k * n) > 115500 * test_scale()) {
                continue;
            }
            for (const exact_kind kind : exact_kinds) {
                exact_factors<T> of(format, random, kind, m, k, n);
                SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + " k = " + std::to_string(k));
                for (const long q : is_small ? std::vector<long>{0, 106} : std::vector<long>{0, 1, 53, 106, 300}) {
                    expect_same(of.a, of.b, q);
                    expect_same_sums(of.a, of.b, q);
                }
                if (k > 1 && m > 2) {
                    of.a.set(1, 1, format.from(std::numeric_limits<double>::infinity()));
                    of.b.set(0, 1, format.from(std::numeric_limits<double>::quiet_NaN()));
                    expect_same(of.a, of.b, 0);
                    expect_same_sums(of.a, of.b, 0);
                }
            }
        }
        if (test_scale() >= 1) {
            const exact_factors<T> of(format, random, exact_kind::cancelling, 2, 20000, 1);  // in parts
            expect_same_sums(of.a, of.b, 0);
        }
    }
};

template <class T>
class gemm_exact_cuda_test : public on_cuda<T> {};
using device_formats = testing::Types<double, expansion<double, 2>, expansion<double, 4>, expansion<double, 8>>;
TYPED_TEST_SUITE(gemm_exact_cuda_test, device_formats);

TYPED_TEST(gemm_exact_cuda_test, gives_the_bits_of_the_host)
{
    SCOPED_TRACE(this->random.trace());
    const exact_format<TypeParam> format;
    exact_on_both<TypeParam>{format, this->device}.expect_all(this->random);
}

struct gemm_exact_multidigit_cuda_test : on_cuda<multidigit> {};

TEST_F(gemm_exact_multidigit_cuda_test, gives_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    for (const long bits : test_scale() < 0.1 ? std::vector<long>{65, 212, 848}
                                              : std::vector<long>{64, 65, 106, 212, 424, 609, 848, 1696}) {
        SCOPED_TRACE(std::to_string(bits) + " bits");
        const exact_format<multidigit> format{multidigit_format(bits)};
        exact_on_both<multidigit>{format, device}.expect_all(random);
    }
}

struct gemm_exact_rns_cuda_test : on_cuda<rns> {};

TEST_F(gemm_exact_rns_cuda_test, gives_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    for (const long bits : {60, 212, 848, 1734}) {
        SCOPED_TRACE(std::to_string(bits) + " bits");
        const exact_format<rns> format{rns_format(bits)};
        exact_on_both<rns>{format, device}.expect_all(random);
    }
}

// What a device cannot add up is refused with what to do.
TEST_F(gemm_exact_multidigit_cuda_test, sums_that_are_too_long_are_refused)
{
    const exact_format<multidigit> format{multidigit_format(64)};
    auto a = format.zeros(1, 2);
    a.set(0, 0, format.power_of_two(10000));
    a.set(0, 1, format.power_of_two(-10000));
    const auto on_device = to_device(device, a);
    auto b = format.zeros(2, 1);
    b.set(0, 0, format.from(1.0));
    b.set(1, 0, format.from(1.0));
    auto c = to_device(device, format.zeros(1, 1));
    EXPECT_THROW(blas::gemm_exact<multidigit>(device, on_device, to_device(device, b), c), unsupported_error);
    blas::gemm_exact<multidigit>(device, on_device, to_device(device, b), c, {100});
    EXPECT_TRUE(exact_format<multidigit>::same(to_host(device, c).get(0, 0), format.power_of_two(10000)));
}

}  // namespace
}  // namespace residua
