// Why a solve ended as it did, and what may help.
#include <algorithm>
#include <cmath>
#include <utility>

#include <residua/solvers/session/session.hpp>

namespace residua {
namespace {

struct facts {
    const session& s;
    const solve_column& c;
    double condition_bits = 0.0;  ///< 0: unknown
    long bits = 0;                ///< the precision of the method

    bool by_gmres_ir() const { return c.used.method == method::gmres_ir; }
    bool refines() const { return traits_of(c.used.method).by_factors; }

    /// log2 of the largest condition for which factors in `factors` bits suffice to a method in `of` bits.
    double limit_of(long factors, long of) const
    {
        return by_gmres_ir() ? gmres_ir_limit_bits(std::min(factors, 2 * of), of, 2 * of)
                             : static_cast<double>(factors);
    }
};

/// The verdict with a precision to try; 0: none.
verdict with_precision(verdict v, long bits)
{
    if (bits > 0) {
        v.tries.push_back({remedy::precision, bits});
    }
    return v;
}

/// The verdict on refine or GMRES-IR that stagnates: what its factors suffice for, and what to try.
verdict factors_are_the_limit(const facts& f)
{
    const long factors = f.c.used.factor_bits;
    verdict v{
        .limit = limit::factors, .bits = factors, .condition_bits = static_cast<long>(f.limit_of(factors, f.bits))};
    for (long longer = longer_factor_bits(factors); longer <= f.bits; longer = longer_factor_bits(longer)) {
        if (f.limit_of(longer, f.bits) > f.condition_bits) {
            const bool on_host = f.by_gmres_ir() && longer > binary64_bits;
            if (!on_host || f.s.options().executor != executor::cuda) {
                v.tries.push_back({remedy::factors, longer});
            }
            break;
        }
    }
    if (f.by_gmres_ir()) {
        const std::vector<long>& precisions = available_precisions(longer_format(f.s.options().format));
        const auto enough = std::find_if(precisions.begin(), precisions.end(), [&](long p) {
            return p > f.bits && f.limit_of(factors, p) > f.condition_bits;
        });
        if (enough != precisions.end()) {
            v.tries.push_back({remedy::precision, *enough});
        }
    }
    v.tries.push_back({remedy::direct});
    return v;
}

bool is_beyond_factors(const facts& f)
{
    return f.by_gmres_ir() && f.condition_bits > f.limit_of(f.c.used.factor_bits, f.bits);
}

/// Suggests a higher precision, if the options leave one.
void try_higher_precision(const facts& f, verdict& v)
{
    if (next_precision(f.s, f.c, f.bits) > 0 || f.s.options().precision_bits > 0) {
        v.tries.push_back({remedy::precision});
    }
}

verdict preconditioner_is_the_limit(const facts& f)
{
    verdict v{.limit = limit::preconditioner};
    const long next = precision_above(available_precisions(f.s.options().format), f.bits);
    v.restarted = f.c.report.restarts > 0;
    v.iterations = v.restarted ? restart_of(f.c.used, f.s.options()) : 0;
    v.loses_bits = !f.refines() && next > 0;  // methods without factors lose bits on their way
    v = with_precision(std::move(v), v.loses_bits ? next : 0);
    if (v.restarted) {
        v.tries.push_back({remedy::restart});
    }
    if (!are_factors(f.c.used.preconditioner)) {
        v.tries.push_back({remedy::preconditioner});
        v.tries.push_back({remedy::refine});
    }
    v.tries.push_back({remedy::direct});
    return v;
}

verdict why_stagnated(const facts& f)
{
    const std::vector<long>& precisions = available_precisions(longer_format(f.s.options().format));
    const method m = f.c.used.method;
    const solve_report& report = f.c.report;
    if (is_beyond_factors(f)) {
        return factors_are_the_limit(f);
    }
    if (!f.c.at_x.can_be_sharpened && f.c.at_x.norm2 <= f.c.at_x.error) {
        return {.limit = limit::reading, .tries = {{remedy::reading_bits}}};
    }
    if (f.condition_bits + 10.0 > static_cast<double>(f.bits)) {
        const long lost = static_cast<long>(f.condition_bits);
        return with_precision({.limit = limit::precision, .bits = f.bits, .condition_bits = lost},
                              precision_above(precisions, lost + 39));
    }
    if (m != method::lsqr && m != method::direct &&
        f.c.at_x.norm2 <= ldexp(report.rhs_norm, 12 - report.solution_bits)) {
        return with_precision({.limit = limit::solution_bits, .bits = report.solution_bits},
                              precision_above(precisions, f.bits));
    }
    if (m == method::lsqr || m == method::direct) {
        verdict v{.limit = m == method::lsqr ? limit::rounding : limit::factor_rounding};
        try_higher_precision(f, v);
        return v;
    }
    if (m == method::refine && f.condition_bits + 10.0 > static_cast<double>(f.c.used.factor_bits)) {
        return factors_are_the_limit(f);
    }
    return preconditioner_is_the_limit(f);
}

/// The residual passes, and yet the digits that were asked for are not there.
bool lacks_digits(const facts& f) { return f.s.options().digits > 0 && passes(f.s, f.c, f.c.at_x); }

/// Where an incomplete preconditioner cannot be made, the method may do without: a singular system may be consistent.
std::vector<suggestion> instead_of_preconditioner(const facts& f)
{
    const preconditioner used = f.c.used.preconditioner;
    const bool failed = f.c.report.status == solve_status::breakdown && !f.c.had_engine &&
                        used != preconditioner::none && !are_factors(used) &&
                        !f.s.prepared.structure().has_zero_lines();
    return failed ? std::vector<suggestion>{{remedy::preconditioner}} : std::vector<suggestion>();
}

verdict without_detail(const facts& f)
{
    const solve_report& report = f.c.report;
    if (report.looks_singular) {
        verdict v{.limit = limit::singular,
                  .bits = std::max(f.s.prepared.sought_bits(), report.precision_bits),
                  .tries = instead_of_preconditioner(f)};
        const long untried = f.s.prepared.reach().first_untried();
        return with_precision(v, untried > v.bits ? untried : 0);
    }
    switch (report.status) {
        case solve_status::stagnated:
            return why_stagnated(f);
        case solve_status::not_converged:
            if (lacks_digits(f)) {
                return verdict{.limit = report.forward_error ? limit::digits : limit::no_estimate};
            }
            if (report.iterations >= f.s.max_iterations) {
                verdict v = is_beyond_factors(f) ? factors_are_the_limit(f) : verdict{.limit = limit::iterations};
                v.iterations = f.s.max_iterations;
                return v;
            }
            return {};
        case solve_status::time_limit:
            return {.limit = limit::time};
        case solve_status::interrupted:
            return {.limit = limit::interruption};
        case solve_status::breakdown:
            return {.limit = limit::breakdown, .tries = instead_of_preconditioner(f)};
        case solve_status::converged:
            break;
    }
    return {};
}

/// Why there is no estimate of the error, if it was stopped or lacked memory; otherwise empty.
std::string why_unknown(const facts& f)
{
    const solve_options& options = f.s.options();
    const bool wanted = options.digits > 0 || options.estimate_condition;
    if (!wanted || f.c.report.forward_error || f.c.report.looks_singular || f.c.x.is_zero()) {
        return "";
    }
    if (f.c.estimate_stopped) {
        return "the estimate of the error was stopped, so no digits are known";
    }
    const prepared_system& prepared = f.s.prepared;
    const bool lacks = prepared.inverse_found() == inverse_state::too_large && prepared.lacks_memory_for_inverse();
    const std::string why = !f.c.lost_estimate.empty() ? f.c.lost_estimate : lacks ? prepared.why_no_inverse() : "";
    return why.empty() ? "" : "there is no room for an estimate of the error, so no digits are known: " + why;
}

/// What was not tried for lack of memory, if x did not converge; otherwise why the error of x is unknown, if it is.
std::string words_about_memory(const facts& f)
{
    const std::optional<plan_step>& fall = f.s.prepared.plan().fall;
    const std::string unknown = why_unknown(f);
    return f.c.report.status != solve_status::converged && fall ? fall->reason : unknown;
}

double log2_of(const scaled_double& x) { return std::log2(x.m) + static_cast<double>(x.e); }

}  // namespace

verdict find_verdict(const session& s, const solve_column& c)
{
    facts f{.s = s, .c = c};
    f.bits = c.report.precision_bits;
    if (c.report.condition) {  // even factors that do not suffice see most of it
        const bool by_bound = c.report.condition_source == condition_source::lower_bound;
        f.condition_bits =
            log2_of(scaled_double(by_bound ? s.prepared.made().condition()->condition : *c.report.condition));
    }
    verdict v = without_detail(f);
    if (c.report.status != solve_status::converged) {
        v.detail = c.note;
    }
    const bool is_slow = c.report.status == solve_status::not_converged || c.report.status == solve_status::stagnated ||
                         c.report.status == solve_status::time_limit;
    const bool lacks_multigrid = is_slow && s.prepared.plan().lacks_multigrid;
    for (const std::string& words :
         {words_about_memory(f), std::string(lacks_multigrid ? "multigrid, which the package residua-petsc brings, may "
                                                               "take far fewer iterations"
                                                             : "")}) {
        v.detail += (v.detail.empty() || words.empty() ? "" : "; ") + words;
    }
    return v;
}

}  // namespace residua
