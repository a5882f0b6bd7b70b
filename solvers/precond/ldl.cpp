#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/single_threaded_blas.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/dense_direct/block_elimination.hpp>
#include <residua/solvers/precond/dense_columns.hpp>
#include <residua/solvers/precond/factorize.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/precond/pair_factors.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>

namespace residua {
namespace {

/// L and D of a dense matrix by columns, as block_elimination::ldl() leaves them, read as L and U = D L'. The rows of a
/// pivot of two rows are exchanged as pair_factors has it.
template <class T>
class triangles_of_ldl {
public:
    triangles_of_ldl(const buffer<host_executor, T>& columns, const ldl_pivots& pivots)
        : columns_(columns), pivots_(pivots), n_(static_cast<index_t>(pivots.column.size()))
    {
        for (index_t k = 0; k < n_; ++k) {
            row_.push_back(k);
            pairs_.emplace_back(1.0, 0.0, 1.0);
            if (k > 0 && is_pair(k - 1)) {
                pairs_.back() = pairs_[static_cast<std::size_t>(k - 1)] =
                    pair_factors(at(k - 1, k - 1), at(k - 1, k), at(k, k));
                if (pairs_.back().exchanged) {
                    std::swap(row_[static_cast<std::size_t>(k - 1)], row_.back());
                }
            }
        }
    }

    /// Row i of L is row row_order()[i] of the matrix, column j of U column column_order()[j].
    std::vector<std::int32_t> row_order() const
    {
        std::vector<std::int32_t> order;
        for (const index_t k : row_) {
            order.push_back(static_cast<std::int32_t>(pivots_.column[static_cast<std::size_t>(k)]));
        }
        return order;
    }
    std::vector<std::int32_t> column_order() const { return {pivots_.column.begin(), pivots_.column.end()}; }

    double lower(index_t i, index_t j) const
    {
        if (i == j) {
            return 1.0;
        }
        const index_t row = row_[static_cast<std::size_t>(i)];
        const pair_factors& pair = pairs_[static_cast<std::size_t>(j)];
        const bool is_first = is_pair(j), is_second = j > 0 && is_pair(j - 1);
        if (is_first && i == j + 1) {
            return pair.m;
        }
        if (!is_first && !is_second) {
            return at(row, j);
        }
        const index_t k = is_first ? j : j - 1;
        const double x = at(row, k), y = at(row, k + 1), first = pair.exchanged ? y : x,
                     second = pair.exchanged ? x : y;
        return is_first ? first + pair.m * second : second;
    }

    double upper(index_t i, index_t j) const
    {
        const pair_factors& pair = pairs_[static_cast<std::size_t>(i)];
        if (is_pair(i)) {
            return j == i ? pair.u_11 : j == i + 1 ? pair.u_12 : pair.u_11 * at(j, i) + pair.u_12 * at(j, i + 1);
        }
        const double d = i > 0 && is_pair(i - 1) ? pair.u_22 : at(i, i);
        return i == j ? d : d * at(j, i);
    }

private:
    double at(index_t i, index_t j) const { return static_cast<double>(columns_.data()[j * n_ + i]); }
    bool is_pair(index_t k) const { return pivots_.is_pair[static_cast<std::size_t>(k)] != 0; }

    const buffer<host_executor, T>& columns_;
    const ldl_pivots& pivots_;
    index_t n_;
    std::vector<index_t> row_;         ///< the place of each row of L
    std::vector<pair_factors> pairs_;  ///< that a column belongs to; of others without a meaning
};

template <class T>
triangular_factors factorize(const sparse_matrix& a, const factor_options& options)
{
    const index_t n = a.rows;
    triangular_factors factors;
    equilibrate_symmetric(a, factors.row_exponent);
    factors.column_exponent = factors.row_exponent;
    const double entries = static_cast<double>(n) * static_cast<double>(n);
    require_memory("the dense L D L' factorisation", (2.5 * sizeof(double) + 2.0 * sizeof(T)) * entries);
    const blas::detail::single_threaded_blas one_thread;
    buffer<host_executor, T> columns(n * n);
    detail::store_columns(a, factors, columns);
    const detail::native_block<T> whole{{columns.data(), 0}, n, n, n};
    const ldl_pivots pivots = block_elimination<host_space<T>>(host_space<T>{}).ldl(whole, detail::least_pivot_share);
    if (pivots.count == n && detail::first_column_out_of_range(whole, true) == -1) {
        const triangles_of_ldl<T> triangles(columns, pivots);
        factors.row_order = triangles.row_order();
        factors.column_order = triangles.column_order();
        factors.lower = detail::triangle_of(n, true, [&](index_t i, index_t j) { return triangles.lower(i, j); });
        factors.upper = detail::triangle_of(n, false, [&](index_t i, index_t j) { return triangles.upper(i, j); });
    }
    if (pivots.count < n || !detail::has_usable_diagonal(factors.upper)) {
        factors = {};
        factors.failure = detail::singular_in(options.bits);
    }
    return factors;
}

}  // namespace

void equilibrate_symmetric(const sparse_matrix& a, std::vector<int>& exponent)
{
    constexpr int most_passes = 12;  // each halves the exponents of the largest entries
    exponent.assign(static_cast<std::size_t>(a.rows), 0);
    std::vector<int> step(exponent.size(), 1);
    for (int pass = 0; pass < most_passes && std::any_of(step.begin(), step.end(), [](int s) { return s != 0; });
         ++pass) {
        for (index_t i = 0; i < a.rows; ++i) {
            io::ask_for_stop_at(i);
            double largest = 0.0;
            for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
                largest = std::max(largest, detail::scaled_by(std::abs(a.values[p]), exponent[a.column[p]]));
            }
            // 2^top is the next power of two; an odd exponent is halved upwards, so that no entry exceeds 1
            const int top = largest > 0.0 ? std::ilogb(largest) + 1 + exponent[i] : 0;
            step[i] = -static_cast<int>(std::ceil(0.5 * top));
        }
        std::transform(exponent.begin(), exponent.end(), step.begin(), exponent.begin(),
                       [](int e, int s) { return std::clamp(e + s, -300, 300); });
    }
}

triangular_factors factorize_ldl(const sparse_matrix& a, const factor_options& options)
{
    require_factor_bits(options.bits);
    if (!takes_dense_factors(a.rows, a.column.size())) {
        sparse_analyses analyses;
        return factorize_native(a, factor_kind::ldl, analyses, options).triangles();
    }
    return options.bits > binary32_bits ? factorize<double>(a, options) : factorize<float>(a, options);
}

}  // namespace residua
