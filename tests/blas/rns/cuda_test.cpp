// Every operation on a device gives the words that the host gives.
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/level1/dot.hpp>
#include <residua/blas/rns/split.hpp>
#include <residua/blas/rns/sum_state.hpp>

#include "tests/blas/rns/every_operation.hpp"
#include "tests/blas/rns/hostile.hpp"

namespace residua::support {
namespace {

class rns_cuda_test : public testing::TestWithParam<long> {
public:
    void SetUp() override
    {
        if (cuda_devices().empty()) {
            GTEST_SKIP() << why_no_cuda_device();
        }
    }
};
INSTANTIATE_TEST_SUITE_P(bits, rns_cuda_test, testing::Values(53, 106, 159, 212, 318, 424, 636, 848, 1272, 1696, 1734));

TEST_P(rns_cuda_test, gives_the_words_of_the_host)
{
    const cuda_executor exec = make_cuda_executor();
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const rns_shape& shape : {rns_shape{0, 0, 0, 1, 1},
                                   {1, 1, 1, 1, 1},
                                   {31, 2, 1, 1, 2},
                                   {32, 5, 3, -1, 1},
                                   {33, 65, 9, 2, -3},
                                   {257, 3, 2, 1, 1},
                                   {3, 700, 1, 1, 1}}) {
        const rns_data data = random_data(rns_format(GetParam()), shape, random);
        const rns_results host = every_result(host_executor{}, data);
        const rns_results device = every_result(exec, data);
        ASSERT_EQ(host.size(), device.size());
        for (std::size_t k = 0; k < host.size(); ++k) {
            SCOPED_TRACE(host[k].first + " of " + std::to_string(shape.m) + " x " + std::to_string(shape.n));
            ASSERT_EQ(host[k].second.size(), device[k].second.size());
            for (std::size_t i = 0; i < host[k].second.size(); ++i) {
                ASSERT_TRUE(same_words(host[k].second[i], device[k].second[i])) << "element " << i;
            }
        }
    }
}

TEST_P(rns_cuda_test, sums_long_vectors_in_the_order_of_the_host)
{
    const cuda_executor exec = make_cuda_executor();
    const rns_format format(GetParam());
    const index_t n = GetParam() > 500 ? 10003 : 100003;
    vector<host_executor, rns> x(format, n), y(format, n);
    const rns_number third = rns_number(format, 1.0) / rns_number(format, 3.0);
    rns_number a = third;
    for (index_t i = 0; i < n; ++i) {
        if (i % 97 == 0) {
            a = -(a + third) * third;
        }
        x.set(i, a);
        y.set(i, i % 3 == 0 ? -third : a);
    }
    const auto dx = to_device(exec, x);
    const auto dy = to_device(exec, y);
    EXPECT_TRUE(same_words(blas::dot<rns>(host_executor{}, x, y), blas::dot<rns>(exec, dx, dy)));
    EXPECT_TRUE(same_words(blas::norm_inf<rns>(host_executor{}, x), blas::norm_inf<rns>(exec, dx)));
    for (const auto& [first, last] : {std::pair<index_t, index_t>{0, 1536}, {1536, n}}) {
        const auto on_host =
            blas::dot_state<host_executor>({}, x.view().part(first, last), y.view().part(first, last), {first, n});
        const auto on_device =
            blas::dot_state<cuda_executor>(exec, dx.view().part(first, last), dy.view().part(first, last), {first, n});
        EXPECT_EQ(blas::to_bytes(on_host), blas::to_bytes(on_device)) << first << " to " << last;
    }
}

TEST_P(rns_cuda_test, gives_the_same_words_split_and_with_one_thread_a_number)
{
    using blas::trans;
    const cuda_executor exec = make_cuda_executor();
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const rns_shape& shape : {rns_shape{0, 0, 0, 1, 1}, {1, 1, 1, 1, 1}, {33, 37, 2, 1, 2}, {70, 21, 2, 1, -1}}) {
        const rns_data d = random_data(rns_format(GetParam()), shape, random);
        const auto [m, n, l, xs, ys] = d.shape;
        const auto x = to_device(exec, d.x), y = to_device(exec, d.y), u = to_device(exec, d.u),
                   v = to_device(exec, d.v);
        const auto a = to_device(exec, d.a), b = to_device(exec, d.b);
        const auto xv = strided(x.view(), m, xs), yv = strided(y.view(), m, ys);
        const auto uv = strided(u.view(), n, xs), vv = strided(v.view(), n, ys);
        const matrix_view<cuda_executor, const rns> av = a.view().block(1, 0, m, n);
        const auto expect_same = [&](const char* name, const auto& from, const auto& one, const auto& other) {
            auto first = from;
            auto second = from;
            one(first);
            other(second);
            const auto host_first = to_host(exec, first);
            const auto host_second = to_host(exec, second);
            const auto p = host_first.storage().start();
            const auto q = host_second.storage().start();
            for (index_t i = 0; i < host_first.storage().size(); ++i) {
                const auto& set = d.format.set();
                const rns_number one_value(d.format, detail::load(set, p, i));
                const rns_number other_value(d.format, detail::load(set, q, i));
                ASSERT_TRUE(same_words(one_value, other_value))
                    << name << " element " << i << ": " << to_real(one_value) << " and " << to_real(other_value);
            }
        };
        const auto on_y = [&, m = m, ys = ys](auto f) { return [&, f](auto& w) { f(strided(w.view(), m, ys)); }; };
        const auto on_v = [&, n = n, ys = ys](auto f) { return [&, f](auto& w) { f(strided(w.view(), n, ys)); }; };
        expect_same("axpy_split", y, on_y([&](auto w) { blas::axpy<rns>(exec, d.alpha, xv, w); }),
                    on_y([&](auto w) { blas::axpy_split(exec, d.alpha, xv, w); }));
        expect_same("axpy_basic", y, on_y([&](auto w) { blas::axpy<rns>(exec, d.alpha, xv, w); }),
                    on_y([&](auto w) { blas::axpy_basic(exec, d.alpha, xv, w); }));
        const auto gemv = on_y([&](auto w) { blas::gemv<rns>(exec, trans::no, d.alpha, av, uv, d.beta, w); });
        expect_same("gemv_split", y, gemv,
                    on_y([&](auto w) { blas::gemv_split(exec, trans::no, d.alpha, av, uv, d.beta, w); }));
        expect_same("gemv_basic", y, gemv,
                    on_y([&](auto w) { blas::gemv_basic(exec, trans::no, d.alpha, av, uv, d.beta, w); }));
        const auto gemv_t = on_v([&](auto w) { blas::gemv<rns>(exec, trans::yes, d.alpha, av, xv, d.beta, w); });
        expect_same("gemv_split'", v, gemv_t,
                    on_v([&](auto w) { blas::gemv_split(exec, trans::yes, d.alpha, av, xv, d.beta, w); }));
        expect_same("gemv_basic'", v, gemv_t,
                    on_v([&](auto w) { blas::gemv_basic(exec, trans::yes, d.alpha, av, xv, d.beta, w); }));
        const auto ge_add = [&](auto& c) { blas::ge_add<rns>(exec, d.alpha, av, d.beta, b.view(), c.view()); };
        expect_same("ge_add_split", b, ge_add,
                    [&](auto& c) { blas::ge_add_split(exec, d.alpha, av, d.beta, b.view(), c.view()); });
        expect_same("ge_add_basic", b, ge_add,
                    [&](auto& c) { blas::ge_add_basic(exec, d.alpha, av, d.beta, b.view(), c.view()); });
        expect_same(
            "ger_split", b, [&](auto& c) { blas::ger<rns>(exec, d.alpha, xv, vv, c.view()); },
            [&](auto& c) { blas::ger_split(exec, d.alpha, xv, vv, c.view()); });
        EXPECT_TRUE(same_words(blas::dot<rns>(exec, xv, yv), blas::dot_split(exec, xv, yv)));
    }
}

