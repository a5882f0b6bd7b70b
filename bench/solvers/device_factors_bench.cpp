// device_factors_bench [--panel=P] [bits [n ...]]  Dense LU, Cholesky and L D L' factors in the memory of a CUDA device, and
// solves with them. Products of P columns and more are exact ones; without P the tuning table says from how many.
//
// A is uniform on [-1, 1), symmetric for Cholesky and L D L', with n on its diagonal for Cholesky. Seconds are the least of
// three runs, whole calls by the wall clock; gemm_exact of two such matrices, with as many bits, stands beside them: a
// factorisation is a third or a sixth of its products.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <residua/blas/exact/gemm_exact.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace {

using namespace residua;
using device_space = multidigit_space<cuda_executor>;

enum class way { lu, cholesky, ldl };

/// Symmetric but for LU, definite for Cholesky.
device_space::matrix random_matrix(const device_space& space, index_t n, way by)
{
    const multidigit_space<host_executor> host{{}, space.format};
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    auto a = host.make_matrix(n, n);
    for (index_t j = 0; j < n; ++j) {
        for (index_t i = by == way::lu ? 0 : j; i < n; ++i) {
            const double x = i == j && by == way::cholesky ? static_cast<double>(n) : uniform(random);
            a.set(i, j, host.make_scalar(x));
            if (by != way::lu) {
                a.set(j, i, host.make_scalar(x));
            }
        }
    }
    return to_device(space.exec, a);
}

dense_factors<device_space> factors_by(way by, const device_space& space, device_space::matrix a, index_t panel)
{
    return by == way::ldl ? dense_factors<device_space>::ldl(space, std::move(a), {.panel = panel})
                          : dense_factors<device_space>(space, std::move(a), by == way::cholesky, {.panel = panel});
}

template <class F>
double least_seconds(const cuda_executor& exec, const F& f)
{
    double least = 1e300;
    for (int k = 0; k < 3; ++k) {
        synchronize(exec);
        const auto start = std::chrono::steady_clock::now();
        f();
        synchronize(exec);
        least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return least;
}

void measure(const cuda_executor& exec, long bits, index_t n, index_t panel)
{
    const device_space space{exec, multidigit_format(bits)};
    for (const way by : {way::lu, way::cholesky, way::ldl}) {
        const device_space::matrix a = random_matrix(space, n, by);
        auto product = space.make_matrix(n, n);
        const double of_product = least_seconds(
            exec, [&] { blas::gemm_exact(exec, a.view(), a.view(), product.view(), {.bits = bits + 8}); });
        double of_factors = 1e300;
        std::string failure;
        for (int k = 0; k < 3; ++k) {
            device_space::matrix copy = a;
            of_factors = std::min(of_factors, [&] {
                synchronize(exec);
                const auto start = std::chrono::steady_clock::now();
                const dense_factors<device_space> factors = factors_by(by, space, std::move(copy), panel);
                synchronize(exec);
                failure = factors.failure();
                return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            }());
        }
        const dense_factors<device_space> factors = factors_by(by, space, a, panel);
        std::vector<device_space::vector> x(64, space.make_vector(n));
        columns<device_space> all;
        for (device_space::vector& each : x) {
            space.fill(space.make_scalar(1.0), each);
            all.push_back(&each);
        }
        const double of_one = least_seconds(exec, [&] { factors.solve(x[0]); });
        const double of_all = least_seconds(exec, [&] { factors.solve(all); });
        std::printf(
            "%-8s n = %5d, %4ld bits: factors %.4f s, gemm_exact %.4f s, ratio to its third or sixth %.2f; solves %.4f "
            "s, "
            "64 together %.4f s %s\n",
            by == way::lu         ? "LU"
            : by == way::cholesky ? "Cholesky"
                                  : "L D L'",
            static_cast<int>(n), bits, of_factors, of_product, of_factors / of_product * (by == way::lu ? 3.0 : 6.0),
            of_one, of_all, failure.c_str());
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        const cuda_executor exec = make_cuda_executor();
        const std::string_view option = "--panel=";
        std::vector<index_t> numbers;
        index_t panel = 0;  // by the tuning table
        for (int k = 1; k < argc; ++k) {
            const bool sets_panel = std::string_view(argv[k]).starts_with(option);
            (sets_panel ? panel : numbers.emplace_back()) = std::atol(argv[k] + (sets_panel ? option.size() : 0));
        }
        const long bits = numbers.empty() ? 212 : numbers.front();
        const std::vector<index_t> sizes(numbers.begin() + (numbers.empty() ? 0 : 1), numbers.end());
        for (const index_t n : sizes.empty() ? std::vector<index_t>{1024, 2048, 4096} : sizes) {
            measure(exec, bits, n, panel);
        }
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "device_factors_bench: %s\n", e.what());
        return 1;
    }
}
