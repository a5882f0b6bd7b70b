#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <residua/solvers/base/permutation.hpp>
#include <residua/solvers/dense_direct/complex_elimination.hpp>
#include <residua/solvers/dense_direct/elements.hpp>
#include <residua/solvers/space/vector_space.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

/// Inertia and determinant by the pivots of multifrontal; solves with D of L D L'. Included where it is instantiated.
namespace residua {

template <array_space S>
void multifrontal<S>::solve_pivots(const front& f, const bundle& x, index_t begin) const
{
    const view p = columns_of(f);
    const solve_scalar one = space_of_solves().make_scalar(1.0);
    for (index_t k = 0; k < f.pivots; ++k) {
        const index_t at = begin + k;
        const bool is_pair = f.is_pair[static_cast<std::size_t>(k)] != 0;
        for (index_t c = 0; c < detail::width_of<solve_element>(x); ++c) {
            const solve_scalar x_k = detail::load<solve_element>(x, at, c);
            if (!is_pair) {
                detail::store<solve_element>(x, at, c, x_k / static_cast<solve_scalar>(p.column(k).load(k)));
                continue;
            }
            const detail::pair_pivot<solve_scalar> d(p, k, one);
            const solve_scalar first = x_k / d.b, second = detail::load<solve_element>(x, at + 1, c) / d.b;
            detail::store<solve_element>(x, at, c, (d.y * first - second) / d.det);
            detail::store<solve_element>(x, at + 1, c, (d.x * second - first) / d.det);
        }
        k += is_pair ? 1 : 0;
    }
}

template <array_space S>
std::optional<inertia> multifrontal<S>::find_inertia() const
{
    if ((!failure_.empty() && !singular_) || kind() == factor_kind::lu || analysis_->negates_odd_rows ||
        !std::is_sorted(analysis_->row_of_column.begin(), analysis_->row_of_column.end())) {
        return std::nullopt;
    }
    const solve_scalar zero = space_of_solves().make_scalar(0.0);
    const solve_scalar one = space_of_solves().make_scalar(1.0);
    inertia result;
    const auto count = [&](bool positive) { ++(positive ? result.positive : result.negative); };
    for (std::size_t f = 0; f < front_.size(); ++f) {
        const front& at = front_[f];
        const view p = columns_of(at);
        for (index_t k = 0; k < at.pivots; ++k) {
            const bool positive = zero < static_cast<solve_scalar>(p.column(k).load(k));
            if (is_cholesky() || at.is_pair[static_cast<std::size_t>(k)] == 0) {
                count(positive);
                continue;
            }
            const bool definite = zero < detail::pair_pivot<solve_scalar>(p, k, one).det;
            count(definite ? positive : true);
            count(definite ? positive : false);
            ++k;
        }
        if (analysis_->tree.parent[f] == -1) {
            for (index_t j = at.pivots; j < at.columns; ++j) {
                for (index_t i = j; i < at.order(); ++i) {
                    if (!(static_cast<solve_scalar>(p.column(j).load(i)) == zero)) {
                        return std::nullopt;  // not finite
                    }
                }
                ++result.zero;
            }
        }
    }
    return result;
}

template <array_space S>
std::optional<real> multifrontal<S>::find_determinant() const
{
    if (!failure_.empty()) {
        return std::nullopt;
    }
    const solve_scalar one = space_of_solves().make_scalar(1.0);
    const long bits = precision_of(space_of_solves()) + 64;
    real product(1.0, bits);
    const auto multiply = [&](const solve_scalar& by) { product = (product * to_real(by)).with_precision(bits); };
    std::vector<std::int32_t> row_of_unknown(static_cast<std::size_t>(size()));
    for (const front& f : front_) {
        const view p = columns_of(f);
        for (index_t k = 0; k < f.pivots; ++k) {
            const std::int32_t unknown = analysis_->tree.unknown[f.column[k]];
            row_of_unknown[unknown] = analysis_->row_of_column[analysis_->tree.unknown[f.row[k]]];
        }
        for (index_t k = 0; k < f.pivots; ++k) {
            if (kind() == factor_kind::ldl && f.is_pair[static_cast<std::size_t>(k)] != 0) {
                const detail::pair_pivot<solve_scalar> d(p, k, one);
                multiply(d.b);
                multiply(d.b);
                multiply(d.det);
                ++k;
                continue;
            }
            const auto pivot = static_cast<solve_scalar>(p.column(k).load(k));
            multiply(pivot);
            if (is_cholesky()) {
                multiply(pivot);
            }
        }
    }
    long scaled_by = 0;
    for (index_t k = 0; k < size(); ++k) {
        scaled_by += analysis_->row_exponent[k] + analysis_->column_exponent[k];
    }
    const real found = ldexp(product, -scaled_by);
    const bool negated = analysis_->negates_odd_rows && size() / 2 % 2 != 0;
    return (sign_of(std::move(row_of_unknown)) < 0) != negated ? -found : found;
}

template <array_space S>
std::optional<complex_number<real>> multifrontal<S>::find_complex_determinant() const
{
    if (!failure_.empty() || !analysis_->in_pairs) {
        return std::nullopt;
    }
    const std::vector<std::int32_t>&unknown = analysis_->tree.unknown, &row_of = analysis_->row_of_column;
    std::vector<std::int32_t> row_of_unknown(static_cast<std::size_t>(size() / 2));
    detail::complex_product product(precision_of(space_of_solves()) + 64);
    for (const front& f : front_) {
        const view p = columns_of(f);
        const auto number = [&](index_t i, index_t j) {
            return to_real(static_cast<solve_scalar>(p.column(j).load(i))).with_precision(product.bits);
        };
        for (index_t k = 0; k < f.pivots; k += 2) {
            const std::int32_t row = row_of[unknown[f.row[k]]];
            row_of_unknown[unknown[f.column[k]] / 2] = row / 2;
            const bool is_swapped = row % 2 != 0;
            const real first = number(k, k), second = number(k, k + 1), l = number(k + 1, k);
            const complex_number<real> once = detail::complex_pivot(first, second, is_swapped),
                                       again = detail::complex_pivot(l * first, l * second + number(k + 1, k + 1),
                                                                     !is_swapped);
            product.multiply({ldexp(once.real() + again.real(), -1), ldexp(once.imag() + again.imag(), -1)});
        }
    }
    const long twice = std::reduce(analysis_->row_exponent.begin(), analysis_->row_exponent.end(), 0L) +
                       std::reduce(analysis_->column_exponent.begin(), analysis_->column_exponent.end(), 0L);
    return ldexp(product.signed_by(std::move(row_of_unknown)), -twice / 2);
}

}  // namespace residua
