#include <residua/solvers/inverse.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <residua/solvers/engine.hpp>
#include <residua/solvers/precond/triangular.hpp>

namespace residua {
namespace {

triangular_factors transpose(const triangular_factors& f)
{
    // inverse(A') = R P' inverse(L') inverse(U') Q' C: the same form with the roles exchanged
    triangular_factors t;
    t.lower = transpose(f.upper);
    t.upper = transpose(f.lower);
    t.row_order = f.column_order;
    t.column_order = f.row_order;
    t.row_exponent = f.column_exponent;
    t.column_exponent = f.row_exponent;
    return t;
}

void scale_by(const std::vector<int>& exponent, std::vector<double>& v)
{
    for (std::size_t i = 0; i < v.size(); ++i) {
        v[i] = std::ldexp(v[i], exponent[i]);
    }
}

apply_in_place solve_with(std::shared_ptr<const triangular_factors> factors,
                          const std::vector<int>& before, const std::vector<int>& after)
{
    auto m = std::make_shared<triangular_preconditioner<double>>(*factors);
    return [m, factors, &before, &after](std::vector<double>& v) {
        const auto n = static_cast<index_t>(v.size());
        const host_space<double> space;
        residua::vector<host_executor, double> x(n), y(n);
        scale_by(before, v);
        std::copy(v.begin(), v.end(), x.view().data);
        m->apply(space, x, y);
        std::copy_n(y.view().data, n, v.begin());
        scale_by(after, v);
    };
}

}  // namespace

inverse_operator inverse_by_factors(const triangular_factors& factors, const scaled_matrix& matrix)
{
    inverse_operator result;
    const std::shared_ptr<const triangular_factors> borrowed(&factors, [](const auto*) {});
    result.solve = solve_with(borrowed, matrix.row_exponent, matrix.column_exponent);
    result.solve_transposed = solve_with(std::make_shared<const triangular_factors>(transpose(factors)),
                                         matrix.column_exponent, matrix.row_exponent);
    return result;
}

std::optional<inverse_operator> inverse_by_direct(const linear_system& system,
                                                  const scaled_matrix& matrix,
                                                  const std::function<bool()>& interrupted)
{
    if (system.rows > largest_dense_inverse) {
        return std::nullopt;
    }
    const double norm = matrix_norm1(system);
    for (const long bits : {106L, 212L, 424L, 848L}) {
        const engine_request request{.matrix = matrix,
                                     .method = method::direct,
                                     .factors = nullptr,
                                     .interrupted = interrupted};
        const std::shared_ptr<correction_engine> engine = make_engine(bits, request);
        if (interrupted && interrupted()) {
            return std::nullopt;
        }
        if (!engine->usable()) {
            continue;
        }
        inverse_operator result;
        result.solve = [engine](std::vector<double>& v) { engine->solve_in_place(v, false); };
        result.solve_transposed = [engine](std::vector<double>& v) {
            engine->solve_in_place(v, true);
        };
        result.condition =
            norm * estimate_norm1(system.rows, result.solve, result.solve_transposed);
        if (std::isfinite(result.condition) &&
            std::log2(std::max(result.condition, 1.0)) < static_cast<double>(bits) - 20.0) {
            return result;
        }
    }
    return std::nullopt;
}

}  // namespace residua
