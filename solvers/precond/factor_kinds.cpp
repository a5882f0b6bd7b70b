#include <residua/solvers/precond/factor_kinds.hpp>

#include <algorithm>
#include <cstdint>

#include <residua/solvers/precond/factors.hpp>

namespace residua {
namespace {

bool has_positive_diagonal(const scaled_matrix& matrix)
{
    for (index_t i = 0; i < matrix.rows; ++i) {
        const auto begin = matrix.column.begin() + matrix.row_begin[i];
        const auto end = matrix.column.begin() + matrix.row_begin[i + 1];
        const auto at = std::lower_bound(begin, end, static_cast<std::int32_t>(i));
        if (at == end || *at != i) {
            return false;
        }
        const auto place = static_cast<std::size_t>(at - matrix.column.begin());
        if (!(matrix.exact.empty() ? matrix.values[place] > 0.0 : matrix.exact.sign(place) > 0)) {
            return false;
        }
    }
    return true;
}

}  // namespace

factor_kind kind_of(preconditioner p) noexcept
{
    return p == preconditioner::cholesky ? factor_kind::cholesky
           : p == preconditioner::ldl    ? factor_kind::ldl
                                         : factor_kind::lu;
}

preconditioner preconditioner_of(factor_kind kind) noexcept
{
    return kind == factor_kind::cholesky ? preconditioner::cholesky
           : kind == factor_kind::ldl    ? preconditioner::ldl
                                         : preconditioner::lu;
}

std::string_view words_for(factor_kind kind, bool complex_symmetric) noexcept
{
    return kind == factor_kind::cholesky ? "Cholesky"
           : kind == factor_kind::lu     ? "LU"
           : complex_symmetric           ? "L D L^T"
                                         : "L D L'";
}

std::vector<factor_kind> kinds_of_factors(const scaled_matrix& matrix, preconditioner asked)
{
    if (are_factors(asked)) {
        return {kind_of(asked)};
    }
    if (!matrix.symmetric) {
        const bool by_fronts = !takes_dense_factors(matrix.rows, matrix.column.size());
        return {matrix.complex_symmetric && by_fronts ? factor_kind::ldl : factor_kind::lu};
    }
    return has_positive_diagonal(matrix) ? std::vector{factor_kind::cholesky, factor_kind::ldl}
                                         : std::vector{factor_kind::ldl};
}

}  // namespace residua
