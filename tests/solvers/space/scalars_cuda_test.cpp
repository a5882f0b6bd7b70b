#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/precond/made_preconditioner.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/complex_space.hpp>

#include "tests/support/complex_systems.hpp"
#include "tests/support/cuda_formats.hpp"
#include "tests/support/krylov.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class T>
class scalars_cuda_test : public on_cuda<T> {
public:
    using device_space = blas_space<cuda_executor, T>;

    /// The scalars of both spaces are the same words.
    static void expect_the_same(const std::vector<T>& host, const std::vector<T>& device, const char* what, index_t n)
    {
        ASSERT_EQ(host.size(), device.size());
        for (std::size_t i = 0; i < host.size(); ++i) {
            EXPECT_TRUE(same_bits(host[i], device[i])) << what << ", scalar " << i << ", n = " << n;
        }
    }
};
TYPED_TEST_SUITE(scalars_cuda_test, cuda_formats);

}  // namespace

TYPED_TEST(scalars_cuda_test, have_the_bits_of_the_host)
{
    using T = TypeParam;
    const host_space<T> on_host;
    const typename TestFixture::device_space on_device{this->device};
    for (const index_t n : {0, 1, 31, 32, 33, 255, 257, 4097, 100003}) {
        auto x = random_vector<T>(n, this->random);
        auto y = random_vector<T>(n, this->random);
        auto dx = on_device.placed(x);
        auto dy = on_device.placed(y);
        auto s = on_host.make_scalars(6);
        auto ds = on_device.make_scalars(6);
        const auto run = [](const auto& space, const auto& u, auto& v, auto& t) {
            space.dot(u, v, t, 4);
            space.dot(u, u, t, 1);
            space.divide(t, 4, 1, 0);  // u'v / u'u
            space.axmy(t, 0, u, v);    // v is orthogonal to u
            space.dot(v, v, t, 2);
            space.divide(t, 2, 4, 2);  // in place
            space.axmy(t, 4, u, v);
            space.divide(t, 1, 5, 3);  // by zero
        };

        run(on_host, x, y, s);
        run(on_device, dx, dy, ds);

        TestFixture::expect_the_same(on_host.fetched(s, 6), on_device.fetched(ds, 6), "six", n);
        TestFixture::expect_the_same(on_host.fetched(s, 2), on_device.fetched(ds, 2), "two", n);
        EXPECT_TRUE(on_device.fetched(ds, 0).empty());
        EXPECT_TRUE(same_bits(y, on_device.fetched(dy))) << "n = " << n;
        EXPECT_TRUE(same_bits(T{0.0}, on_device.fetched(ds, 4)[3]));
    }
}

TYPED_TEST(scalars_cuda_test, of_complex_vectors_have_the_bits_of_the_host)
{
    using T = TypeParam;
    const complex_space on_host(host_space<T>{});
    const complex_space on_device(typename TestFixture::device_space{this->device});
    for (const index_t n : {0, 2, 34, 256, 10002}) {
        auto x = random_vector<T>(n, this->random);
        auto y = random_vector<T>(n, this->random);
        auto dx = on_device.placed(x);
        auto dy = on_device.placed(y);
        const auto run = [](const auto& space, const auto& u, auto& v) {
            auto s = space.make_scalars(4);
            space.dot(u, v, s, 0);
            space.dot(u, u, s, 1);
            space.divide(s, 0, 1, 2);
            space.axmy(s, 2, u, v);
            space.axmy_conjugate(s, 0, u, v);
            space.xpay(u, space.dot(u, v), v);
            space.scal(space.fetched(s, 1)[0], v);
            space.dot(v, u, s, 3);
            std::vector<T> parts;
            for (const auto& each : space.fetched(s, 4)) {
                parts.push_back(each.real());
                parts.push_back(each.imag());
            }
            return parts;
        };

        const std::vector<T> expected = run(on_host, x, y);

        TestFixture::expect_the_same(expected, run(on_device, dx, dy), "parts", n);
        EXPECT_TRUE(same_bits(y, on_device.fetched(dy))) << "n = " << n;
    }
}

