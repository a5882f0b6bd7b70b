#include <residua/solvers/assess/condition.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>

#include <residua/io/interruption.hpp>
#include <residua/solvers/base/elements.hpp>
#include <residua/solvers/matrix/value_range.hpp>

namespace residua {
namespace {

/// The index of the largest |v_i| (iamax), the first of several.
std::size_t largest_position(const scaled_doubles& v)
{
    const auto larger = [&](std::size_t i, std::size_t j) { return abs(v[i]) < abs(v[j]) ? j : i; };
    const auto largest = [&](std::size_t begin, std::size_t end) {
        std::size_t best = begin;
        for (std::size_t i = begin + 1; i < end; ++i) {
            best = larger(best, i);
        }
        return best;
    };
    return fold_elements<std::size_t>(v.size(), largest, larger);
}

/// Writes the signs of v, as numbers 1 and -1; returns whether they are the signs that were there.
bool take_signs(const scaled_doubles& v, scaled_doubles& signs)
{
    const auto take = [&](std::size_t begin, std::size_t end) {
        bool unchanged = true;
        for (std::size_t i = begin; i < end; ++i) {
            const scaled_double sign = std::signbit(v[i].m) ? -1.0 : 1.0;
            unchanged = unchanged && signs[i].m == sign.m;
            signs[i] = sign;
        }
        return static_cast<char>(unchanged);
    };
    return fold_elements<char>(v.size(), take, std::logical_and<>()) != 0;
}

scaled_double norm1_by_columns(std::size_t n, const apply_in_place& apply)
{
    std::vector<scaled_doubles> x(n, scaled_doubles(n));
    for (std::size_t j = 0; j < n; ++j) {
        x[j][j] = 1.0;
    }
    apply(x);
    scaled_double largest;
    for (const scaled_doubles& column : x) {
        const scaled_double norm = norm1(column);
        if (!is_finite(norm)) {
            return norm;
        }
        largest = std::max(largest, norm);
    }
    return largest;
}

/// v_i = (-1)^i (1 + i / (n - 1)): its product is an estimate that no B can hide from which was built to fool the others.
scaled_doubles alternating_ramp(std::size_t n)
{
    scaled_doubles v(n);
    for_each_element(n, [&](std::size_t i) {
        v[i] = (i % 2 == 0 ? 1.0 : -1.0) * (1.0 + static_cast<double>(i) / static_cast<double>(n - 1));
    });
    return v;
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
    std::vector<scaled_doubles> x{scaled_doubles(size, 1.0 / static_cast<double>(n)), alternating_ramp(size)};
    io::ask_for_stop();
    apply(x);
    const scaled_double of_ramp = norm1(x.back()) * (2.0 / (3.0 * static_cast<double>(n)));
    x.pop_back();
    scaled_double estimate = norm1(x.front());
    std::vector<scaled_doubles> z{scaled_doubles(size)};
    scaled_doubles signs(size);
    std::size_t last = size;

    for (int step = 0; step < 5 && is_finite(estimate); ++step) {
        io::ask_for_stop();
        if (take_signs(x.front(), signs)) {
            break;
        }
        z.front() = signs;
        apply_transposed(z);
        const std::size_t j = largest_position(z.front());
        if (j == last) {
            break;
        }
        last = j;
        x.front().assign(size, {});
        io::ask_for_stop();
        x.front()[j] = 1.0;  // column j is the steepest ascent
        apply(x);
        const scaled_double next = norm1(x.front());
        if (!(estimate < next)) {
            break;
        }
        estimate = next;
    }
    return std::max(estimate, of_ramp);
}

error_norms estimate_error_inf(const scaled_doubles& f, const scaled_doubles& r, const apply_in_place& solve,
                               const apply_in_place& solve_transposed)
{
    const auto weight = [&f](std::vector<scaled_doubles>& columns) {
        for (scaled_doubles& v : columns) {
            for_each_element(v.size(), [&](std::size_t i) { v[i] = v[i] * f[i]; });
        }
    };
    std::optional<scaled_double> seen;
    const auto solve_with_r = [&](std::vector<scaled_doubles>& columns) {
        if (seen) {
            return solve(columns);
        }
        columns.push_back(r);
        solve(columns);
        seen = norm_inf(columns.back());
        columns.pop_back();
    };
    const scaled_double possible = estimate_norm1(
        static_cast<index_t>(f.size()),
        [&](std::vector<scaled_doubles>& v) {
            solve_transposed(v);
            weight(v);
        },
        [&](std::vector<scaled_doubles>& v) {
            weight(v);
            solve_with_r(v);
        });
    if (!seen) {
        std::vector<scaled_doubles> nothing_else;
        solve_with_r(nothing_else);
    }
    return {possible, *seen};
}

scaled_double matrix_norm1(const linear_system& system)
{
    if (value_range(system).is_safe()) {  // the same sums, whose exponents need no care
        std::vector<double> sums(static_cast<std::size_t>(system.cols), 0.0);
        for (std::size_t k = 0; k < system.values.size(); ++k) {
            sums[static_cast<std::size_t>(system.column[k])] += std::abs(system.values[k]);
        }
        return sums.empty() ? 0.0 : *std::max_element(sums.begin(), sums.end());
    }
    scaled_doubles sums(static_cast<std::size_t>(system.cols));
    for (std::size_t k = 0; k < system.values.size(); ++k) {
        scaled_double& sum = sums[static_cast<std::size_t>(system.column[k])];
        sum = sum + abs(leading_part(system, static_cast<index_t>(k)));
    }
    return norm_inf(sums);
}

}  // namespace residua
