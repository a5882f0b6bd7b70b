#include <residua/solvers/precond/chebyshev.hpp>

#include <residua/io/interruption.hpp>

#include <algorithm>
#include <cmath>

namespace residua {

chebyshev_interval find_chebyshev_interval(const sparse_matrix& a)
{
    constexpr double upwards = 1.0 + 0x1p-20;  // more than the roundings of entries, roots, quotients and any sum
    chebyshev_interval result{.upper = 1.0, .failure = {}};  // the bound for a diagonal matrix
    std::vector<double> root(static_cast<std::size_t>(a.rows), 0.0);
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            if (a.column[p] == i && a.values[p] > 0.0) {
                root[i] = std::sqrt(a.values[p]);
            }
        }
        if (root[i] == 0.0) {
            result.failure =
                "the Chebyshev preconditioner needs a positive diagonal: row " + std::to_string(i + 1) + " has none";
            return result;
        }
    }
    for (index_t i = 0; i < a.rows; ++i) {
        io::ask_for_stop_at(i);
        double sum = 0.0;
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            sum += std::abs(a.values[p]) / root[i] / root[a.column[p]];
        }
        result.upper = std::max(result.upper, upwards * sum);
    }
    if (!std::isfinite(result.upper)) {
        result.failure = "the Chebyshev preconditioner: entries over the diagonal leave binary64's range";
    }
    result.lower = result.upper / chebyshev_ratio;
    return result;
}

}  // namespace residua
