// What lsqr's x is judged by: the residual, or that of the normal equations.
#include <residua/solvers/driver.hpp>

namespace residua {

residual_evaluation driver::evaluate_untimed(const solve_column& c, const std::vector<real>& x,
                                             const real& wanted_error) const
{
    residual_evaluation at = evaluate_residual(system_, c.b, x, wanted_error);
    if (!transposed_) {
        return at;
    }
    // the second test is relative to ||r||, which b may be far above
    const auto wanted = [&] { return ldexp(c.report.rtol * at.norm2, -20); };
    if (wanted() < at.error && c.tolerance < at.norm2 && !is_zero(wanted())) {
        at = evaluate_residual(system_, c.b, x, wanted());
    }
    at.normal = evaluate_normal(*transposed_, norm_frobenius_, at, norm_frobenius_ * wanted());
    return at;
}

real driver::normal_ratio(const residual_evaluation& at) const
{
    return is_zero(at.normal->norm2) ? real(0.0) : at.normal->norm2 / (norm_frobenius_ * at.norm2);
}

bool driver::passes_normal(const solve_column& c, const residual_evaluation& at) const
{
    return at.normal && at.normal->norm2 + at.normal->error <= c.report.rtol * norm_frobenius_ * (at.norm2 - at.error);
}

bool driver::passes(const solve_column& c, const residual_evaluation& at) const
{
    return at.norm2 + at.error <= c.tolerance || passes_normal(c, at);
}

real driver::merit(const solve_column& c, const residual_evaluation& at) const
{
    if (!at.normal || is_zero(c.report.rtol)) {
        return at.norm2;
    }
    return min(at.norm2, normal_ratio(at) / c.report.rtol * c.tolerance);
}

}  // namespace residua