TYPED_TEST(scalars_cuda_test, are_factors_with_the_bits_of_a_number_from_the_host)
{
    using T = TypeParam;
    const typename TestFixture::device_space on_device{this->device};
    for (int round = 0; round < 50; ++round) {
        const auto x = random_vector<T>(33, this->random);
        const auto y = random_vector<T>(33, this->random);
        auto dx = on_device.placed(x);
        auto from_place = on_device.placed(y);
        auto from_host = on_device.placed(y);
        auto ds = on_device.make_scalars(2);
        on_device.dot(dx, from_place, ds, 1);
        const T a = on_device.fetched(ds, 2)[1];

        on_device.axmy(ds, 1, dx, from_place);
        on_device.axpy(-a, dx, from_host);

        EXPECT_TRUE(same_bits(on_device.fetched(from_host), on_device.fetched(from_place))) << "round " << round;
    }
}

TYPED_TEST(scalars_cuda_test, give_the_norm_where_their_square_is_out_of_range)
{
    using T = TypeParam;
    const host_space<T> on_host;
    const typename TestFixture::device_space on_device{this->device};
    auto ds = on_device.make_scalars(1);
    for (const int e : {0, -1000, -480, 500, 900}) {
        auto x = random_vector<T>(257, this->random);
        on_host.scal(T{std::ldexp(1.0, e)}, x);
        auto dx = on_device.placed(x);

        on_device.dot(dx, dx, ds, 0);

        const T square = on_device.fetched(ds, 1)[0];
        EXPECT_TRUE(same_bits(on_host.norm2(x), on_device.norm2(dx, square))) << "2^" << e;
        EXPECT_TRUE(same_bits(on_host.norm2(x), on_host.norm2(x, on_host.dot(x, x)))) << "2^" << e;
        EXPECT_TRUE(same_bits(on_host.norm2(x), on_device.norm2(dx))) << "2^" << e;
    }
}

TEST(complex_engines_cuda_test, give_the_bits_of_the_host)
{
    if (cuda_devices().empty()) {
        GTEST_SKIP() << why_no_cuda_device();
    }
    const linear_system system = with_solution_ones(real_form(shifted_laplacian(6, {0.5, 0.5})));
    const scaled_matrix matrix = unscaled(system, false);
    const made_preconditioner ilu0 = make_preconditioner(preconditioner::ilu0, matrix);
    ASSERT_EQ(ilu0.failure, "");
    for (const arithmetic& in : {arithmetic{number_format::native, 53}, arithmetic{number_format::expansion, 106},
                                 arithmetic{number_format::expansion, 424}, arithmetic{number_format::multidigit, 200},
                                 arithmetic{number_format::rns, rns_format(106).precision_bits()}}) {
        for (const method_traits& each : all_methods()) {
            if (!each.complex_scalars) {
                continue;
            }
            engine_request request{.matrix = matrix, .method = each.method, .restart = 20, .complex = true};
            if (in.format != number_format::rns) {
                request.triangles = &*ilu0.factors;
            }
            long_vector b = long_vector::exactly(system.b), b_on_device = b;
            std::vector<correction> host{{.r = b, .rule = rule(1e-12, 500)}};
            std::vector<correction> device{{.r = b_on_device, .rule = rule(1e-12, 500)}};
            make_engine(in, request)->correct(host);
            request.device = make_cuda_executor();
            make_engine(in, request)->correct(device);
            const std::string what = std::string(each.name) + " " + std::to_string(in.bits);
            EXPECT_EQ(host[0].report.status, solve_status::converged) << what;
            EXPECT_EQ(host[0].report.iterations, device[0].report.iterations) << what;
            EXPECT_EQ(host[0].d.numbers(), device[0].d.numbers()) << what;
        }
    }
}
