#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <residua/blas/base/check_cuda.cuh>
#include <residua/blas/level1/asum.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/level1/permute.hpp>
#include <residua/blas/level1/sum_state.hpp>
#include <residua/blas/level1/times_i.hpp>

#include "tests/support/cuda_formats.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr host_executor host;

template <class T>
struct level1_cuda_test : on_cuda<T> {
    /// f(executor, vector) on both executors, from the same vector.
    template <class F>
    void expect_same(const std::string& what, const vector<host_executor, T>& y, const F& f)
    {
        auto on_host = y;
        auto on_device = to_device(this->device, y);
        f(host, on_host);
        f(this->device, on_device);
        EXPECT_TRUE(same_bits(on_host, to_host(this->device, on_device))) << what << ", n = " << y.size();
    }
};
TYPED_TEST_SUITE(level1_cuda_test, cuda_formats);

/// x in the memory of the executor.
template <class T>
const vector<host_executor, T>& at(const host_executor&, const vector<host_executor, T>& x)
{
    return x;
}
template <class T>
vector<cuda_executor, T> at(const cuda_executor& exec, const vector<host_executor, T>& x)
{
    return to_device(exec, x);
}

}  // namespace

TYPED_TEST(level1_cuda_test, elementwise_operations_give_the_bits_of_the_host)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {0, 1, 31, 32, 33, 255, 257, 10003}) {
        const auto x = random_vector<T>(n, this->random);
        auto y = random_vector<T>(n, this->random);
        for (index_t i = 0; i < n; i += 7) {
            y.set(i, -x.get(i));
        }
        for (const T& a : {random_number<T>(this->random), T{1.0}, T{-0.25}, T{0.0}}) {
            const T b = random_number<T>(this->random);
            this->expect_same("copy", y,
                              [&](const auto& exec, auto& w) { blas::copy<T>(exec, at(exec, x).view(), w.view()); });
            this->expect_same("fill", y, [&](const auto& exec, auto& w) { blas::fill<T>(exec, a, w.view()); });
            this->expect_same("scal", y, [&](const auto& exec, auto& w) { blas::scal<T>(exec, a, w.view()); });
            this->expect_same("axpy", y,
                              [&](const auto& exec, auto& w) { blas::axpy<T>(exec, a, at(exec, x).view(), w.view()); });
            this->expect_same("xpay", y,
                              [&](const auto& exec, auto& w) { blas::xpay<T>(exec, at(exec, x).view(), a, w.view()); });
            this->expect_same("waxpby", y, [&](const auto& exec, auto& w) {
                blas::waxpby<T>(exec, a, at(exec, x).view(), b, w.view(), w.view());
            });
            this->expect_same("axpy of one vector", y,
                              [&](const auto& exec, auto& w) { blas::axpy<T>(exec, a, w.view(), w.view()); });
        }
    }
}

TYPED_TEST(level1_cuda_test, pairs_are_mapped_to_the_bits_of_the_host)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {0, 2, 30, 32, 34, 254, 258, 10002}) {
        const auto x = random_vector<T>(n, this->random);
        this->expect_same("times_i", random_vector<T>(n, this->random),
                          [&](const auto& exec, auto& w) { blas::times_i<T>(exec, at(exec, x).view(), w.view()); });
        this->expect_same("conjugate", random_vector<T>(n, this->random),
                          [&](const auto& exec, auto& w) { blas::conjugate<T>(exec, at(exec, x).view(), w.view()); });
    }
}

TYPED_TEST(level1_cuda_test, reductions_give_the_bits_of_the_host)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    const index_t most = number_traits<T>::terms <= 4 ? 1000003 : 100003;
    for (const index_t n : {index_t{0}, index_t{1}, index_t{31}, index_t{129}, index_t{511}, index_t{512}, index_t{513},
                            index_t{5000}, index_t{100003}, most}) {
        const auto x = random_vector<T>(n, this->random);
        auto y = random_vector<T>(n, this->random);
        for (index_t i = 1; i < n; i += 2) {
            y.set(i, -y.get(i - 1));
        }
        const auto dx = to_device(this->device, x);
        const auto dy = to_device(this->device, y);
        EXPECT_TRUE(same_bits(blas::dot<T>(host, x.view(), y.view()), blas::dot<T>(this->device, dx.view(), dy.view())))
            << n;
        EXPECT_TRUE(same_bits(blas::asum<T>(host, x.view()), blas::asum<T>(this->device, dx.view()))) << n;
        EXPECT_TRUE(same_bits(blas::norm2<T>(host, x.view()), blas::norm2<T>(this->device, dx.view()))) << n;
        EXPECT_TRUE(same_bits(blas::norm_inf<T>(host, x.view()), blas::norm_inf<T>(this->device, dx.view()))) << n;
    }
}

