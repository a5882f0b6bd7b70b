#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <residua/solvers/base/arithmetic.hpp>
#include <residua/solvers/base/tuning.hpp>
#include <residua/solvers/options/condition_estimate.hpp>
#include <residua/solvers/options/solve_options.hpp>

namespace residua {

/// The format in which more bits than those at work are looked for: `asked`, but automatic for native, which has none.
number_format longer_format(number_format asked);

/// The range of bits that can be asked of a format.
struct precision_range {
    long least = 1;
    long most = 0;

    bool holds(long bits) const { return least <= bits && bits <= most; }
};
precision_range precisions_of(number_format format);

/// throws  unsupported_error if the format does not have `bits` bits
void require_bits(number_format format, long bits);

/// The lowest of ascending precisions above `bits`; 0: there is none.
long precision_above(const std::vector<long>& all, long bits);

/// The highest of ascending precisions below `bits` that fits; 0: none does.
template <class Fits>
long precision_below(const std::vector<long>& all, long bits, const Fits& fits)
{
    const auto found = std::find_if(all.rbegin(), all.rend(), [&](long p) { return p < bits && fits(p); });
    return found == all.rend() ? 0 : *found;
}

/// The row of the tuning table for `bits` bits and a method.
const tuning::format_row& format_row_of(long bits, residua::method method);

/// The format that was asked for, or format_of(bits, method) if that is automatic, with `bits` bits, which it must
/// have: see available_precisions().
arithmetic arithmetic_of(number_format asked, long bits, residua::method method = method::automatic);

/// The format and the bits that serve a wanted precision of factors: 24 are binary32, 11 that with products of 11 bits.
arithmetic factors_in(long bits);

/// log2 of the largest condition that GMRES-IR may meet, by the bits of factors, of GMRES and of its products:
/// (u_g + u_p kappa) kappa^2 u_f^2 < 1.
///
/// from  [ABH+24]
double gmres_ir_limit_bits(long factors, long krylov, long products);

/// Whether refinement by factors in `factor_bits` bits converges, as far as is known; true if that is empty.
bool refines_by(long factor_bits, const std::optional<condition_estimate>& condition);

/// The limit of all iterations of a solve: what was asked for, or by the number of unknowns.
index_t iteration_limit(const solve_options& options, index_t unknowns);

/// Bits for the digits asked for (16 if none are) at this condition (0: unknown), and a few more: what choose_precision()
/// looks for where options.precision_bits is 0.
long wanted_bits(const solve_options& options, const real& condition);

/// The first of available_precisions() of the format that is expected to give `digits` correct digits (16 if
/// not asked for) at this condition (0: unknown), or the one that serves options.precision_bits.
///
/// throws  unsupported_error if bits are asked for that the format does not have
long choose_precision(const solve_options& options, const real& condition);

/// Whether factors may be of use for these options, if they are within reach.
bool may_need_factors(const solve_options& options);

/// Whether the options name a method or a preconditioner of factors in binary64.
bool needs_factors(const solve_options& options);

/// The kind that is asked for of factors in more than binary64. Where Cholesky was asked for it is automatic, since
/// estimates need some factors if there are none by Cholesky.
preconditioner kind_of_long_factors(const solve_options& options);

}  // namespace residua
