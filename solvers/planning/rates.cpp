#include <residua/solvers/planning/rates.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <residua/io/team.hpp>
#include <residua/solvers/base/seconds.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/precond/factorize.hpp>

namespace residua {
namespace {

constexpr double most_native_bits = 53.0, most_bits_by_expansions = 212.0;

/// Ascending in bits.
constexpr std::array<operation_rates, 14> measured{{
    // bits, multiply_add, front_entry, dense_solve, block_solve, front_solve, product, residual, vector
    {24.0, 0.07, 5.0, 3.4, 0.9, 1.2, 0.42, 5.9, 0.25},
    {53.0, 0.13, 5.0, 3.4, 0.9, 1.3, 0.42, 5.9, 0.25},
    {106.0, 1.1, 50.0, 1.3, 1.1, 12.9, 0.86, 9.6, 0.64},
    {159.0, 2.1, 160.0, 2.7, 1.9, 30.0, 1.8, 12.0, 2.1},
    {212.0, 4.6, 210.0, 5.3, 4.8, 47.0, 3.6, 14.0, 5.2},
    {318.0, 6.0, 430.0, 12.7, 17.0, 80.0, 10.5, 17.0, 9.3},
    {424.0, 7.8, 575.0, 20.8, 16.0, 113.0, 12.6, 20.0, 12.4},
    {636.0, 13.0, 860.0, 36.5, 21.0, 172.0, 18.0, 24.0, 25.0},
    {848.0, 18.0, 1120.0, 55.0, 25.0, 231.0, 22.0, 27.0, 34.0},
    {1272.0, 37.0, 1500.0, 108.0, 35.0, 345.0, 38.0, 36.0, 57.0},
    {1696.0, 55.0, 1950.0, 162.0, 43.0, 461.0, 42.0, 43.0, 92.0},
    {2544.0, 125.0, 3000.0, 300.0, 65.0, 700.0, 70.0, 59.0, 188.0},
    {3392.0, 230.0, 4000.0, 480.0, 82.0, 950.0, 91.0, 75.0, 297.0},
    {4096.0, 350.0, 5000.0, 650.0, 92.0, 1150.0, 110.0, 88.0, 400.0},
}};

/// A dense matrix that is far from singular.
scaled_matrix dominant_matrix(index_t n)
{
    sparse_matrix m{n, n, {0}, {}, {}, {}};
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            m.column.push_back(static_cast<std::int32_t>(j));
            const double off = std::sin(static_cast<double>(1 + i * n + j));
            m.values.push_back(i == j ? static_cast<double>(n) : off);
        }
        m.row_begin.push_back(m.nonzeros());
    }
    return unscaled(m, false);
}

/// The time of LU factors of n unknowns, relative to the time by built-in rates.
double relative_time(const arithmetic& in, index_t n)
{
    constexpr int repeats = 3;
    const scaled_matrix matrix = dominant_matrix(n);
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < repeats; ++k) {
        double seconds = 0.0;
        timed(&seconds, [&] { factorize_long(in, matrix); });
        least = std::min(least, seconds);
    }
    const double cube = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    return least / (1e-9 * cube / 3.0 * rates_of(static_cast<double>(in.bits)).multiply_add);
}

}  // namespace

operation_rates rates_of(double bits)
{
    const auto above = std::lower_bound(measured.begin(), measured.end(), bits,
                                        [](const operation_rates& each, double least) { return each.bits < least; });
    if (above == measured.end() || above == measured.begin()) {
        return above == measured.end() ? measured.back() : measured.front();
    }
    if (above->bits == bits) {
        return *above;
    }
    const operation_rates& low = *(above - 1);
    const double share = std::log(bits / low.bits) / std::log(above->bits / low.bits);
    const auto between = [&](double operation_rates::*rate) {
        return low.*rate * std::pow(*above.*rate / (low.*rate), share);
    };
    return {bits,
            between(&operation_rates::multiply_add),
            between(&operation_rates::front_entry),
            between(&operation_rates::dense_solve),
            between(&operation_rates::block_solve),
            between(&operation_rates::front_solve),
            between(&operation_rates::product),
            between(&operation_rates::residual),
            between(&operation_rates::vector)};
}

void arithmetic_seconds::add(double bits, double count, double nanoseconds)
{
    double& kind = bits <= most_native_bits ? native : bits <= most_bits_by_expansions ? expansion : multidigit;
    kind += 1e-9 * count * nanoseconds;
}

machine_rates measure_rates()
{
    const io::thread_limit one(1);
    return {.native = relative_time({number_format::native, 53}, 160),
            .expansion = relative_time({number_format::expansion, 106}, 96),
            .multidigit = relative_time({number_format::multidigit, 424}, 64)};
}

}  // namespace residua
