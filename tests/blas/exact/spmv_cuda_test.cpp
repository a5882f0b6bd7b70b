#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/blas/exact/exact_sparse.hpp"
#include "tests/support/on_cuda.hpp"

namespace residua {
namespace {

using namespace support;

/// Elements on the device are those of the host, bit for bit, in both storages.
template <class T, class V>
struct sparse_on_both {
    const exact_format<T>& format;
    const cuda_executor& device;

    void expect_same(const exact_system<T, V>& s, long q) const
    {
        const host_executor host;
        const index_t m = s.a.rows();
        auto y = format.zeros(m);
        auto r = format.zeros(m);
        blas::spmv_exact<T, V>(host, s.a, s.x, y, {q});
        blas::residual_exact<T, V>(host, s.a, s.x, s.b, r, {q});

        const auto a = to_device(device, s.a);
        const auto sliced = to_device(device, sliced_ell<host_executor, V>(s.a));
        const auto x = to_device(device, s.x);
        const auto b = to_device(device, s.b);
        auto found = to_device(device, format.zeros(m));
        blas::spmv_exact<T, V>(device, a, x, found, {q});
        expect_equal(found, y, q, "A x");
        blas::spmv_exact<T, V>(device, sliced, x, found, {q});
        expect_equal(found, y, q, "A x, sliced");
        blas::residual_exact<T, V>(device, a, x, b, found, {q});
        expect_equal(found, r, q, "b - A x");
        auto in_place = to_device(device, s.b);
        blas::residual_exact<T, V>(device, sliced, x, in_place, in_place, {q});
        expect_equal(in_place, r, q, "b - A x in the place of b, sliced");
    }

