// device_factors_bench [--panel=P] [bits [n ...]]  Dense LU, Cholesky and L D L' factors in the memory of a CUDA device, and
// solves with them. Products of P columns and more are exact ones; without P the tuning table says from how many.
//
// A is uniform on [-1, 1), symmetric for Cholesky and L D L', with n on its diagonal for Cholesky. Seconds are the least
// of three runs, whole calls by the wall clock; gemm_exact of two such matrices, with as many bits, stands beside them: a
// factorisation is a third or a sixth of its products. cuSOLVER factorises in binary64, by LU instead of L D L'. Where
// the device has no room for a product, there are factors alone, made once.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/exact/gemm_exact.hpp>
#include <residua/blas/level3/getrf.hpp>
#include <residua/blas/level3/potrf.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace {

using namespace residua;
using device_space = multidigit_space<cuda_executor>;

enum class way { lu, cholesky, ldl };

/// Random numbers of binary64 in the memory of the device, symmetric but for LU, definite for Cholesky.
class random_matrix {
public:
    random_matrix(const cuda_executor& exec, index_t n, way by) : exec_(exec), n_(n), numbers_(n * n, exec)
    {
        vector<host_executor, double> all(n * n, host_executor{});
        std::mt19937_64 random(1);
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        for (index_t j = 0; j < n; ++j) {
            for (index_t i = by == way::lu ? 0 : j; i < n; ++i) {
                const double x = i == j && by == way::cholesky ? static_cast<double>(n) : uniform(random);
                all.set(j * n + i, x);
                if (by != way::lu) {
                    all.set(i * n + j, x);
                }
            }
        }
        numbers_ = to_device(exec, all);
    }

    device_space::matrix in(const device_space& space) const
    {
        auto a = space.make_matrix(n_, n_);
        for (index_t j = 0; j < n_; ++j) {
            blas::convert<cuda_executor, double>(exec_, numbers_.view().part(j * n_, (j + 1) * n_), a.view().column(j));
        }
        synchronize(exec_);
        return a;
    }

    /// Seconds of cuSOLVER's LU or Cholesky in binary64, the least of three.
    double seconds_in_binary64(way by) const
    {
        double least = 1e300;
        buffer<cuda_executor, std::int64_t> pivots(n_, exec_);
        for (int k = 0; k < 3; ++k) {
            vector<cuda_executor, double> a = numbers_;
            const blas::lapack_matrix<cuda_executor, double> view{a.view().data(), n_, n_};
            synchronize(exec_);
            const auto start = std::chrono::steady_clock::now();
            if (by == way::cholesky) {
                blas::potrf<double>(exec_, view);
            } else {
                blas::getrf<double>(exec_, view, {pivots.data(), static_cast<std::size_t>(n_)});
            }
            least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        return least;
    }

private:
    cuda_executor exec_;
    index_t n_;
    vector<cuda_executor, double> numbers_;
};

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

/// Whether there is room for a matrix, its copy and what their product takes.
bool has_room_for_product(const cuda_executor& exec, const device_space& space, index_t n)
{
    const double bytes = static_cast<double>(n) * static_cast<double>(n) * 4.0 * (space.format.digits() + 1);
    return 4.0 * bytes < static_cast<double>(free_device_memory(exec));
}

void measure(const cuda_executor& exec, long bits, index_t n, index_t panel)
{
    const device_space space{exec, multidigit_format(bits)};
    const bool with_product = has_room_for_product(exec, space, n);
    for (const way by : {way::lu, way::cholesky, way::ldl}) {
        const random_matrix source(exec, n, by);
        double of_product = 0.0;
        if (with_product) {
            const device_space::matrix a = source.in(space);
            auto product = space.make_matrix(n, n);
            of_product = least_seconds(
                exec, [&] { blas::gemm_exact(exec, a.view(), a.view(), product.view(), {.bits = bits + 8}); });
        }
        double of_factors = 1e300;
        std::optional<dense_factors<device_space>> factors;
        for (int k = 0; k < (with_product ? 3 : 1); ++k) {
            factors.reset();
            device_space::matrix a = source.in(space);
            const auto start = std::chrono::steady_clock::now();
            factors = factors_by(by, space, std::move(a), panel);
            synchronize(exec);
            of_factors =
                std::min(of_factors, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        std::vector<device_space::vector> x(64, space.make_vector(n));
        columns<device_space> all;
        for (device_space::vector& each : x) {
            space.fill(space.make_scalar(1.0), each);
            all.push_back(&each);
        }
        const double of_one = least_seconds(exec, [&] { factors->solve(x[0]); });
        const double of_all = least_seconds(exec, [&] { factors->solve(all); });
        std::printf("%-8s n = %5d, %4ld bits: factors %.4f s; solves %.4f s, 64 together %.4f s; cuSOLVER %.4f s",
                    by == way::lu         ? "LU"
                    : by == way::cholesky ? "Cholesky"
                                          : "L D L'",
                    static_cast<int>(n), bits, of_factors, of_one, of_all, source.seconds_in_binary64(by));
        if (with_product) {
            std::printf("; gemm_exact %.4f s, ratio to its third or sixth %.2f", of_product,
                        of_factors / of_product * (by == way::lu ? 3.0 : 6.0));
        }
        std::printf(" %s\n", factors->failure().c_str());
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
