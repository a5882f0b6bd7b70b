// The part of the plan about factors: whether the matrix is one for them, whether they are wanted, and in which precision.
#include <string>

#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/precond/factor_kinds.hpp>
#include <residua/solvers/precond/factorize.hpp>

namespace residua {

double factor_bytes(const system_facts& facts, const solve_options& options, const factor_reach& reach)
{
    double bytes = 0.0;
    if (wants_factors(facts, options, reach)) {
        bytes += need_of_factors(facts.factors, binary64_bits).bytes;
    }
    const long bits = choose_precision(options, real(1.0));
    if (traits_of(options.method).dense) {
        bytes += facts.factors.bytes(arithmetic_of(options.format, bits, options.method));
    }
    const arithmetic factors = factors_in(options.factor_bits);
    if (options.factor_bits > 0 && factors.bits < binary64_bits) {
        bytes += need_of_factors(facts.factors, factors.bits).bytes;
    }
    if (factors.format != number_format::native) {
        bytes += facts.factors.bytes(factors);
        if (options.method == method::gmres_ir) {  // copies of the factors in the format of its products
            bytes += facts.factors.entries * number_bytes(products_of(arithmetic_of(options.format, bits)));
        }
    }
    return bytes;
}

std::vector<double> predicted_bytes(const system_facts& facts, const solve_options& options,
                                    const std::vector<long>& precisions, index_t right_hand_sides)
{
    std::vector<double> all;
    for (const long bits : precisions) {
        solve_options with = options;
        with.precision_bits = bits;
        double bytes = bytes_without_factors(facts.sizes, with, right_hand_sides);
        if (facts.sizes.rows == facts.sizes.cols && options.method != method::lsqr && may_need_factors(with)) {
            bytes += factor_bytes(facts, with, find_reach(facts, this_machine(), bytes));
        }
        all.push_back(bytes);
    }
    return all;
}

bool wants_factors(const system_facts& facts, const solve_options& options, const factor_reach& reach)
{
    return needs_factors(options) ||
           (reach.automatic > 0 && facts.structure.square &&
            ((options.method == method::automatic && options.preconditioner == preconditioner::automatic) ||
             options.estimate_condition || options.digits > 0));
}

void require_symmetry(const system_facts& facts, const solve_options& options)
{
    const matrix_structure& structure = facts.structure;
    const method_traits& traits = traits_of(options.method);
    const std::string hermitian = facts.sizes.complex ? "hermitian" : "symmetric";
    const std::string needed = facts.sizes.complex && traits.complex_symmetric ? "complex symmetric" : hermitian;
    const bool fits_method = needed == "complex symmetric" ? structure.complex_symmetric : structure.symmetric;
    if (traits.symmetric && !fits_method) {
        throw unsupported_error(std::string(traits.name) + " needs a " + needed + " matrix, and this one is " +
                                (structure.complex_symmetric ? "complex symmetric: use cocg, " : "not: use ") +
                                "gmres, bicgstab, idr or auto");
    }
    const bool of_symmetric = are_factors(options.preconditioner) && options.preconditioner != preconditioner::lu;
    const bool fits = options.preconditioner == preconditioner::ldl && structure.complex_symmetric &&
                      !takes_dense_factors(facts.sizes.rows, static_cast<std::size_t>(facts.sizes.nonzeros));
    if (of_symmetric && !structure.symmetric && !fits) {
        throw unsupported_error("the preconditioner " + std::string(to_string(options.preconditioner)) + " needs a " +
                                hermitian + " matrix, and this one is not: use lu");
    }
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
    if (m == method::gmres_ir && bits > binary64_bits && options.executor == executor::cuda) {
        throw unsupported_error("cuda takes gmres-ir with factors of up to " + std::to_string(binary64_bits) +
                                " bits, not of " + std::to_string(bits));
    }
}

}  // namespace residua
