#include "ill_conditioned.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <residua/arith/base/random.hpp>
#include <residua/solvers/base/memory.hpp>

namespace residua {
namespace {

constexpr double most_bits = 800.0;      // products stay in the range of binary64
constexpr double most_bits_each = 48.0;  // that a term cancels: it is rounded to 53 bits
constexpr double usual_bits_each = 24.0;

/// A random number of either sign with 1 <= |x| < 2.
double random_unit(splitmix64& random)
{
    const std::uint64_t word = random();
    const double x = 1.0 + std::ldexp(static_cast<double>(word >> 12), -52);
    return word % 2 == 0 ? x : -x;
}

/// How many terms the shortest sum of the operation has.
index_t shortest_sum(formula computes, index_t n)
{
    return computes == formula::spmv ? std::min<index_t>(n, 2) + 1 : n;
}

/// Numbers a whose products with x have a sum of magnitudes of about 2^bits and a sum of about 1.
///
/// The first product is as large as that, the next ones are random and smaller. The last ones cancel what was summed so far,
/// most_bits_each bits at most with each.
std::vector<double> cancelling(splitmix64& random, std::span<const double> x, double bits)
{
    const auto count = x.size();
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t k = count; k > 1; --k) {
        std::swap(order[k - 1], order[random() % k]);
    }
    const auto wanted = static_cast<std::size_t>(std::max(1.0, std::ceil(bits / usual_bits_each)));
    const std::size_t last = std::min(wanted, count - 1);
    const double below = std::log2(static_cast<double>(count)) + 2.0;

    std::vector<double> a(count);
    real sum(0.0, static_cast<long>(2.0 * bits) + 512);
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t at = order[k];
        const double unit = random_unit(random);
        if (k < count - last) {
            const double less = k == 0 ? 0.0 : below + 0.5 * (uniform(random) + 1.0) * bits;
            a[at] = std::ldexp(unit, static_cast<int>(bits - less));
        } else {
            const auto left = static_cast<double>(count - 1 - k) / static_cast<double>(last);
            const real next = ldexp(real(unit), static_cast<long>(bits * left));
            a[at] = to_double((next - sum) / real(x[at]));
        }
        sum = fma(real(a[at]), real(x[at]), sum);
    }
    return a;
}

}  // namespace

double most_condition(formula computes, index_t n)
{
    return std::exp2(std::min(most_bits, most_bits_each * static_cast<double>(shortest_sum(computes, n) - 1)));
}

std::shared_ptr<const operand_pool> ill_conditioned(formula computes, index_t n, double condition, std::uint64_t seed)
{
    if (!(1.0 <= condition && condition <= most_condition(computes, n)) || shortest_sum(computes, n) < 2) {
        throw unsupported_error("ill_conditioned: no sums of this length have that condition");
    }
    constexpr double bytes_each = 80.0;  // as a double, and as a real with its memory
    const auto length = static_cast<double>(n);
    require_memory("the operands", bytes_each * (computes == formula::dot ? 2.0 * length : 6.0 * length * length));
    const double bits = std::log2(condition);
    splitmix64 random{seed};
    std::vector<double> x(static_cast<std::size_t>(computes == formula::spmv ? n * n : n));
    std::generate(x.begin(), x.end(), [&] { return random_unit(random); });
    std::map<operand, std::vector<double>> given{{operand::x, x}};
    const auto size = static_cast<std::size_t>(n);
    switch (computes) {
        case formula::dot:
            given[operand::y] = cancelling(random, x, bits);
            break;
        case formula::gemm: {
            std::vector<double>& b = given[operand::b];
            for (index_t j = 0; j < n; ++j) {
                const double factor = std::ldexp(j % 2 == 0 ? 1.0 : -1.0, static_cast<int>(j % 5));
                std::transform(x.begin(), x.end(), std::back_inserter(b), [&](double each) { return factor * each; });
            }
            [[fallthrough]];
        }
        case formula::gemv: {
            std::vector<double>& a = given[operand::a];
            a.resize(size * size);
            for (std::size_t i = 0; i < size; ++i) {
                const std::vector<double> row = cancelling(random, x, bits);
                for (std::size_t j = 0; j < size; ++j) {
                    a[i + j * size] = row[j];
                }
            }
            break;
        }
        case formula::spmv: {
            std::vector<double>& a = given[operand::a];
            a.resize(5 * x.size());
            for (index_t i = 0; i < n * n; ++i) {
                std::vector<double> factors;
                each_neighbour(n, i, [&](index_t, index_t j) { factors.push_back(x[static_cast<std::size_t>(j)]); });
                const std::vector<double> row = cancelling(random, factors, bits);
                std::size_t next = 0;
                each_neighbour(n, i, [&](index_t k, index_t) { a[static_cast<std::size_t>(5 * i + k)] = row[next++]; });
            }
            break;
        }
        default:
            throw unsupported_error("ill_conditioned: there are data for dot, gemv, gemm and spmv");
    }
    return std::make_shared<operand_pool>(given, static_cast<long>(2.0 * bits) + 512);
}

}  // namespace residua
