// The residual of x, and what x is judged by: that residual or, for least squares, the residual of the normal equations.
#include <residua/solvers/base/elements.hpp>
#include <residua/solvers/session/session.hpp>

namespace residua {
namespace {

/// Whether a norm is more than noise: its error is far below it.
bool is_resolved(const real& norm2, const real& error) { return error <= ldexp(norm2, -20); }

/// The largest element of R r, as the method sees it.
real scaled_size(const session& s, const residual_evaluation& at)
{
    const std::vector<int>& exponent = s.prepared.matrix().row_exponent;
    scaled_doubles r = at.r.leading();
    for_each_element(r.size(), [&](std::size_t i) { r[i] = ldexp(r[i], exponent[i]); });
    return to_real(norm_inf(r));
}

residual_evaluation evaluate_untimed(const session& s, solve_column& c, const long_vector& at_work,
                                     const real& wanted_error)
{
    residual_matrix* const a = s.prepared.matrix_for_residuals();
    if (a != nullptr && !at_work.in_mpfr() && !c.rhs.in_mpfr()) {
        return evaluate_exactly(*a, c.rhs, at_work);
    }
    const std::vector<real> x = at_work.numbers();
    residual_evaluation at = evaluate_residual(s.prepared.whole(), c.b.numbers(), x, wanted_error, c.reading_error);
    if (!s.prepared.is_least_squares()) {
        return at;
    }
    // the second test is relative to ||r||, which may be far below ||b||
    const auto wanted = [&] { return ldexp(c.report.rtol * at.norm2, -20); };
    if (wanted() < at.error && c.tolerance < at.norm2 && !is_zero(wanted())) {
        at = evaluate_residual(s.system(), c.b.numbers(), x, wanted(), c.reading_error);
    }
    const real& norm = s.prepared.norm_frobenius();
    at.normal = evaluate_normal(s.prepared.transpose_of_a(), norm, at, norm * wanted());
    return at;
}

}  // namespace

residual_evaluation evaluate(session& s, solve_column& c, const long_vector& x, const real& wanted_error)
{
    return s.parts.in(&part_seconds::true_residuals, [&] { return evaluate_untimed(s, c, x, wanted_error); });
}

void sharpen_residual(session& s, solve_column& c)
{
    // a zero that is not exact, or noise for the second time, shows no size to aim at: it asks for 2000 bits more
    for (int k = 0; k < 3 && ldexp(c.at_x.norm2, -20) < c.at_x.error && c.at_x.can_be_sharpened; ++k) {
        const bool unseen = is_zero(c.at_x.norm2) || (k > 0 && c.at_x.norm2 <= c.at_x.error);
        const real wanted = unseen ? ldexp(c.at_x.error, -2000) : ldexp(c.at_x.norm2, -24);
        c.at_x = evaluate(s, c, c.x, wanted);
    }
}

real normal_ratio(const session& s, const residual_evaluation& at)
{
    return is_zero(at.normal->norm2) ? real(0.0) : at.normal->norm2 / (s.prepared.norm_frobenius() * at.norm2);
}

void sharpen_normal(session& s, solve_column& c)
{
    const real& norm = s.prepared.norm_frobenius();
    residual_evaluation& at = c.at_x;
    // as in sharpen_residual(): a zero that is not exact, or noise for the second time, shows no size to aim at
    for (int k = 0; k < 3 && !is_resolved(at.normal->norm2, at.normal->error); ++k) {
        const bool unseen = is_zero(at.normal->norm2) || (k > 0 && at.normal->norm2 <= at.normal->error);
        const real wanted = unseen ? ldexp(at.normal->error, -2000) : ldexp(at.normal->norm2, -24);
        s.parts.in(&part_seconds::true_residuals, [&] {
            if (wanted < norm * at.error) {
                at = evaluate_residual(s.system(), c.b.numbers(), c.x.numbers(), wanted / norm, c.reading_error);
            }
            at.normal = evaluate_normal(s.prepared.transpose_of_a(), norm, at, wanted);
        });
    }
}

real normal_bound(const session& s, const residual_evaluation& at)
{
    if (is_resolved(at.normal->norm2, at.normal->error) && is_resolved(at.norm2, at.error)) {
        return normal_ratio(s, at);
    }
    if (at.norm2 <= at.error) {
        return real(1.0);  // ||A'r|| <= ||A||_F ||r||
    }
    const real largest = (at.normal->norm2 + at.normal->error) / (s.prepared.norm_frobenius() * (at.norm2 - at.error));
    return min(largest, real(1.0));
}

bool passes(const session& s, const solve_column& c, const residual_evaluation& at)
{
    const auto passes_normal = [&] {
        return at.normal && may_be_least(at.norm2, at.error, c.report.rhs_norm) &&
               at.normal->norm2 + at.normal->error <=
                   c.report.rtol * s.prepared.norm_frobenius() * (at.norm2 - at.error);
    };
    return at.norm2 + at.error <= c.tolerance || passes_normal();
}

real merit(const session& s, const solve_column& c, const residual_evaluation& at)
{
    if (c.scales_mislead && s.is_judged_by_digits()) {
        return scaled_size(s, at);
    }
    if (!at.normal || is_zero(c.report.rtol) || !may_be_least(at.norm2, at.error, c.report.rhs_norm)) {
        return at.norm2;
    }
    return min(at.norm2, normal_ratio(s, at) / c.report.rtol * c.tolerance);
}

}  // namespace residua