/// Threads start with device 0 as their current one; executors must not depend on it.
TEST(rns_cuda_devices_test, work_side_by_side_and_from_other_threads)
{
    const std::vector<cuda_device> devices = cuda_devices();
    if (devices.empty()) {
        GTEST_SKIP() << why_no_cuda_device();
    }
    const rns_format format(424);
    const rns_number third = rns_number(format, 1.0) / rns_number(format, 3.0);
    vector<host_executor, rns> x(format, 1000);
    blas::fill<rns>(host_executor{}, third, x);
    const rns_number expected = blas::dot<rns>(host_executor{}, x, x);
    std::vector<cuda_executor> all;
    for (const cuda_device& device : devices) {
        all.push_back(make_cuda_executor(device.number));
    }
    std::vector<vector<cuda_executor, rns>> on_each;
    for (const cuda_executor& exec : all) {
        on_each.push_back(to_device(exec, x));
    }
    const auto expect_right = [&] {
        for (std::size_t d = 0; d < all.size(); ++d) {
            EXPECT_TRUE(same_words(expected, blas::dot<rns>(all[d], on_each[d], on_each[d])));
            EXPECT_GT(free_device_memory(all[d]), 0u);
        }
    };
    expect_right();
    std::thread(expect_right).join();
}

TEST(rns_cuda_errors_test, are_told_in_words)
{
    if (cuda_devices().empty()) {
        EXPECT_THROW(make_cuda_executor(), resource_error);
        EXPECT_FALSE(why_no_cuda_device().empty());
        return;
    }
    EXPECT_THROW(make_cuda_executor(1000), resource_error);
    EXPECT_THROW((vector<cuda_executor, rns>(rns_format(106), index_t{1} << 40, make_cuda_executor())), resource_error);
}

}  // namespace
}  // namespace residua::support
