#include <residua/solvers/assess/normal_inverse.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <residua/solvers/assess/condition.hpp>
#include <residua/solvers/assess/inverse.hpp>
#include <residua/solvers/base/elements.hpp>

namespace residua {
namespace {

/// The exponents of the largest entries of the columns of S, or of the rows if these are fewer; 0 where all are zeros.
std::vector<int> exponents_of_lines(const scaled_matrix& s)
{
    const bool by_columns = s.rows >= s.cols;
    std::vector<double> largest(static_cast<std::size_t>(by_columns ? s.cols : s.rows), 0.0);
    for (index_t i = 0; i < s.rows; ++i) {
        for (index_t k = s.row_begin[i]; k < s.row_begin[i + 1]; ++k) {
            double& of = largest[static_cast<std::size_t>(by_columns ? index_t{s.column[k]} : i)];
            of = std::max(of, std::abs(s.values[k]));
        }
    }
    std::vector<int> exponents(largest.size(), 0);
    std::transform(largest.begin(), largest.end(), exponents.begin(),
                   [](double x) { return x > 0.0 && std::isfinite(x) ? std::ilogb(x) + 1 : 0; });
    return exponents;
}

void scale_lines(const std::vector<int>& exponent, std::vector<scaled_doubles>& columns)
{
    for (scaled_doubles& v : columns) {
        for_each_element(v.size(), [&](std::size_t i) { v[i] = ldexp(v[i], exponent[i]); });
    }
}

}  // namespace

scaled_matrix scaling_of_normal(const scaled_matrix& s)
{
    scaled_matrix scaling;
    scaling.rows = scaling.cols = std::min(s.rows, s.cols);
    const int uniform = s.row_exponent.empty() ? 0 : s.row_exponent.front();
    scaling.row_exponent.assign(static_cast<std::size_t>(scaling.rows), uniform);
    scaling.column_exponent = scaling.row_exponent;
    scaling.symmetric = true;
    return scaling;
}

line_sizes sizes_of_lines(const scaled_matrix& s)
{
    const std::vector<int> lines = exponents_of_lines(s);
    const auto [least, greatest] = std::minmax_element(lines.begin(), lines.end());
    const long uniform = s.row_exponent.empty() ? 0 : s.row_exponent.front();
    return lines.empty() ? line_sizes() : line_sizes{*least - uniform, *greatest - uniform};
}

normal_inverse find_normal_inverse(const scaled_matrix& s, const factorization& factors, long bits)
{
    const scaled_matrix scaling = scaling_of_normal(s);
    const inverse_operator inverse = inverse_by_factors(scaling, factors);
    const std::vector<int> lines = exponents_of_lines(s);
    const apply_in_place scaled = [&](std::vector<scaled_doubles>& v) {
        scale_lines(lines, v);
        inverse.solve_scaled(v, false);
        scale_lines(lines, v);
    };
    normal_inverse result;
    const scaled_double of_scaled = estimate_norm1(factors.size(), scaled, scaled);
    result.norm = estimate_norm1(factors.size(), inverse.solve, inverse.solve);
    result.lost = 0.5 * (std::log2(of_scaled.m) + static_cast<double>(of_scaled.e) +
                         std::log2(static_cast<double>(std::max(s.rows, s.cols))));
    result.suffices = result.lost < static_cast<double>(bits) - 20.0;
    return result;
}

}  // namespace residua
