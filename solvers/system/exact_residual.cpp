#include <residua/solvers/system/exact_residual.hpp>

#include <algorithm>
#include <utility>
#include <variant>

#include <residua/blas/exact/spmv_exact.hpp>

namespace residua {
namespace {

/// All in one precision, for which the sums are fastest.
long_vector residual(matrix_storage& a, long_vector& b, const long_vector& x)
{
    const long bits = std::max(b.held_bits(), x.held_bits());
    if (x.held_bits() < bits) {
        long_vector longer = x;
        longer.hold_in(bits);
        return residual(a, b, longer);
    }
    b.hold_in(bits);
    return x.visit([&](const auto& exec, const auto& at) {
        using numbers = std::decay_t<decltype(at)>;
        numbers r(multidigit_format(bits), b.size(), exec);
        std::visit(
            [&](const auto& matrix) {
                blas::residual_exact<multidigit, double>(exec, matrix, at.view(), b.on(exec)->view(), r.view());
            },
            *a.on(exec));
        return long_vector(exec, std::move(r), bits);
    });
}

}  // namespace

bool has_exact_residuals(const linear_system& system) { return system.exact.empty() && is_zero(system.reading_error); }

residual_evaluation evaluate_exactly(matrix_storage& a, long_vector& b, const long_vector& x)
{
    const bool at_zero = x.is_zero();
    residual_evaluation result;
    result.r = at_zero ? b : residual(a, b, x);
    const long bits = result.r.bits();
    result.norm2 = result.r.norm2();
    result.norm_inf = result.r.norm_inf();
    result.error = at_zero ? real(0.0) : ldexp(result.norm2, 1 - bits);
    result.relative_error = at_zero ? real(0.0) : ldexp(real(1.0), 1 - bits);
    result.is_rounded_once = true;
    return result;
}

}  // namespace residua