TYPED_TEST(level1_cuda_test, states_of_parts_of_sums_are_those_of_the_host)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {0, 1, 513, 5000, 100003}) {
        const auto x = random_vector<T>(n, this->random);
        const auto y = random_vector<T>(n, this->random);
        const auto dx = to_device(this->device, x);
        const auto dy = to_device(this->device, y);
        const index_t cut = std::min<index_t>(n, 3 * 512);
        for (const auto& [first, last] : {std::pair<index_t, index_t>{0, n}, {0, cut}, {cut, n}}) {
            const auto of = [first = first, last = last](const auto& v) { return v.view().part(first, last); };
            const auto on_host = blas::dot_state<T>(host, of(x), of(y), {first, n});
            const auto on_device = blas::dot_state<T>(this->device, of(dx), of(dy), {first, n});
            EXPECT_EQ(blas::to_bytes(on_host), blas::to_bytes(on_device)) << first << " to " << last;
        }
    }
}

TYPED_TEST(level1_cuda_test, norms_at_the_limits_of_binary64_give_the_bits_of_the_host)
{
    using T = TypeParam;
    const double huge = 0x1p1000;
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double top :
         {huge, 0x1p-900, 0x1p-1060, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
        auto x = random_vector<T>(1000, this->random);
        for (index_t i = 0; i < 1000; ++i) {
            x.set(i, T{top * this->random.uniform()});
        }
        const auto dx = to_device(this->device, x);
        const T expected = blas::norm2<T>(host, x.view());
        const T norm = blas::norm2<T>(this->device, dx.view());
        EXPECT_TRUE(same_bits(term(expected, 0), term(norm, 0))) << top;
        EXPECT_TRUE(same_bits(blas::norm_inf<T>(host, x.view()), blas::norm_inf<T>(this->device, dx.view()))) << top;
    }
}

TYPED_TEST(level1_cuda_test, the_largest_is_the_first_of_equal_ones)
{
    using T = TypeParam;
    vector<host_executor, T> x(1000);
    for (index_t i = 0; i < 1000; ++i) {
        x.set(i, T{-0.0});
    }
    const auto expect_same_norm = [&] {
        const auto dx = to_device(this->device, x);
        EXPECT_TRUE(same_bits(blas::norm_inf<T>(host, x.view()), blas::norm_inf<T>(this->device, dx.view())));
        EXPECT_TRUE(same_bits(blas::norm2<T>(host, x.view()), blas::norm2<T>(this->device, dx.view())));
    };
    expect_same_norm();
    if constexpr (number_traits<T>::terms > 1) {
        // one number in two forms, the second one in a lower thread
        T split{1.0};
        term(split, 1) = 0x1p-52;
        x.set(300, split);
        x.set(512, T{1.0 + 0x1p-52});
        expect_same_norm();
        x.set(300, T{1.0 + 0x1p-52});
        x.set(512, split);
        expect_same_norm();
    }
}

TYPED_TEST(level1_cuda_test, permutes_as_the_host_does)
{
    using T = TypeParam;
    const auto x = random_vector<T>(700, this->random);
    blas::scaled_permutation<host_executor> p{buffer<host_executor, index_t>(1000),
                                              buffer<host_executor, double>(1000)};
    for (index_t i = 0; i < 1000; ++i) {
        p.source.data()[i] = this->random.integer(0, 699);
        p.factor.data()[i] = std::ldexp(1.0, this->random.integer(-500, 500));
    }
    const blas::scaled_permutation<cuda_executor> dp{to_device(this->device, p.source),
                                                     to_device(this->device, p.factor)};
    const auto dx = to_device(this->device, x);
    vector<host_executor, T> y(1000);
    vector<cuda_executor, T> dy(1000, this->device);
    blas::permute<T>(host, p, x.view(), y.view());
    blas::permute<T>(this->device, dp, dx.view(), dy.view());
    EXPECT_TRUE(same_bits(y, to_host(this->device, dy)));
}

TYPED_TEST(level1_cuda_test, scalars_may_lie_in_device_memory)
{
    using T = TypeParam;
    const auto x = random_vector<T>(1000, this->random);
    const auto y = random_vector<T>(1000, this->random);
    const auto dx = to_device(this->device, x);
    device_scalar<T> a(this->device);

    this->expect_same("axpy with a dot product", y, [&](const auto& exec, auto& w) {
        if constexpr (std::same_as<std::decay_t<decltype(exec)>, host_executor>) {
            blas::axpy<T>(exec, blas::dot<T>(exec, x.view(), x.view()), x.view(), w.view());
        } else {
            blas::dot<T>(exec, dx.view(), dx.view(), a);
            blas::axpy<T>(exec, a, dx.view(), w.view());
        }
    });
}

TYPED_TEST(level1_cuda_test, refuses_vectors_of_different_size)
{
    const vector_view<cuda_executor, TypeParam> x{{nullptr, 8}, 3}, y{{nullptr, 8}, 4};
    EXPECT_THROW(blas::axpy<TypeParam>(this->device, TypeParam{1.0}, x, y), dimension_error);
    EXPECT_THROW(blas::dot<TypeParam>(this->device, x, y), dimension_error);
}

TEST(require_cuda_test, names_the_operation_and_the_error)
{
    try {
        require_cuda("some_op", cudaErrorInvalidValue);
        FAIL() << "no exception";
    } catch (const cuda_error& e) {
        EXPECT_NE(std::string(e.what()).find("some_op"), std::string::npos);
        EXPECT_NE(std::string(e.what()).find("cudaErrorInvalidValue"), std::string::npos);
    }
}
