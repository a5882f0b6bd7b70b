// The part of the plan about factors: whether they are wanted, in which precision, and what condition they estimate.
#include <algorithm>
#include <cmath>
#include <string>

#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/options/method_bytes.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/precond/factor_kinds.hpp>
#include <residua/solvers/precond/factorize.hpp>

namespace residua {

bool may_need_factors(const solve_options& options)
{
    const method_traits& traits = traits_of(options.method);
    return options.method == method::automatic || traits.by_factors || traits.dense || options.estimate_condition ||
           options.digits > 0 || are_factors(options.preconditioner);
}

double factor_bytes(const linear_system& system, const solve_options& options, const scaled_matrix& matrix,
                    const factor_reach& reach, sparse_analyses& analyses)
{
    double bytes = 0.0;
    if (wants_factors(system, options, reach)) {
        bytes += need_of_factors(matrix, analyses, binary64_bits, options.preconditioner).bytes;
    }
    const long bits = choose_precision(options, real(1.0));
    if (traits_of(options.method).dense) {
        bytes += long_factors_bytes(arithmetic_of(options.format, bits, options.method), matrix, analyses);
    }
    const arithmetic factors = factors_in(options.factor_bits);
    if (options.factor_bits > 0 && factors.bits < binary64_bits) {
        bytes += need_of_factors(matrix, analyses, factors.bits, options.preconditioner).bytes;
    }
    if (factors.format != number_format::native) {
        const preconditioner kind = kind_of_long_factors(options);
        bytes += long_factors_bytes(factors, matrix, analyses, kind);
        if (options.method == method::gmres_ir) {
            bytes += copied_factors_bytes(products_of(arithmetic_of(options.format, bits)), matrix, analyses, kind);
        }
    }
    return bytes;
}

preconditioner kind_of_long_factors(const solve_options& options)
{
    return options.preconditioner == preconditioner::cholesky ? preconditioner::automatic : options.preconditioner;
}

bool needs_factors(const solve_options& options)
{
    return traits_of(options.method).by_factors
               ? options.factor_bits == 0 || factors_in(options.factor_bits).bits == binary64_bits
               : are_factors(options.preconditioner);
}

bool wants_factors(const linear_system& system, const solve_options& options, const factor_reach& reach)
{
    if (needs_factors(options)) {
        return true;
    }
    return reach.automatic > 0 && system.rows == system.cols &&
           (options.method == method::automatic || options.estimate_condition || options.digits > 0);
}

binary64_factors factorize(const linear_system& system, const scaled_matrix& matrix, preconditioner kind,
                           bool estimate_condition, sparse_analyses& analyses, const factor_options& options)
{
    binary64_factors result;
    result.factors = made_in_turn(kinds_of_factors(matrix, kind), [&](factor_kind next) {
        return factorize_native(matrix, next, analyses, options);
    });
    result.kind = preconditioner_of(result.factors.kind());
    result.available = result.factors.failure().empty();
    if (result.available && estimate_condition) {
        result.condition = residua::estimate_condition(system, matrix, inverse_by_factors(matrix, result.factors));
    }
    return result;
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
                                " has no factors whose precision could be chosen: " +
                                listed(names_with(&method_traits::by_factors), "and") + " have");
    }
    require_bits(number_format::automatic, bits);
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

double bytes_without_factors(const linear_system& system, const solve_options& options, index_t right_hand_sides)
{
    return bytes_without_factors({system.rows, system.cols, system.nonzeros(), system.exact.bytes_each()}, options,
                                 right_hand_sides);
}

double bytes_without_factors(const system_sizes& system, const solve_options& options, index_t right_hand_sides)
{
    const index_t larger = std::max(system.rows, system.cols);
    const double n = static_cast<double>(larger);
    const double nonzeros = static_cast<double>(system.nonzeros);
    const long bits = choose_precision(options, real(1.0));

    // x and r of all columns, d and the new x of those that are corrected at a time, in MPFR, 2p bits each: the
    // number's head, its limbs and malloc's share
    const index_t at_a_time = std::min(right_hand_sides, most_corrections);
    const double vectors = 2.0 * static_cast<double>(right_hand_sides) + 2.0 * static_cast<double>(at_a_time);
    double bytes = n * vectors * (48.0 + static_cast<double>(bits) / 4.0);
    bytes += n * (40.0 + static_cast<double>(bits) / 4.0);  // x in 32-bit words, for exact residuals
    bytes += static_cast<double>(right_hand_sides) * bytes_of_column;
    bytes += 2.0 * nonzeros * 12.0;  // the scaled matrix and its transpose
    bytes += nonzeros * system.bytes_of_exact;
    if (system.bytes_of_exact >
        0.0) {  // for exact residuals: in 2p bits, or in those that the entries have, with places
        bytes += nonzeros * (std::max(static_cast<double>(bits) / 4.0, system.bytes_of_exact) + 16.0);
    }
    const bool automatic = options.method == method::automatic;
    const bool square = system.rows == system.cols;
    const bool together = automatic ? square : traits_of(options.method).together;
    const method used = !automatic ? options.method : square ? method::gmres : method::lsqr;
    if (traits_of(used).transpose) {  // A', while it is made, and for lsqr's residuals, with places and entries
        bytes += nonzeros * 40.0;
        bytes += 2.0 * nonzeros * system.bytes_of_exact;
    }
    return bytes + (traits_of(used).dense
                        ? 0.0
                        : engine_bytes(arithmetic_of(options.format, bits, used), used, larger, system.nonzeros,
                                       system.bytes_of_exact == 0.0, options.restart, together ? at_a_time : 1));
}

}  // namespace residua
