#include <residua/solvers/planning/plan.hpp>

#include <algorithm>
#include <cmath>

#include <residua/arith/multidigit/number.hpp>
#include <residua/arith/rns/number.hpp>
#include <residua/blas/base/compiled_formats.hpp>
#include <residua/solvers/base/tuning_table.hpp>
#include <residua/solvers/precond/factor_kinds.hpp>

namespace residua {

void require_bits(number_format format, long bits)
{
    if (const precision_range has = precisions_of(format); !has.holds(bits)) {
        throw unsupported_error("the format " + std::string(to_string(format)) + " has " + std::to_string(has.least) +
                                " to " + std::to_string(has.most) + " bits, not " + std::to_string(bits));
    }
}

number_format longer_format(number_format asked)
{
    return asked == number_format::native ? number_format::automatic : asked;
}

void require_symmetry(const matrix_structure& structure, const solve_options& options)
{
    if (traits_of(options.method).symmetric && !structure.symmetric) {
        throw unsupported_error(std::string(to_string(options.method)) +
                                " needs a symmetric matrix, and this one is not: use gmres, bicgstab, idr or auto");
    }
    const bool of_symmetric = are_factors(options.preconditioner) && options.preconditioner != preconditioner::lu;
    if (of_symmetric && !structure.symmetric) {
        throw unsupported_error("the preconditioner " + std::string(to_string(options.preconditioner)) +
                                " needs a symmetric matrix, and this one is not: use lu");
    }
}

namespace {

/// A Krylov method with binary64 factors needs few iterations or very many.
constexpr index_t patience_with_factors = 200;

/// The most iterations of LSQR before bits are added; 0: no limit, as the caller has chosen them. In exact arithmetic
/// LSQR ends after as many steps as A has columns or rows: where it takes ten times as many, it lacks bits.
index_t patience_with_lsqr(const linear_system& system, const solve_options& options)
{
    const bool free_choice = options.precision_bits == 0 || options.digits > 0;
    return free_choice ? std::max<index_t>(10 * std::min(system.rows, system.cols), 100) : 0;
}

/// Records in the plan which factors memory does not suffice for, and what comes instead.
void fall(solve_plan& plan, const factor_reach& reach, method m, const std::string& instead)
{
    const long bits = reach.first_untried();
    if (bits == 0 || !reach.lacks_memory(bits)) {
        return;
    }
    const std::string why = reach.why_not(bits);
    plan.fall = {{m, reach.kind, bits}, why + ": " + instead};
    plan.reason += (plan.reason.ends_with(why) ? "" : "; " + why) + ": " + instead;
}

/// A plan with the method that was asked for, and with factors in more bits where those of binary64 may not suffice.
solve_plan plan_as_asked(const linear_system& system, const matrix_structure& structure, const solve_options& options,
                         const binary64_factors& factors, const factor_reach& reach)
{
    solve_plan plan;
    const long bits = options.factor_bits > 0 ? factors_in(options.factor_bits, system).bits : binary64_bits;
    const preconditioner kind = bits == binary64_bits  ? factors.kind
                                : bits < binary32_bits ? preconditioner::lu
                                                       : reach.kind;
    candidate asked{options.method, options.preconditioner == preconditioner::automatic
                                        ? default_preconditioner(options.method, structure.nonzero_diagonal, kind)
                                        : options.preconditioner};
    if (asked.method == method::lsqr) {
        asked.most_iterations = patience_with_lsqr(system, options);
    }
    if (options.factor_bits > 0) {
        asked.factor_bits = asked.preconditioner == preconditioner::lu ? bits : std::max(bits, binary32_bits);
    }
    plan.candidates.push_back(asked);
    const bool may_be_longer = traits_of(asked.method).by_factors && options.factor_bits == 0;
    plan.reason = "as asked";
    if (may_be_longer && !factors.trusted()) {
        for (const long longer : {2 * binary64_bits, 4 * binary64_bits}) {
            if (longer > reach.automatic) {
                break;
            }
            asked.factor_bits = longer;
            asked.preconditioner = are_factors(options.preconditioner) ? options.preconditioner : reach.kind;
            plan.candidates.push_back(asked);
        }
        if (plan.candidates.size() < 3) {
            fall(plan, reach, asked.method,
                 "factors in " + std::to_string(plan.candidates.back().factor_bits) + " bits");
        }
    }
    return plan;
}

/// What is known about factors in binary64, in words.
std::string words_about_factors(const linear_system& system, const binary64_factors& factors, const factor_reach& reach,
                                const condition_estimate* condition)
{
    if (!factors.available) {
        return reach.automatic > 0   ? "binary64 factors failed (" + factors.factors.failure() + ")"
               : reach.needs.empty() ? std::to_string(system.rows) + " unknowns are too many for factors by default"
                                     : reach.why_not(binary64_bits);
    }
    std::string words = "binary64 ";
    words.append(words_for(kind_of(factors.kind))).append(" factors exist, condition ");
    words += condition != nullptr ? "about " + to_string(condition->condition, 2) : "unknown";
    if (condition != nullptr && condition->condition > real(10.0 * condition->scaled)) {
        words += ", " + to_string(real(condition->scaled), 2) + " as scaled";
    }
    return words;
}

/// Adds refinement with factors that are known to suffice, or with factors in more and more bits until they do.
void add_long_factors(solve_plan& plan, preconditioner kind, long trusted_bits, long most_bits)
{
    plan.seeks_factors = true;
    if (trusted_bits > binary64_bits) {
        plan.candidates.push_back({method::refine, kind, trusted_bits});
        return;
    }
    for (const long bits : factor_ladder) {
        if (bits > std::min(most_bits, most_inverse_bits)) {
            return;
        }
        plan.candidates.push_back({method::refine, kind, bits});
    }
}

/// Adds Krylov methods without complete factors, as the symmetry allows.
void add_krylov_methods(solve_plan& plan, const matrix_structure& structure)
{
    if (structure.symmetric && structure.positive_diagonal) {
        plan.candidates.push_back({method::cg, preconditioner::ic0});
        plan.candidates.push_back({method::cg, preconditioner::jacobi});
        plan.reason += "; symmetric with a positive diagonal, so CG";
    } else if (structure.symmetric) {
        plan.candidates.push_back({method::minres, default_preconditioner(method::minres, structure.nonzero_diagonal)});
        plan.reason += "; symmetric, not positive definite, so MINRES";
    } else {
        plan.reason += "; not symmetric positive, so GMRES with incomplete factors, IDR and BiCGSTAB";
    }
    plan.candidates.push_back({method::gmres, preconditioner::ilut});
    const preconditioner weak = default_preconditioner(method::gmres, structure.nonzero_diagonal);
    for (const method m : {method::gmres, method::idr, method::bicgstab}) {
        plan.candidates.push_back({m, weak});
    }
}

}  // namespace

solve_plan make_plan(const linear_system& system, const matrix_structure& structure, const solve_options& options,
                     const binary64_factors& factors, const factor_reach& reach, const condition_estimate* condition,
                     long trusted_bits)
{
    require_fitting(options.method, options.preconditioner);
    require_symmetry(structure, options);
    if (options.method != method::automatic) {
        return plan_as_asked(system, structure, options, factors, reach);
    }
    solve_plan plan;
    if (!structure.square) {
        plan.candidates.push_back({method::lsqr, preconditioner::none, 0, patience_with_lsqr(system, options)});
        plan.reason = "not square, so least squares by LSQR";
        return plan;
    }
    const bool takes_longer = reach.automatic > binary64_bits;
    const bool refines = factors.available && refines_by(binary64_bits, condition);
    plan.reason = words_about_factors(system, factors, reach, condition);
    if (refines) {
        plan.candidates.push_back({method::refine, factors.kind});
        plan.reason += ", so refinement by them converges";
    }
    if (takes_longer) {
        plan.reason += refines ? "" : ", so factors in a longer format";
        add_long_factors(plan, reach.kind, trusted_bits, reach.automatic);
        if (reach.automatic >= most_inverse_bits) {
            plan.candidates.push_back({method::direct, preconditioner::none});
            return plan;
        }
    }
    if (!refines && trusted_bits == 0) {
        const long longest = std::max(reach.longest_tried(), std::min(reach.automatic, binary64_bits));
        const bool incomplete = !structure.symmetric || structure.positive_diagonal;
        fall(plan, reach, method::refine,
             longest >= binary64_bits ? "factors in " + std::to_string(longest) + " bits"
             : incomplete             ? "incomplete factors"
                                      : "a Krylov method");
        const bool takes_gmres_ir = options.format == number_format::automatic ||
                                    options.format == number_format::native ||
                                    options.format == number_format::multidigit;
        if (plan.fall && longest > binary64_bits && takes_gmres_ir) {  // which fewer bits suffice for
            plan.candidates.push_back({method::gmres_ir, reach.kind, longest});
        }
    }
    const bool may_be_longer = reach.resort > std::max(reach.automatic, binary64_bits);
    if (factors.available) {
        plan.reason += refines ? "" : ", too much for refinement, so they precondition GMRES";
        plan.candidates.push_back(
            {method::gmres, factors.kind, binary64_bits, may_be_longer ? patience_with_factors : 0});
    } else {
        add_krylov_methods(plan, structure);
    }
    if (may_be_longer) {
        add_long_factors(plan, reach.kind, trusted_bits, reach.resort);
    }
    if (factors.available) {
        add_krylov_methods(plan, structure);
    }
    return plan;
}

const std::vector<long>& available_precisions(number_format format)
{
    static const std::vector<long> native{binary64_bits};
    static const std::vector<long> expansion = [] {
        std::vector<long> bits;
        for (const int terms : blas::compiled_terms) {
            if (terms > 1) {
                bits.push_back(binary64_bits * terms);
            }
        }
        return bits;
    }();
    static const std::vector<long> multidigit{
        128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, multidigit_format::most_bits};
    static const std::vector<long> all = [] {
        std::vector<long> bits = expansion;
        bits.insert(bits.begin(), binary64_bits);
        bits.insert(bits.end(), {2544, 3392, multidigit_format::most_bits});
        return bits;
    }();
    switch (format) {
        case number_format::native:
            return native;
        case number_format::expansion:
            return expansion;
        case number_format::multidigit:
            return multidigit;
        case number_format::rns: {
            static const std::vector<long> rns = [] {
                std::vector<long> bits;
                for (const long least : expansion) {
                    bits.push_back(rns_format(least).precision_bits());
                }
                return bits;
            }();  // sets of moduli, which take milliseconds to find
            return rns;
        }
        default:
            return all;
    }
}

number_format format_of(long bits, method m)
{
    require_bits(number_format::automatic, bits);
    return format_row_of(bits, m).format;
}

precision_range precisions_of(number_format format)
{
    switch (format) {
        case number_format::multidigit:
            return {multidigit_least_bits, multidigit_format::most_bits};
        case number_format::rns:
            return {1, rns_format::most_bits};
        default:
            return {1, available_precisions(format).back()};
    }
}

const tuning::format_row& format_row_of(long bits, method m)
{
    return m == method::refine ? tuning::row_of(tuning::refine_formats, bits) : tuning::row_of(tuning::formats, bits);
}

arithmetic arithmetic_of(number_format asked, long bits, method m)
{
    return {asked == number_format::automatic ? format_of(bits, m) : asked, bits};
}

bool refines_by(long factor_bits, const condition_estimate* condition)
{
    const double lost = condition != nullptr ? std::log2(10.0 * condition->scaled) : 0.0;
    return lost < static_cast<double>(factor_bits);
}

index_t iteration_limit(const solve_options& options, index_t unknowns)
{
    return options.max_iterations > 0 ? options.max_iterations : default_iterations(unknowns);
}

long wanted_bits(const solve_options& options, const real& condition)
{
    const double digits = options.digits > 0 ? options.digits : 16.0;
    const double lost = condition > real(1.0) ? static_cast<double>(exponent(condition)) : 0.0;
    return static_cast<long>(std::ceil(lost + digits * std::log2(10.0))) + 8;
}

long choose_precision(const solve_options& options, const real& condition)
{
    const std::vector<long>& all = available_precisions(options.format);
    long wanted = options.precision_bits;
    if (wanted == 0) {
        wanted = std::max(wanted_bits(options, condition), options.factor_bits);
        return *std::lower_bound(all.begin(), all.end(), std::clamp(wanted, std::min(106L, all.back()), all.back()));
    }
    require_bits(options.format, wanted);
    switch (arithmetic_of(options.format, wanted).format) {
        case number_format::multidigit:
            return wanted;
        case number_format::rns:
            return rns_format(wanted).precision_bits();
        default:
            return *std::lower_bound(all.begin(), all.end(), wanted);
    }
}

void require_format(method method, number_format asked)
{
    if (method == method::gmres_ir && (asked == number_format::expansion || asked == number_format::rns)) {
        throw unsupported_error("gmres-ir takes auto, native and multidigit, not " + std::string(to_string(asked)));
    }
}

void require_shape(const linear_system& system, method m)
{
    if (system.cols == 0 && system.rows > 0) {
        throw dimension_error("the matrix is " + std::to_string(system.rows) + " x 0: there is nothing to solve for");
    }
    if (system.rows != system.cols && !traits_of(m).rectangular) {
        std::vector<std::string_view> other = names_with(&method_traits::rectangular);
        other.push_back(to_string(method::automatic));
        throw dimension_error("the method " + std::string(to_string(m)) + " needs a square matrix, and this one is " +
                              std::to_string(system.rows) + " x " + std::to_string(system.cols) + ": use " +
                              listed(other));
    }
}

void require_executor(const solve_options& options)
{
    const method m = options.method;
    const bool asked = options.executor == executor::cuda && options.format == number_format::rns;
    if (!asked || m == method::automatic || runs_in_rns_on_gpu(m, options.preconditioner)) {
        return;
    }
    std::vector<std::string_view> alone{to_string(method::automatic)}, preconditioned;
    for (const method_traits& each : all_methods()) {
        if (each.in_rns_on_gpu) {
            (each.by_factors ? alone : preconditioned).push_back(each.name);
        }
    }
    throw unsupported_error(
        "cuda takes rns with the methods " + listed(alone, "and") + ", and with " + listed(preconditioned, "and") +
        " and the preconditioners " + listed(names_with(&preconditioner_traits::by_products), "and") + ", not with " +
        std::string(to_string(m)) +
        (traits_of(m).in_rns_on_gpu ? " and " + std::string(to_string(options.preconditioner)) : ""));
}

}  // namespace residua