    template <class Device, class Host>
    void expect_equal(const Device& on_device, const Host& expected, long q, const char* what) const
    {
        const auto found = to_host(device, on_device);
        for (index_t i = 0; i < expected.size(); ++i) {
            ASSERT_TRUE(exact_format<T>::same(found.get(i), expected.get(i)))
                << what << ", row " << i << ", " << q << " bits: " << exact_format<T>::leading(found.get(i)) << " and "
                << exact_format<T>::leading(expected.get(i));
        }
    }
};

template <class T, class V>
void expect_all(const exact_format<T>& format, const exact_format<V>& of_matrix, const cuda_executor& device,
                biased_random& random)
{
    const sparse_on_both<T, V> both{format, device};
    constexpr index_t shapes[][2] = {{1, 1}, {3, 0}, {19, 24}, {65, 7}, {130, 9}, {3, 150}};
    for (const auto& [m, n] : shapes) {
        for (const exact_kind kind : exact_kinds) {
            SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + ", " + std::to_string(m) + " rows");
            exact_system<T, V> s(format, of_matrix, random, kind, m, n);
            for (const long q : {0, 1, 106, 300}) {
                both.expect_same(s, q);
            }
            if (m > 10 && n > 3) {
                s.x.set(3, format.from(std::numeric_limits<double>::infinity()));
                s.b.set(4, format.from(std::numeric_limits<double>::quiet_NaN()));
                both.expect_same(s, 0);
                both.expect_same(s, 106);
            }
        }
    }
}

template <class T>
class spmv_exact_cuda_test : public on_cuda<T> {};
using device_formats = testing::Types<expansion<double, 2>, expansion<double, 3>, expansion<double, 4>,
                                      expansion<double, 6>, expansion<double, 8>>;
TYPED_TEST_SUITE(spmv_exact_cuda_test, device_formats);

TYPED_TEST(spmv_exact_cuda_test, gives_the_bits_of_the_host)
{
    SCOPED_TRACE(this->random.trace());
    const exact_format<TypeParam> format;
    expect_all(format, exact_format<double>{}, this->device, this->random);
    expect_all(format, format, this->device, this->random);
}

struct spmv_exact_binary64_cuda_test : on_cuda<double> {};

TEST_F(spmv_exact_binary64_cuda_test, gives_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    const exact_format<double> format;
    expect_all(format, format, device, random);
}

struct spmv_exact_rns_cuda_test : on_cuda<rns> {};
struct spmv_exact_rns_bits_cuda_test : on_cuda<rns>, testing::WithParamInterface<long> {};

TEST_P(spmv_exact_rns_bits_cuda_test, gives_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    const exact_format<rns> format{rns_format(GetParam())};
    expect_all(format, exact_format<double>{}, device, random);
    expect_all(format, format, device, random);
}

INSTANTIATE_TEST_SUITE_P(bits, spmv_exact_rns_bits_cuda_test, testing::Values(60, 212, 848, 1734),
                         testing::PrintToStringParamName());

struct spmv_exact_multidigit_cuda_test : on_cuda<multidigit> {};
struct spmv_exact_multidigit_bits_cuda_test : on_cuda<multidigit>, testing::WithParamInterface<long> {};

// Up to 512 and 1024 bits rows of numbers of about one size are summed in the window, all others as they come.
TEST_P(spmv_exact_multidigit_bits_cuda_test, gives_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    const exact_format<multidigit> format{multidigit_format(GetParam())};
    expect_all(format, exact_format<double>{}, device, random);
    if (GetParam() < 2000) {
        expect_all(format, format, device, random);
    }
}

INSTANTIATE_TEST_SUITE_P(bits, spmv_exact_multidigit_bits_cuda_test,
                         testing::Values(64, 65, 106, 128, 160, 192, 212, 256, 300, 370, 424, 500, 609, 736, 848, 1000,
                                         1696, 4096),
                         testing::PrintToStringParamName());

// The window holds every other row: the rows of the rest meet on the list.
TEST_F(spmv_exact_multidigit_cuda_test, rows_of_either_kind_stand_side_by_side)
{
    SCOPED_TRACE(random.trace());
    const exact_format<multidigit> format{multidigit_format(212)};
    constexpr index_t m = 100000;
    constexpr index_t n = 1000;
    csr<host_executor, double> a(m, n, 3 * m);
    for (index_t i = 0; i < m; ++i) {
        for (index_t k = 0; k < 3; ++k) {
            a.col()[static_cast<std::size_t>(3 * i + k)] = static_cast<column_t>((7 * i) % 300 + 300 * k);
            a.value().data()[3 * i + k] = random.value(k == 1 && i % 2 == 0 ? 300 : 0, k == 1 && i % 2 == 0 ? 310 : 3);
        }
        a.row_begin()[static_cast<std::size_t>(i) + 1] = 3 * (i + 1);
    }
    exact_system<multidigit, double> s(format, exact_format<double>{}, random, exact_kind::uniform, 1, n);
    s.a = a;
    s.b = format.zeros(m);
    for (index_t i = 0; i < m; ++i) {
        s.b.set(i, format.any(random, -2, 2));
    }
    sparse_on_both<multidigit, double>{format, device}.expect_same(s, 0);
}

// Operands of several precisions, and terms of sums that lie 10^9 bits apart.
template <class T>
void expect_sums_of_any_length(const exact_format<T>& format, const exact_format<T>& other, const cuda_executor& device,
                               biased_random& random)
{
    const sparse_on_both<T, T> both{format, device};
    for (const exact_kind kind : exact_kinds) {
        exact_system<T, T> s(format, other, random, kind, 40, 17);
        both.expect_same(s, 0);
        for (index_t l = 0; l < s.x.size(); ++l) {
            s.x.set(l, ldexp(s.x.get(l), 100000000 * (l % 9 - 4)));
        }
        both.expect_same(s, 0);
        both.expect_same(s, 100);
    }
}

TEST_F(spmv_exact_multidigit_cuda_test, precisions_may_differ_and_sums_be_of_any_length)
{
    SCOPED_TRACE(random.trace());
    expect_sums_of_any_length<multidigit>({multidigit_format(212)}, {multidigit_format(700)}, device, random);
}

TEST_F(spmv_exact_rns_cuda_test, precisions_may_differ_and_sums_be_of_any_length)
{
    SCOPED_TRACE(random.trace());
    expect_sums_of_any_length<rns>({rns_format(212)}, {rns_format(700)}, device, random);
}

}  // namespace
}  // namespace residua
