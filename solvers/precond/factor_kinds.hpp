#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/options/preconditioners.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>

namespace residua {

/// The kind of factors that a preconditioner names, if are_factors() holds, and the preconditioner that names a kind.
factor_kind kind_of(preconditioner p) noexcept;
preconditioner preconditioner_of(factor_kind kind) noexcept;

/// "LU", "Cholesky" or "L D L'", and of a complex symmetric matrix "L D L^T".
std::string_view words_for(factor_kind kind, bool complex_symmetric = false) noexcept;

/// The kinds of factors to try one after the other, until there are some: if one was asked for, that alone.
/// Otherwise L L' for a symmetric matrix with a positive diagonal, then L D L' for a symmetric one, and for the real form of a
/// complex symmetric one by fronts; for another matrix L U. Dense L U of order n by complex_elimination takes n^3 multiply-adds, and
/// dense L D L' of the real form would take 4/3 n^3.
///
/// L U does not follow on L D L'. Where this has no usable pivot A is singular to working precision, and both bound the
/// growth of entries by the same tests (docs/error_bounds.md, theorem 28).
std::vector<factor_kind> kinds_of_factors(const scaled_matrix& matrix,
                                          preconditioner asked = preconditioner::automatic);

/// Calls make(kind) for these kinds in turn until that gives factors. Returns what the last call gave.
template <class Make>
auto made_in_turn(const std::vector<factor_kind>& kinds, const Make& make)
{
    std::optional<std::invoke_result_t<Make, factor_kind>> factors;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        factors.reset();  // before the next ones take memory
        factors.emplace(make(kinds[k]));
        if (factors->failure().empty()) {
            break;
        }
    }
    return std::move(*factors);
}

}  // namespace residua
