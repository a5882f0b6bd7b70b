#include <residua/solvers/assess/condition.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace residua {
namespace {

constexpr long norm_bits = 64;

real norm1(const std::vector<real>& v)
{
    real sum(0.0, norm_bits);
    for (const real& x : v) {
        sum += abs(x);
    }
    return sum;
}

std::size_t largest_position(const std::vector<real>& v)
{
    std::size_t best = 0;
    for (std::size_t i = 1; i < v.size(); ++i) {
        if (mpfr_cmpabs(v[i].mpfr(), v[best].mpfr()) > 0) {
            best = i;
        }
    }
    return best;
}

real norm1_by_columns(std::size_t n, const apply_in_place& apply)
{
    real largest(0.0, norm_bits);
    for (std::size_t j = 0; j < n; ++j) {
        std::vector<real> x(n, real(0.0, norm_bits));
        x[j] = real(1.0, norm_bits);
        apply(x);
        const real norm = norm1(x);
        if (!is_finite(norm)) {
            return norm;
        }
        largest = max(largest, norm);
    }
    return largest;
}

}  // namespace

real estimate_norm1(index_t n, const apply_in_place& apply, const apply_in_place& apply_transposed)
{
    if (n == 0) {
        return real(0.0);
    }
    const auto size = static_cast<std::size_t>(n);
    constexpr std::size_t most_by_columns = 12;  // an estimate takes as many products
    if (size <= most_by_columns) {
        return norm1_by_columns(size, apply);
    }
    std::vector<real> x(size, real(1.0 / static_cast<double>(n), norm_bits));
    apply(x);
    real estimate = norm1(x);
    std::vector<real> signs(size, real(0.0));
    std::size_t last = size;

    for (int step = 0; step < 5 && is_finite(estimate); ++step) {
        bool unchanged = step > 0;
        for (std::size_t i = 0; i < size; ++i) {
            const real sign(mpfr_signbit(x[i].mpfr()) != 0 ? -1.0 : 1.0, norm_bits);
            unchanged = unchanged && sign == signs[i];
            signs[i] = sign;
        }
        if (unchanged) {
            break;
        }
        std::vector<real> z = signs;
        apply_transposed(z);
        const std::size_t j = largest_position(z);
        if (j == last) {
            break;
        }
        last = j;
        x.assign(size, real(0.0, norm_bits));
        x[j] = real(1.0, norm_bits);  // column j is the steepest ascent
        apply(x);
        real next = norm1(x);
        if (!(estimate < next)) {
            break;
        }
        estimate = std::move(next);
    }

    // a vector that the iteration cannot have seen protects against a B that was built to fool it
    for (std::size_t i = 0; i < size; ++i) {
        const double ramp = size > 1 ? static_cast<double>(i) / static_cast<double>(size - 1) : 0.0;
        x[i] = real((i % 2 == 0 ? 1.0 : -1.0) * (1.0 + ramp), norm_bits);
    }
    apply(x);
    return max(estimate, norm1(x) * real(2.0 / (3.0 * static_cast<double>(n))));
}

real estimate_error_inf(const std::vector<real>& f, const apply_in_place& solve, const apply_in_place& solve_transposed)
{
    const auto weight = [&f](std::vector<real>& v) {
        for (std::size_t i = 0; i < v.size(); ++i) {
            v[i] *= f[i];
        }
    };
    return estimate_norm1(
        static_cast<index_t>(f.size()),
        [&](std::vector<real>& v) {
            solve_transposed(v);
            weight(v);
        },
        [&](std::vector<real>& v) {
            weight(v);
            solve(v);
        });
}

real matrix_norm1(const linear_system& system)
{
    std::vector<real> sums(static_cast<std::size_t>(system.cols), real(0.0, norm_bits));
    for (std::size_t k = 0; k < system.values.size(); ++k) {
        real& sum = sums[system.column[k]];
        if (system.exact.empty()) {
            sum += real(system.values[k] < 0.0 ? -system.values[k] : system.values[k]);
        } else {
            sum += abs(system.exact[k]).with_precision(norm_bits);
        }
    }
    real largest(0.0, norm_bits);
    for (const real& sum : sums) {
        largest = max(largest, sum);
    }
    return largest;
}

}  // namespace residua
