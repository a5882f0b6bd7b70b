// Conversions on a device give the words that the host gives.
#include <utility>
#include <vector>

#include <residua/blas/level1/convert.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/blas/rns/level1.hpp>

#include "tests/blas/multidigit/hostile.hpp"
#include "tests/blas/rns/hostile.hpp"
#include "tests/support/cuda_formats.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr host_executor host;
constexpr index_t sizes[] = {0, 1, 31, 32, 33, 255, 257, 100003};

/// Two formats that convert goes between, of N and M > N terms.
template <int N, int M>
struct pair_of_formats {
    using shorter = blas::format_of_terms<N>;
    using longer = expansion<double, M>;
};

template <class Pair>
struct convert_cuda_test : on_cuda<Pair> {};
using pairs =
    testing::Types<pair_of_formats<1, 2>, pair_of_formats<1, 3>, pair_of_formats<1, 4>, pair_of_formats<1, 6>,
                   pair_of_formats<1, 8>, pair_of_formats<2, 4>, pair_of_formats<3, 6>, pair_of_formats<4, 8>>;
TYPED_TEST_SUITE(convert_cuda_test, pairs);

struct convert_cuda_long_test : on_cuda<void> {};

/// Terms that may touch, ties, subnormal and overflowing numbers, zeros, and what is not finite.
template <class T>
T hostile(biased_random& random)
{
    if constexpr (number_traits<T>::terms == 1) {
        return random.any();
    } else {
        T x;
        const int kind = random.integer(0, 7);
        const int low = kind == 0 ? -1074 : kind == 1 ? 900 : -40;
        const int high = kind == 0 ? -900 : kind == 1 ? max_exponent : 40;
        random.fill_expansion(x.t, low, high, random.one_in(2) ? nonoverlap::nearest : nonoverlap::ulp);
        if (kind == 2) {
            x = T{random.any()};
        } else if (kind == 3) {
            x.t[1] = 0.5 * ulp(x.t[0]) * random.sign();
            for (int k = 2; k < number_traits<T>::terms; ++k) {
                x.t[k] = k == 2 && random.one_in(2) ? x.t[1] * 0x1p-60 * random.sign() : 0.0;
            }
        } else if (kind == 4 && random.one_in(4)) {
            x = T{random.sign() * std::numeric_limits<double>::infinity()};
        }
        return x;
    }
}

template <class To, class From>
void expect_the_same(const cuda_executor& device, index_t n, biased_random& random)
{
    vector<host_executor, From> x(n);
    for (index_t i = 0; i < n; ++i) {
        x.set(i, hostile<From>(random));
    }
    vector<host_executor, To> y(n);
    vector<cuda_executor, To> dy(n, device);
    const auto dx = to_device(device, x);
    blas::convert(host, std::as_const(x).view(), y.view());
    blas::convert(device, dx.view(), dy.view());
    EXPECT_TRUE(same_bits(y, to_host(device, dy))) << "n = " << n;
}

}  // namespace

TYPED_TEST(convert_cuda_test, gives_the_bits_of_the_host)
{
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : sizes) {
        expect_the_same<typename TypeParam::longer, typename TypeParam::shorter>(this->device, n, this->random);
        expect_the_same<typename TypeParam::shorter, typename TypeParam::longer>(this->device, n, this->random);
    }
}

TEST_F(convert_cuda_long_test, multidigit_floats_get_the_words_of_the_host)
{
    SCOPED_TRACE(random.trace());
    for (const auto& [from, to] : std::vector<std::pair<long, long>>{
             {64, 128}, {128, 64}, {200, 100}, {150, 300}, {97, 95}, {1000, 2000}, {2000, 1000}, {4096, 4096}}) {
        for (const index_t n : sizes) {
            if (from + to > 1000 && n > 1000) {
                continue;
            }
            vector<host_executor, multidigit> x(multidigit_format(from), n), y(multidigit_format(to), n);
            for (index_t i = 0; i < n; ++i) {
                x.set(i, hostile_multidigit(x.format(), to, random));
            }
            const auto dx = to_device(device, x);
            vector<cuda_executor, multidigit> dy(multidigit_format(to), n, device);
            blas::convert<host_executor>(host, x, y.view());
            blas::convert<cuda_executor>(device, dx, dy.view());
            const auto words = to_host(device, dy);
            for (index_t i = 0; i < n; ++i) {
                ASSERT_TRUE(same_words(y.get(i), words.get(i))) << "from " << from << " to " << to << ", element " << i;
            }

            vector<host_executor, double> z(n);
            vector<cuda_executor, double> dz(n, device);
            blas::convert<host_executor>(host, x, z.view());
            blas::convert<cuda_executor>(device, dx, dz.view());
            EXPECT_TRUE(same_bits(z, to_host(device, dz))) << from << " bits, n = " << n;

            blas::convert(host, std::as_const(z).view(), y.view());
            blas::convert(device, std::as_const(dz).view(), dy.view());
            const auto back = to_host(device, dy);
            for (index_t i = 0; i < n; ++i) {
                ASSERT_TRUE(same_words(y.get(i), back.get(i))) << "binary64 to " << to << ", element " << i;
            }
        }
    }
}

TEST_F(convert_cuda_long_test, rns_floats_and_binary64_get_the_words_of_the_host)
{
    SCOPED_TRACE(random.trace());
    for (const long bits : {53L, 106L, 159L, 212L, 424L, 848L, 1696L}) {  // one thread a number, and up to 16
        const rns_format format(bits);
        for (const index_t n : sizes) {
            if (bits > 212 && n > 1000) {
                continue;
            }
            vector<host_executor, rns> x(format, n);
            for (index_t i = 0; i < n; ++i) {
                x.set(i, hostile_rns(format, random));
            }
            const auto dx = to_device(device, x);
            vector<host_executor, double> y(n);
            vector<cuda_executor, double> dy(n, device);
            blas::convert<host_executor>(host, x, y.view());
            blas::convert<cuda_executor>(device, dx, dy.view());
            EXPECT_TRUE(same_bits(y, to_host(device, dy))) << bits << " bits, n = " << n;

            for (index_t i = 0; i < n; ++i) {
                y.set(i, random.any());
            }
            vector<cuda_executor, rns> dz(format, n, device);
            blas::convert<host_executor>(host, y, x.view());
            blas::convert<cuda_executor>(device, to_device(device, y), dz.view());
            const auto words = to_host(device, dz);
            for (index_t i = 0; i < n; ++i) {
                ASSERT_TRUE(same_words(x.get(i), words.get(i))) << bits << " bits, element " << i << ": " << y.get(i);
            }
        }
    }
}
