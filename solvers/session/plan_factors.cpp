// Of the plan what is about factors: whether they are wanted, in which precision, and what they tell.
#include <algorithm>
#include <string>

#include <residua/solvers/session/plan.hpp>

namespace residua {

bool wants_factors(const linear_system& system, const solve_options& options)
{
    const bool refines = traits_of(options.method).by_factors;
    if (refines ? options.factor_bits == 0 || factors_in(options.factor_bits).bits == binary64_bits
                : are_factors(options.preconditioner)) {
        return true;
    }
    const bool affordable = system.rows <= largest_automatic_lu;
    return affordable && system.rows == system.cols &&
           (options.method == method::automatic || options.estimate_condition || options.digits > 0);
}

binary64_factors factorize(const linear_system& system, const scaled_matrix& matrix, preconditioner kind,
                           bool estimate_condition, const std::optional<cuda_executor>& device)
{
    binary64_factors result;
    const factor_options options{.device = device};
    const bool definite = kind == preconditioner::cholesky || (kind != preconditioner::lu && matrix.symmetric);
    if (definite) {
        result.kind = preconditioner::cholesky;
        try {
            result.factors = factorize_cholesky(matrix.a, options);
        } catch (const cuda_error&) {
            throw;
        } catch (const resource_error& lack) {  // LU factors take no less memory, and nobody may need any
            if (kind == preconditioner::cholesky) {
                throw;
            }
            result.factors.failure = lack.what();
            return result;
        }
    }
    if (!definite || (kind != preconditioner::cholesky && !result.factors.failure.empty())) {
        result.factors = factorize_lu(matrix.a, options);
        result.kind = preconditioner::lu;
    }
    result.available = result.factors.failure.empty();
    if (result.available && estimate_condition) {
        result.condition = residua::estimate_condition(system, matrix, inverse_by_factors(matrix, result.factors));
    }
    return result;
}

namespace {

/// That are asked for, or the most that there are.
long working_bits(const solve_options& options)
{
    const precision_range has = precisions_of(options.format);
    const bool asked = options.precision_bits > 0 && has.holds(options.precision_bits);
    return asked ? choose_precision(options, real(1.0)) : has.most;
}

}  // namespace

bool factors_fit(const solve_options& options)
{
    return options.factor_bits <= precisions_of(number_format::automatic).most &&
           (options.factor_bits == 0 ||
            factors_in(options.factor_bits).bits <= std::max(working_bits(options), binary64_bits));
}

void require_factors(const solve_options& options)
{
    const long bits = options.factor_bits;
    if (bits == 0) {
        return;
    }
    const method m = options.method;
    if (!traits_of(m).by_factors) {
        throw unsupported_error("the method " + std::string(to_string(m)) +
                                " has no factors whose precision could be chosen: refine and gmres-ir have");
    }
    require_bits(number_format::automatic, bits);
    if (bits > binary64_bits && options.preconditioner == preconditioner::cholesky) {
        throw unsupported_error("the preconditioner cholesky has factors of up to " + std::to_string(binary64_bits) +
                                " bits, not of " + std::to_string(bits) + ": lu has longer ones");
    }
    if (!factors_fit(options)) {
        throw unsupported_error("factors of " + std::to_string(bits) + " bits, served by " +
                                std::to_string(factors_in(bits).bits) + ", are too long for a method that works in " +
                                std::to_string(working_bits(options)));
    }
    if (bits > binary64_bits && options.executor == executor::cuda) {
        throw unsupported_error("cuda takes factors of up to " + std::to_string(binary64_bits) + " bits, not of " +
                                std::to_string(bits));
    }
}

arithmetic factors_in(long bits)
{
    if (bits <= binary32_bits) {
        return {number_format::native, bits <= low_bits ? low_bits : binary32_bits};
    }
    solve_options wanted;
    wanted.precision_bits = bits;
    const long served = choose_precision(wanted, real(0.0));
    return {format_of(served), served};
}

arithmetic factors_in(long bits, const linear_system& system)
{
    const bool dense = takes_dense_factors(system.rows, static_cast<std::size_t>(system.nonzeros()));
    return factors_in(dense ? bits : std::max(bits, binary32_bits));
}

double gmres_ir_limit_bits(long factors, long krylov, long products)
{
    const auto f = static_cast<double>(factors), g = static_cast<double>(krylov), p = static_cast<double>(products);
    return std::min(f + g / 2.0, (2.0 * f + p) / 3.0);
}

}  // namespace residua
