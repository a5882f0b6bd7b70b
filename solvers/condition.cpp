#include <residua/solvers/condition.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace residua {
namespace {

double norm1(const std::vector<double>& v)
{
    double sum = 0.0;
    for (const double x : v) {
        sum += std::abs(x);
    }
    return sum;
}

std::size_t largest_position(const std::vector<double>& v)
{
    std::size_t best = 0;
    for (std::size_t i = 1; i < v.size(); ++i) {
        if (std::abs(v[i]) > std::abs(v[best])) {
            best = i;
        }
    }
    return best;
}

}  // namespace

double estimate_norm1(index_t n, const apply_in_place& apply, const apply_in_place& apply_transposed)
{
    if (n == 0) {
        return 0.0;
    }
    const auto size = static_cast<std::size_t>(n);
    std::vector<double> x(size, 1.0 / static_cast<double>(n));
    apply(x);
    double estimate = norm1(x);
    std::vector<double> signs(size, 0.0);
    std::size_t last = size;

    for (int step = 0; step < 5 && std::isfinite(estimate); ++step) {
        bool unchanged = step > 0;
        for (std::size_t i = 0; i < size; ++i) {
            const double sign = std::signbit(x[i]) ? -1.0 : 1.0;
            unchanged = unchanged && sign == signs[i];
            signs[i] = sign;
        }
        if (unchanged) {
            break;
        }
        std::vector<double> z = signs;
        apply_transposed(z);
        const std::size_t j = largest_position(z);
        if (j == last) {
            break;
        }
        last = j;
        x.assign(size, 0.0);
        x[j] = 1.0;  // column j is the steepest ascent
        apply(x);
        const double next = norm1(x);
        if (!(next > estimate)) {
            break;
        }
        estimate = next;
    }

    // a vector that the iteration cannot have seen, against B built to fool it
    for (std::size_t i = 0; i < size; ++i) {
        const double ramp = size > 1 ? static_cast<double>(i) / static_cast<double>(size - 1) : 0.0;
        x[i] = (i % 2 == 0 ? 1.0 : -1.0) * (1.0 + ramp);
    }
    apply(x);
    return std::max(estimate, 2.0 * norm1(x) / (3.0 * static_cast<double>(n)));
}

double estimate_error_inf(const std::vector<double>& f, const apply_in_place& solve,
                          const apply_in_place& solve_transposed)
{
    const auto weight = [&f](std::vector<double>& v) {
        for (std::size_t i = 0; i < v.size(); ++i) {
            v[i] *= f[i];
        }
    };
    return estimate_norm1(
        static_cast<index_t>(f.size()),
        [&](std::vector<double>& v) {
            solve_transposed(v);
            weight(v);
        },
        [&](std::vector<double>& v) {
            weight(v);
            solve(v);
        });
}

double matrix_norm1(const linear_system& system)
{
    std::vector<double> sums(system.cols, 0.0);
    for (std::size_t k = 0; k < system.values.size(); ++k) {
        sums[system.column[k]] += std::abs(system.values[k]);
    }
    return sums.empty() ? 0.0 : *std::max_element(sums.begin(), sums.end());
}

}  // namespace residua
