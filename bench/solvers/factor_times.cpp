#include "factor_times.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include <residua/arith/base/random.hpp>
#include <residua/blas/base/buffer.hpp>
#include <residua/blas/level3/getrf.hpp>
#include <residua/blas/level3/getrf_mixed.hpp>

namespace residua::bench {
namespace {

template <class Real>
double error_of_factors(const buffer<host_executor, Real>& a, const buffer<host_executor, Real>& lu,
                        const std::vector<index_t>& order)
{
    const auto n = static_cast<index_t>(order.size());
    double worst = 0.0;
    for (const index_t i : {index_t{0}, n / 2, n - 1}) {
        const index_t row_of_a = order[static_cast<std::size_t>(i)];
        std::vector<double> l(order.size(), 1.0);
        for (index_t k = 0; k < i; ++k) {
            l[static_cast<std::size_t>(k)] = static_cast<double>(lu.data()[k * n + i]);
        }
        for (index_t j = 0; j < n; ++j) {
            double sum = 0.0;
            double magnitude = 0.0;
            for (index_t k = 0; k <= std::min(i, j); ++k) {
                const double product = l[static_cast<std::size_t>(k)] * static_cast<double>(lu.data()[j * n + k]);
                sum += product;
                magnitude += std::abs(product);
            }
            const double part = std::abs(static_cast<double>(a.data()[j * n + row_of_a]) - sum) / magnitude;
            worst = part <= worst ? worst : part;  // a NaN stays
        }
    }
    return worst;
}

template <class Real, class Factorize>
factor_time time_one(const cuda_executor& exec, const std::string& name, index_t n, int repeats,
                     const buffer<host_executor, Real>& a, const Factorize& factorize)
{
    const auto on_device = to_device(exec, a);
    buffer<cuda_executor, Real> lu;
    buffer<cuda_executor, std::int64_t> pivots(n, exec);
    factor_time time{.name = name, .seconds = {}};
    for (int k = 0; k <= repeats; ++k) {  // the first is not counted
        lu = on_device;
        synchronize(exec);
        const auto start = std::chrono::steady_clock::now();
        if (factorize(blas::lapack_matrix<cuda_executor, Real>{lu.data(), n, n}, pivots.span()) != 0) {
            throw error("a pivot is zero in " + name);
        }
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        if (k > 0) {
            time.seconds.push_back(seconds.count());
        }
    }
    time.error = error_of_factors(a, to_host(exec, lu), blas::row_order(to_host(exec, pivots).span()));
    return time;
}

template <class Real>
factor_time time_getrf(const cuda_executor& exec, const std::string& name, int repeats, index_t n,
                       const buffer<host_executor, Real>& a)
{
    return time_one(exec, name, n, repeats, a,
                    [&](const auto& lu, std::span<std::int64_t> pivots) { return blas::getrf(exec, lu, pivots); });
}

}  // namespace

std::vector<factor_time> time_factors(const cuda_executor& exec, index_t n, int repeats)
{
    buffer<host_executor, double> a(n * n);
    buffer<host_executor, float> of_binary32(n * n);
    splitmix64 random{12345};
    for (index_t k = 0; k < n * n; ++k) {
        a.data()[k] = uniform(random);
        of_binary32.data()[k] = static_cast<float>(a.data()[k]);
    }
    std::vector<factor_time> times{time_getrf(exec, "getrf binary64", repeats, n, a),
                                   time_getrf(exec, "getrf binary32", repeats, n, of_binary32)};
    for (const auto& [p, name] : {std::pair{blas::low_precision::tf32, "getrf_mixed tf32"},
                                  std::pair{blas::low_precision::binary16, "getrf_mixed binary16"}}) {
        times.push_back(time_one(exec, name, n, repeats, of_binary32,
                                 [&, of_products = p](const auto& lu, std::span<std::int64_t> pivots) {
                                     return blas::getrf_mixed(exec, lu, pivots, of_products);
                                 }));
        for (const index_t columns : {64, 128, 256, 512}) {
            times.push_back(time_one(exec, std::string(name) + ", panels of " + std::to_string(columns), n, repeats,
                                     of_binary32, [&, of_products = p](const auto& lu, std::span<std::int64_t> pivots) {
                                         return blas::detail::getrf_mixed(exec, lu, pivots, of_products, columns);
                                     }));
        }
    }
    return times;
}

}  // namespace residua::bench
