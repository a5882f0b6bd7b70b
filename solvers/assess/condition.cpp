#include <residua/solvers/assess/condition.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace residua {
namespace {

std::size_t largest_position(const scaled_doubles& v)
{
    std::size_t best = 0;
    for (std::size_t i = 1; i < v.size(); ++i) {
        if (abs(v[best]) < abs(v[i])) {
            best = i;
        }
    }
    return best;
}

scaled_double norm1_by_columns(std::size_t n, const apply_in_place& apply)
{
    scaled_double largest;
    for (std::size_t j = 0; j < n; ++j) {
        scaled_doubles x(n);
        x[j] = 1.0;
        apply(x);
        const scaled_double norm = norm1(x);
        if (!is_finite(norm)) {
            return norm;
        }
        largest = std::max(largest, norm);
    }
    return largest;
}

}  // namespace

scaled_double estimate_norm1(index_t n, const apply_in_place& apply, const apply_in_place& apply_transposed)
{
    if (n == 0) {
        return {};
    }
    const auto size = static_cast<std::size_t>(n);
    constexpr std::size_t most_by_columns = 12;  // an estimate takes as many products
    if (size <= most_by_columns) {
        return norm1_by_columns(size, apply);
    }
    scaled_doubles x(size, 1.0 / static_cast<double>(n));
    apply(x);
    scaled_double estimate = norm1(x);
    scaled_doubles signs(size);
    std::size_t last = size;

    for (int step = 0; step < 5 && is_finite(estimate); ++step) {
        bool unchanged = step > 0;
        for (std::size_t i = 0; i < size; ++i) {
            const double sign = std::signbit(x[i].m) ? -1.0 : 1.0;
            unchanged = unchanged && to_double(signs[i]) == sign;
            signs[i] = sign;
        }
        if (unchanged) {
            break;
        }
        scaled_doubles z = signs;
        apply_transposed(z);
        const std::size_t j = largest_position(z);
        if (j == last) {
            break;
        }
        last = j;
        x.assign(size, {});
        x[j] = 1.0;  // column j is the steepest ascent
        apply(x);
        const scaled_double next = norm1(x);
        if (!(estimate < next)) {
            break;
        }
        estimate = next;
    }

    // a vector that the iteration cannot have seen protects against a B that was built to fool it
    for (std::size_t i = 0; i < size; ++i) {
        const double ramp = size > 1 ? static_cast<double>(i) / static_cast<double>(size - 1) : 0.0;
        x[i] = (i % 2 == 0 ? 1.0 : -1.0) * (1.0 + ramp);
    }
    apply(x);
    return std::max(estimate, norm1(x) * (2.0 / (3.0 * static_cast<double>(n))));
}

scaled_double estimate_error_inf(const scaled_doubles& f, const apply_in_place& solve,
                                 const apply_in_place& solve_transposed)
{
    const auto weight = [&f](scaled_doubles& v) {
        for (std::size_t i = 0; i < v.size(); ++i) {
            v[i] = v[i] * f[i];
        }
    };
    return estimate_norm1(
        static_cast<index_t>(f.size()),
        [&](scaled_doubles& v) {
            solve_transposed(v);
            weight(v);
        },
        [&](scaled_doubles& v) {
            weight(v);
            solve(v);
        });
}

scaled_double matrix_norm1(const linear_system& system)
{
    scaled_doubles sums(static_cast<std::size_t>(system.cols));
    for (std::size_t k = 0; k < system.values.size(); ++k) {
        scaled_double& sum = sums[static_cast<std::size_t>(system.column[k])];
        sum = sum + abs(system.exact.empty() ? scaled_double(system.values[k]) : scaled_double(system.exact[k]));
    }
    return norm_inf(sums);
}

}  // namespace residua
