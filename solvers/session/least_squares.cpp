// What lsqr's x is judged by: the residual, or that of the normal equations.
#include <residua/solvers/session/driver.hpp>

namespace residua {
namespace {

/// Whether a norm is more than noise: its error is far below it.
bool is_resolved(const real& norm2, const real& error) { return error <= ldexp(norm2, -20); }

}  // namespace

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

void driver::sharpen_normal(solve_column& c)
{
    residual_evaluation& at = c.at_x;
    // as sharpen_residual(): what came out as zero, but not exactly, or once more as noise, asks for more bits blindly
    for (int k = 0; k < 3 && !is_resolved(at.normal->norm2, at.normal->error); ++k) {
        const bool unseen = is_zero(at.normal->norm2) || (k > 0 && at.normal->norm2 <= at.normal->error);
        const real wanted = unseen ? ldexp(at.normal->error, -2000) : ldexp(at.normal->norm2, -24);
        timed(part(&part_seconds::true_residuals), [&] {
            if (wanted < norm_frobenius_ * at.error) {
                at = evaluate_residual(system_, c.b, c.x, wanted / norm_frobenius_);
            }
            at.normal = evaluate_normal(*transposed_, norm_frobenius_, at, wanted);
        });
    }
}

real driver::normal_bound(const residual_evaluation& at) const
{
    if (is_resolved(at.normal->norm2, at.normal->error) && is_resolved(at.norm2, at.error)) {
        return normal_ratio(at);
    }
    if (at.norm2 <= at.error) {
        return real(1.0);  // ||A'r|| <= ||A||_F ||r||
    }
    return min((at.normal->norm2 + at.normal->error) / (norm_frobenius_ * (at.norm2 - at.error)), real(1.0));
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
