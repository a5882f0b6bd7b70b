#include <residua/solvers/session/definiteness.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/precond/factorize.hpp>

namespace residua {
namespace {

/// The exponent of a power of two above ||S||_inf.
long norm_exponent(const scaled_matrix& m)
{
    double largest = 0.0;
    for (index_t i = 0; i < m.rows; ++i) {
        double sum = 0.0;
        for (index_t k = m.row_begin[i]; k < m.row_begin[i + 1]; ++k) {
            sum += std::abs(m.values[static_cast<std::size_t>(k)]);
        }
        largest = std::max(largest, sum);
    }
    return std::ilogb(largest) + 2L;
}

/// S + shift I, where decimal entries of S are rounded to `bits` bits
scaled_matrix shifted(const scaled_matrix& m, const real& shift, long bits)
{
    scaled_matrix result = m;
    std::vector<real> entries =
        m.exact.empty() ? std::vector<real>(m.values.begin(), m.values.end()) : m.exact.in_bits(bits);
    for (index_t i = 0; i < m.rows; ++i) {
        for (index_t k = m.row_begin[i]; k < m.row_begin[i + 1]; ++k) {
            if (m.column[static_cast<std::size_t>(k)] == i) {
                real& entry = entries[static_cast<std::size_t>(k)];
                entry = entry.with_precision(entry.precision() + 1024) + shift;
            }
        }
    }
    result.exact = std::move(entries);
    return result;
}

bool has_cholesky_factors(const scaled_matrix& m, long bits)
{
    const auto factors =
        factorize_long(arithmetic_of(number_format::automatic, bits), m, {.kind = preconditioner::cholesky});
    return factors.failure().empty() && factors.kind() == factor_kind::cholesky;
}

}  // namespace

std::optional<bool> is_positive_definite(const matrix_structure& structure, const scaled_matrix& matrix,
                                         long trusted_bits)
{
    if (!structure.symmetric || !structure.positive_diagonal) {
        return false;
    }
    const index_t n = matrix.rows;
    if (n > largest_automatic_dense) {
        return std::nullopt;
    }
    const long size = norm_exponent(matrix) + 2 * (std::ilogb(static_cast<double>(n)) + 1L);
    std::vector<long> tries{factor_ladder[0], factor_ladder[2]};
    if (trusted_bits >= tries.back()) {
        tries.push_back(std::min(longer_factor_bits(trusted_bits), factor_ladder.back()));
    }
    for (const long bits : tries) {
        constexpr long guard =
            8 + 5;  // theorem 23 has 34 d for 8 columns and 2^8 halvings; d of an expansion is up to 2^7
        const real shift = ldexp(real(1.0), size + guard - bits);
        if (has_cholesky_factors(shifted(matrix, -shift, bits + 1024), bits)) {
            return true;
        }
        if (!has_cholesky_factors(shifted(matrix, shift, bits + 1024), bits)) {
            return false;
        }
    }
    return std::nullopt;
}

}  // namespace residua
