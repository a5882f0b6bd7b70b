#include <residua/solvers/planning/plan.hpp>

#include <algorithm>

#include <residua/solvers/base/tuning_table.hpp>
#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/precond/factor_kinds.hpp>

namespace residua {
namespace {

std::string words_about(preconditioner factors, const system_facts& facts)
{
    return std::string(words_for(kind_of(factors), facts.structure.complex_symmetric));
}

/// A Krylov method with binary64 factors needs few iterations or very many.
constexpr index_t least_patience_with_factors = 20, patience_with_factors = 200;

/// The iterations of GMRES with factors in binary64 that come before factors in more bits: at most a third of the time
/// that these are predicted to take.
index_t patience_before_longer_factors(const system_facts& facts, const solve_options& options)
{
    const long bits = choose_precision(options, facts.condition ? facts.condition->of_x : real(0.0));
    const long next = facts.trusted_bits > binary64_bits ? facts.trusted_bits : factor_ladder.front();
    const candidate choice{method::gmres, facts.binary64.kind};
    const double each = machine_rates{}.total(predict(facts, options, choice, bits).each);
    const double most = need_of_factors(facts.factors, next).seconds / (3.0 * each);
    return most < static_cast<double>(patience_with_factors)
               ? std::max(static_cast<index_t>(most), least_patience_with_factors)
               : patience_with_factors;
}

/// The most iterations of LSQR before bits are added; 0: no limit, as the caller has chosen them. In exact arithmetic
/// LSQR ends after as many steps as A has columns or rows: where it takes ten times as many, it lacks bits.
index_t patience_with_lsqr(const system_sizes& system, const solve_options& options)
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
solve_plan plan_as_asked(const system_facts& facts, const solve_options& options, const factor_reach& reach)
{
    solve_plan plan;
    const bool dense = facts.sizes.take_dense_factors();
    const long bits = options.factor_bits == 0
                          ? binary64_bits  // sparse factors have at least 24 bits
                          : factors_in(dense ? options.factor_bits : std::max(options.factor_bits, binary32_bits)).bits;
    const preconditioner kind = bits == binary64_bits  ? facts.binary64.kind
                                : bits < binary32_bits ? preconditioner::lu
                                                       : reach.kind;
    candidate asked{options.method, options.preconditioner == preconditioner::automatic
                                        ? default_preconditioner(options.method, facts.structure.nonzero_diagonal, kind)
                                        : options.preconditioner};
    if (asked.method == method::lsqr) {
        asked.most_iterations = patience_with_lsqr(facts.sizes, options);
    }
    if (options.factor_bits > 0) {
        asked.factor_bits = asked.preconditioner == preconditioner::lu ? bits : std::max(bits, binary32_bits);
    }
    plan.candidates.push_back(asked);
    const bool may_be_longer = traits_of(asked.method).by_factors && options.factor_bits == 0;
    plan.reason = "as asked";
    if (may_be_longer && !facts.binary64.trusted) {
        for (const long longer : first_factor_steps) {
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
std::string words_about_factors(const system_facts& facts, const factor_reach& reach)
{
    const binary64_facts& factors = facts.binary64;
    if (!factors.available) {
        return reach.automatic > 0 ? "binary64 factors failed (" + factors.failure + ")"
               : reach.needs.empty() && reach.least_seconds == 0.0
                   ? std::to_string(facts.sizes.rows) + " unknowns are too many for factors by default"
                   : reach.why_not(binary64_bits);
    }
    std::string words = "binary64 " + words_about(factors.kind, facts) + " factors exist, condition ";
    words += facts.condition ? "about " + to_string(facts.condition->condition, 2) : "unknown";
    if (facts.condition && facts.condition->condition > real(10.0 * facts.condition->scaled)) {
        words += ", " + to_string(real(facts.condition->scaled), 2) + " as scaled";
    }
    return words;
}

/// Adds refinement with factors that are known to suffice, or with factors in more and more bits until they do.
void add_long_factors(solve_plan& plan, preconditioner kind, long trusted_bits, long most_bits)
{
    plan.seeks_factors = true;
    const bool known = trusted_bits > binary64_bits;
    for (const long bits :
         known ? std::vector{trusted_bits} : factor_steps_up_to(std::min(most_bits, most_inverse_bits))) {
        plan.candidates.push_back({method::refine, kind, bits});
    }
}

/// Whether CG begins with IC(0), in the bits that the options and the condition take.
bool ic0_comes_first(const system_facts& facts, const solve_options& options)
{
    return prefers_ic0(facts, options, choose_precision(options, facts.condition ? facts.condition->of_x : real(0.0)));
}

/// The iterations of CG with multigrid before the next candidate: several times what it takes where it is of use
/// (docs/performance.md, Multigrid).
constexpr index_t patience_with_multigrid = 300;

/// Adds Krylov methods without complete factors, as the symmetry allows.
void add_krylov_methods(solve_plan& plan, const system_facts& facts, const solve_options& options)
{
    const matrix_structure& structure = facts.structure;
    if (structure.symmetric && structure.positive_diagonal) {
        const bool ic0_first = ic0_comes_first(facts, options);
        if (facts.multigrid == multigrid_use::taken) {
            plan.candidates.push_back({method::cg, preconditioner::amg, 0, patience_with_multigrid});
        }
        plan.candidates.push_back({method::cg, ic0_first ? preconditioner::ic0 : preconditioner::jacobi});
        plan.candidates.push_back({method::cg, ic0_first ? preconditioner::jacobi : preconditioner::ic0});
        plan.reason += "; symmetric with a positive diagonal, so CG";
        plan.reason += facts.multigrid == multigrid_use::taken     ? " with multigrid, as the diagonal dominates"
                       : facts.multigrid == multigrid_use::missing ? " without multigrid, which the package "
                                                                     "residua-petsc would bring"
                                                                   : "";
        plan.lacks_multigrid = facts.multigrid == multigrid_use::missing;
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

/// A plan with the preconditioner that was asked for, by methods that any M fits.
solve_plan plan_around(preconditioner asked, const matrix_structure& structure)
{
    solve_plan plan;
    plan.reason = "with the preconditioner " + std::string(to_string(asked));
    if (!structure.square) {
        throw unsupported_error("least squares take no preconditioner, and the matrix is not square");
    }
    const bool definite = structure.symmetric && structure.positive_diagonal;
    if (definite) {
        plan.candidates.push_back({method::cg, asked});
    }
    plan.reason += definite ? "; symmetric with a positive diagonal, so CG" : "; not symmetric positive, so GMRES";
    for (const method m : {method::gmres, method::idr, method::bicgstab}) {
        plan.candidates.push_back({m, asked});
    }
    return plan;
}

}  // namespace

solve_plan make_plan(const system_facts& facts, const solve_options& options, const factor_reach& reach)
{
    const matrix_structure& structure = facts.structure;
    const binary64_facts& factors = facts.binary64;
    require_fitting(options.method, options.preconditioner);
    require_symmetry(facts, options);
    if (options.method != method::automatic) {
        return plan_as_asked(facts, options, reach);
    }
    if (options.preconditioner != preconditioner::automatic) {
        return plan_around(options.preconditioner, structure);
    }
    solve_plan plan;
    if (!structure.square) {
        if (facts.sizes.take_dense_qr() && reach.automatic >= choose_precision(options, real(0.0))) {
            plan.candidates.push_back({method::direct, preconditioner::none});
            plan.reason = "not square and dense, so least squares by QR";
        } else {
            plan.reason = "not square, so least squares by LSQR";
        }
        plan.candidates.push_back({method::lsqr, preconditioner::none, 0, patience_with_lsqr(facts.sizes, options)});
        return plan;
    }
    const bool takes_longer = reach.automatic > binary64_bits;
    const bool refines = factors.available && refines_by(binary64_bits, facts.condition);
    plan.reason = words_about_factors(facts, reach);
    if (refines) {
        plan.candidates.push_back({method::refine, factors.kind});
        plan.reason += ", so refinement by them converges";
    }
    if (takes_longer) {
        plan.reason += refines ? "" : ", so factors in a longer format";
        add_long_factors(plan, reach.kind, facts.trusted_bits, reach.automatic);
        if (reach.automatic >= most_inverse_bits) {
            plan.candidates.push_back({method::direct, preconditioner::none});
            return plan;
        }
    }
    if (!refines && facts.trusted_bits == 0) {
        const long longest = std::max(reach.longest_tried(), std::min(reach.automatic, binary64_bits));
        const bool incomplete =
            !structure.symmetric || (structure.positive_diagonal && ic0_comes_first(facts, options));
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
        plan.candidates.push_back({method::gmres, factors.kind, binary64_bits,
                                   may_be_longer ? patience_before_longer_factors(facts, options) : 0});
    } else {
        add_krylov_methods(plan, facts, options);
    }
    if (may_be_longer) {
        add_long_factors(plan, reach.kind, facts.trusted_bits, reach.resort);
    }
    if (factors.available) {
        add_krylov_methods(plan, facts, options);
    }
    return plan;
}

namespace {

/// Why the first candidate has its preconditioner.
std::string why_preconditioner(const candidate& choice, const system_facts& facts)
{
    const std::string with =
        "the binary64 factors, with " + std::to_string(static_cast<index_t>(facts.binary64.entries)) + " entries in ";
    if (choice.factor_bits > binary64_bits) {
        return words_about(choice.preconditioner, facts) + " factors in " + std::to_string(choice.factor_bits) +
               " bits";
    }
    if (is_by_function(choice.preconditioner)) {
        return facts.multigrid == multigrid_use::taken ? "symmetric, the diagonal dominates, factors are out of reach"
                                                       : "as asked";
    }
    switch (choice.preconditioner) {
        case preconditioner::lu:
            return with + "L and U";
        case preconditioner::cholesky:
            return with + "L, by Cholesky";
        case preconditioner::ldl:
            return with + "L and D of " + words_about(preconditioner::ldl, facts);
        case preconditioner::ic0:
            return "symmetric with a positive diagonal";
        case preconditioner::ilu0:
        case preconditioner::jacobi:
            return "no zero on the diagonal";
        default:
            return choice.method == method::direct    ? "a direct method takes none"
                   : choice.method == method::lsqr    ? "least squares take none"
                   : facts.structure.nonzero_diagonal ? "none fits"
                                                      : "zeros on the diagonal";
    }
}

std::string why_precision(const solve_options& options, const real& condition, long bits)
{
    if (is_zero(condition)) {
        return std::to_string(bits) + " bits to begin with: the condition is not known";
    }
    const long wanted = wanted_bits(options, condition);
    return std::to_string(options.digits > 0 ? options.digits : 16) + " digits at a condition of " +
           to_string(condition, 2) + " take " + std::to_string(wanted) + " bits" +
           (wanted > bits   ? ", more than there are"
            : wanted < bits ? ", served by " + std::to_string(bits)
                            : "");
}

std::string why_executor(const solve_options& options, gpu_use gpu, const predicted_cost& first, index_t unknowns)
{
    const index_t least = tuning::row_of(tuning::devices, first.in.bits).least_unknowns;
    return options.executor != executor::automatic ? "as asked"
           : gpu != gpu_use::none                  ? "from " + std::to_string(least) + " unknowns on a GPU is faster"
           : !built_with_cuda()                    ? "this build computes on the host only"
           : !takes_gpu_unasked(first.choice)
               ? "auto takes a GPU for Krylov methods without a preconditioner, or with one made of products"
               : std::to_string(unknowns) + " unknowns, and a GPU is faster from " + std::to_string(least) + " on";
}

}  // namespace

decisions plan(const system_facts& facts, const solve_options& options, const machine& on)
{
    decisions made;
    made.threads = on.threads;
    made.reach = find_reach(facts, on, bytes_without_factors(facts.sizes, options, 1));
    made.plan = make_plan(facts, options, made.reach);
    const real loss = facts.condition ? facts.condition->of_x : real(0.0);
    const long bits = choose_precision(options, loss);
    if (facts.cg) {
        made.plan.candidates.insert(made.plan.candidates.begin(), facts.cg->choice);
    }
    if (facts.trusted_bits > 0) {  // the condition is known
        prefer_longer_factors(made.plan, facts, options, made.reach, bits);
    }
    const candidate& choice = made.plan.candidates.front();
    made.first = predict(facts, options, choice, bits);
    const arithmetic in = made.first.in;
    made.gpu = gpu_for(options, in, choice, facts.sizes.larger());
    made.device_bytes = engine_bytes(facts.sizes, options, in, choice, 1);
    made.reasons = {.method = made.plan.reason,
                    .preconditioner = why_preconditioner(choice, facts),
                    .precision = why_precision(options, loss, bits),
                    .format = "by the tuning table, up to " +
                              std::to_string(format_row_of(bits, choice.method).most_bits) + " bits",
                    .executor = why_executor(options, made.gpu, made.first, facts.sizes.larger())};
    return made;
}

std::string to_string(const decisions& made)
{
    return made.reasons.method + "; " + made.reasons.precision + "; " + std::string(to_string(made.first.in.format)) +
           " " + made.reasons.format;
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
        throw dimension_error("the matrix is " + std::to_string(equations(system)) +
                              " x 0: there is nothing to solve for");
    }
    if (system.rows != system.cols && !traits_of(m).rectangular) {
        std::vector<std::string_view> other = names_with(&method_traits::rectangular);
        other.push_back(to_string(method::automatic));
        throw dimension_error("the method " + std::string(to_string(m)) + " needs a square matrix, and this one is " +
                              std::to_string(equations(system)) + " x " + std::to_string(unknowns(system)) + ": use " +
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
