#include <residua/solvers/assess/inverse.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <residua/solvers/base/elements.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/long_vector.hpp>
#include <residua/solvers/space/true_residual.hpp>

namespace residua {
namespace {

void scale_by(const std::vector<int>& exponent, std::vector<scaled_doubles>& columns)
{
    for (scaled_doubles& v : columns) {
        for_each_element(v.size(), [&](std::size_t i) { v[i] = ldexp(v[i], exponent[i]); });
    }
}

double norm1_of(const sparse_matrix& a)
{
    std::vector<double> sums(static_cast<std::size_t>(a.rows), 0.0);
    for (std::size_t k = 0; k < a.values.size(); ++k) {
        sums[a.column[k]] += std::abs(a.values[k]);
    }
    return sums.empty() ? 0.0 : *std::max_element(sums.begin(), sums.end());
}

bool rows_or_columns_are_scaled(const scaled_matrix& matrix)
{
    const auto differ = [](const std::vector<int>& e) {
        return std::adjacent_find(e.begin(), e.end(), std::not_equal_to<>()) != e.end();
    };
    return differ(matrix.row_exponent) || differ(matrix.column_exponent);
}

/// inverse_operator::unsure for factors in `bits` bits and a condition of 2^lost: n 2^(lost - bits), at most 1
double unsure_part(double lost, double bits, index_t n)
{
    return std::min(1.0, static_cast<double>(n) * std::exp2(lost - bits));
}

/// v <- inverse(A) v for each v in binary64, with v scaled to its range. What underflows there is below 1e-300 of the
/// largest element.
void solve_in_binary64(const factorization& factors, std::vector<scaled_doubles>& v, bool transposed)
{
    std::vector<residua::vector<host_executor, double>> x(v.size(),
                                                          residua::vector<host_executor, double>(factors.size()));
    columns<host_space<double>> all;
    std::vector<long> top;
    for (std::size_t k = 0; k < v.size(); ++k) {
        all.push_back(&x[k]);
        top.push_back(norm_inf(v[k]).e);
        double* const to = x[k].view().data();
        for_each_element(v[k].size(), [&](std::size_t i) { to[i] = to_double(ldexp(v[k][i], -top[k])); });
    }
    factors.solve(all, transposed);
    for (std::size_t k = 0; k < v.size(); ++k) {
        const double* const from = x[k].view().data();
        for_each_element(v[k].size(), [&](std::size_t i) { v[k][i] = scaled_double::normalized(from[i], top[k]); });
    }
}

/// v <- inverse(A) v for each v, in the format of the factors.
void solve_in_format(const factorization& factors, std::vector<scaled_doubles>& v, bool transposed)
{
    constexpr long bits = 64;
    const multidigit_format format(bits);
    std::vector<long_vector> r;
    long_columns all;
    r.reserve(v.size());
    for (const scaled_doubles& from : v) {
        vector<host_executor, multidigit> x(format, factors.size());
        const auto to = x.view();
        for_each_element(from.size(), [&](std::size_t i) {
            to.store(static_cast<index_t>(i), ldexp(multidigit_number(format, from[i].m), from[i].e));
        });
        all.push_back(&r.emplace_back(host_executor{}, std::move(x), bits));
    }
    const std::vector<long_vector> d = factors.solve(all, transposed);
    std::transform(d.begin(), d.end(), v.begin(), [](const long_vector& each) { return each.leading(); });
}

scaled_solve solve_by(const factorization& factors)
{
    const bool in_binary64 = factors.bits() <= binary64_bits;
    return [factors, solve = in_binary64 ? solve_in_binary64 : solve_in_format](
               std::vector<scaled_doubles>& v, bool transposed) { solve(factors, v, transposed); };
}

}  // namespace

double lost_bits(const condition_estimate& estimate)
{
    return estimate.scaled < std::numeric_limits<double>::max() ? std::log2(estimate.scaled)
                                                                : static_cast<double>(exponent(estimate.condition));
}

inverse_operator make_inverse(const scaled_matrix& matrix, const scaled_solve& solve)
{
    inverse_operator result;
    result.solve = [solve, &matrix](std::vector<scaled_doubles>& v) {
        scale_by(matrix.row_exponent, v);
        solve(v, false);
        scale_by(matrix.column_exponent, v);
    };
    result.solve_transposed = [solve, &matrix](std::vector<scaled_doubles>& v) {
        scale_by(matrix.column_exponent, v);
        solve(v, true);
        scale_by(matrix.row_exponent, v);
    };
    result.solve_scaled = solve;
    result.row_exponent = matrix.row_exponent;
    return result;
}

void raise_to_unsure(scaled_doubles& f, const inverse_operator& inverse)
{
    const auto larger = [](const scaled_double& a, const scaled_double& b) { return std::max(a, b); };
    const auto largest = [&](std::size_t begin, std::size_t end) {
        scaled_double result;
        for (std::size_t i = begin; i < end; ++i) {
            result = larger(result, ldexp(f[i], inverse.row_exponent[i]));
        }
        return result;
    };
    const scaled_double raise = fold_elements<scaled_double>(f.size(), largest, larger) * inverse.unsure;
    for_each_element(f.size(), [&](std::size_t i) { f[i] = f[i] + ldexp(raise, -inverse.row_exponent[i]); });
}

std::optional<condition_estimate> estimate_condition(const linear_system& system, const scaled_matrix& matrix,
                                                     const inverse_operator& inverse)
{
    condition_estimate estimate;
    const scaled_double norm = estimate_norm1(system.rows, inverse.solve, inverse.solve_transposed);
    estimate.condition = max(real(1.0), to_real(matrix_norm1(system) * norm));
    estimate.scaled = to_double(estimate.condition);
    if (rows_or_columns_are_scaled(matrix)) {
        const scaled_double scaled_norm = estimate_norm1(
            system.rows, [&](std::vector<scaled_doubles>& v) { inverse.solve_scaled(v, false); },
            [&](std::vector<scaled_doubles>& v) { inverse.solve_scaled(v, true); });
        estimate.scaled = std::max(1.0, norm1_of(matrix) * to_double(scaled_norm));
    }
    if (!is_finite(estimate.condition) || std::isnan(estimate.scaled)) {
        return std::nullopt;
    }
    estimate.scaled = std::min(estimate.scaled, std::numeric_limits<double>::max());
    estimate.of_x = estimate.condition;
    if (rows_or_columns_are_scaled(matrix)) {
        const auto [least, greatest] =
            std::minmax_element(matrix.column_exponent.begin(), matrix.column_exponent.end());
        estimate.of_x = min(estimate.of_x, ldexp(real(estimate.scaled), long{*greatest} - long{*least}));
    }
    return estimate;
}

inverse_operator inverse_by_factors(const scaled_matrix& matrix, const factorization& factors,
                                    const std::optional<condition_estimate>& condition)
{
    inverse_operator result = make_inverse(matrix, solve_by(factors));
    result.condition = condition;
    if (condition) {
        const double weight = weight_of_growth(factors.growth(matrix));
        result.unsure = unsure_part(lost_bits(*condition) + std::log2(weight), 53.0, factors.size());
    } else {
        result.unsure = 1.0;
    }
    return result;
}

std::optional<inverse_operator> inverse_by_long_factors(const linear_system& system, const scaled_matrix& matrix,
                                                        const factorization& factors, long bits)
{
    if (!factors.failure().empty()) {
        return std::nullopt;
    }
    inverse_operator result = make_inverse(matrix, solve_by(factors));
    result.condition = estimate_condition(system, matrix, result);
    if (!result.condition) {
        return std::nullopt;
    }
    const double lost = lost_bits(*result.condition) + std::log2(weight_of_growth(factors.growth(matrix)));
    result.unsure = unsure_part(lost, static_cast<double>(bits), system.rows);
    result.suffices = lost < static_cast<double>(bits - bits_beyond_condition);
    return result;
}

real condition_lower_bound(const linear_system& system, const scaled_matrix& matrix, const condition_estimate& estimate,
                           long bits, double weight)
{
    const real of_factors = ldexp(real(weight * static_cast<double>(std::max<index_t>(system.rows, 1))), -bits);
    const real distance =
        of_factors + ldexp(real(1.0), -static_cast<long>(lost_bits(estimate)));  // from S, relative to norm(S)
    real bound = real(1.0) / distance;
    if (rows_or_columns_are_scaled(matrix)) {  // A is nearer to a singular matrix by what R and C raise norm(E) at most
        const long least = long{*std::min_element(matrix.row_exponent.begin(), matrix.row_exponent.end())} +
                           long{*std::min_element(matrix.column_exponent.begin(), matrix.column_exponent.end())};
        bound = ldexp(bound * to_real(matrix_norm1(system)) / real(norm1_of(matrix)), least);
    }
    return max(bound, real(1.0));
}

}  // namespace residua
