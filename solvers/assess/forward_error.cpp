#include <residua/solvers/assess/forward_error.hpp>

#include <algorithm>

#include <residua/solvers/assess/condition.hpp>
#include <residua/solvers/base/elements.hpp>

namespace residua {

int decimals_below(const real& error)
{
    const scaled_double size(error);
    const double decades = -(std::log10(size.m) + static_cast<double>(size.e) * std::log10(2.0));
    const bool is_clear = std::abs(decades - std::round(decades)) > 1e-12 * (1.0 + std::abs(decades));
    return static_cast<int>(is_clear ? std::floor(decades) : to_double(floor(-log10(error))));
}

std::optional<real> estimate_relative_error(const linear_system& system, const scaled_doubles& b,
                                            const scaled_doubles& x, const residual_evaluation& at,
                                            const inverse_operator& inverse)
{
    constexpr double rounding = 0x1p-45;  // a bound of binary64's roundings here, with room to spare
    const scaled_doubles r = at.r.leading();
    scaled_doubles f(r.size());
    if (at.is_rounded_once) {
        const scaled_double most = 1.0 + std::max(to_double(at.relative_error), rounding);
        for_each_element(r.size(), [&](std::size_t i) { f[i] = abs(r[i]) * most; });
    } else {
        const scaled_double error(at.error);
        const scaled_double relative_error(at.relative_error);
        f = residual_sizes(system, b, x);
        for_each_element(r.size(), [&](std::size_t i) {
            f[i] = (abs(r[i]) + std::min(error, relative_error * f[i])) * (1.0 + rounding);
        });
    }
    raise_to_unsure(f, inverse);
    // no estimate may fall below inverse(A) r, the error that belongs to this very residual
    const error_norms error = estimate_error_inf(f, r, inverse.solve, inverse.solve_transposed);
    if (!is_finite(error.possible) || !is_finite(error.seen)) {
        return std::nullopt;
    }
    return to_real(std::max(error.possible * norm_estimate_safety, error.seen) / norm_inf(x));
}

}  // namespace residua
