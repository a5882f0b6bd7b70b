#include <residua/solvers/assess/forward_error.hpp>

#include <residua/solvers/assess/condition.hpp>

namespace residua {
namespace {

constexpr long bound_bits = 64;

}  // namespace

std::optional<real> estimate_relative_error(const linear_system& system, const std::vector<real>& b,
                                            const std::vector<real>& x, const residual_evaluation& at,
                                            const inverse_operator& inverse)
{
    const std::vector<real> r = at.r.numbers(bound_bits);
    std::vector<real> f;
    if (at.is_rounded_once) {
        const real most = real(1.0, bound_bits) + max(at.relative_error, ldexp(real(1.0), 8 - bound_bits));
        for (const real& r_i : r) {
            f.push_back(abs(r_i) * most);
        }
    } else {
        f = residual_sizes(system, b, x);
        for (std::size_t i = 0; i < f.size(); ++i) {
            f[i] = (abs(r[i]) + min(at.error, at.relative_error * f[i])).with_precision(bound_bits);
        }
    }
    raise_to_unsure(f, inverse);
    const real error = estimate_error_inf(f, inverse.solve, inverse.solve_transposed);
    // no estimate may fall below inverse(A) r, the error that belongs to this very residual
    std::vector<real> seen = r;
    inverse.solve(seen);
    const real seen_error = norm_inf(seen);
    if (!is_finite(error) || !is_finite(seen_error)) {
        return std::nullopt;
    }
    return max(real(norm_estimate_safety) * error, seen_error) / norm_inf(x);
}

}  // namespace residua
