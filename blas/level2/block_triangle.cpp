#include <residua/blas/level2/block_triangle.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/parallel.hpp>

namespace residua::blas {
namespace {

constexpr index_t group = block_triangle<host_executor>::group;

/// Column j of an inverse, from its diagonal on, replaces the column of the identity; rows of T are in steps.
void substitute(const detail::in_steps& t, bool unit, index_t rows, index_t j, double* x)
{
    detail::run_simd([&]() __attribute__((always_inline)) {
        x[j] = 1.0;
        for (index_t k = j; k < rows; ++k) {
            if (!unit) {
                x[k] /= *t.at(k, k);
            }
            const double x_k = x[k];
            const double* const below = t.at(k + 1, k);
            double* const rest = x + k + 1;
            detail::for_lanes(
                rows - k - 1, [&](index_t l) __attribute__((always_inline)) {
                    rest[l] = std::fma(-below[l * t.row], x_k, rest[l]);
                });
        }
    });
}

/// sum_l <- row l of A times x for l < rows <= group, `cols` columns in groups; if Triangle, row l has only the columns
/// up to `diagonal` + l
template <bool Triangle>
void multiply(const detail::in_steps& a, index_t rows, index_t cols, index_t diagonal, const double* x, index_t step,
              double* sum)
{
    detail::run_simd([&]() __attribute__((always_inline)) {
        for (index_t first = 0; first < cols; first += group) {
            double part[group] = {};
            const index_t last = std::min(first + group, cols);
            for (index_t j = first; j < last; ++j) {
                const double x_j = x[j * step];
                const double* const column = a.at(0, j);
                const index_t above = Triangle ? std::max<index_t>(0, j - diagonal) : 0;
                for (index_t l = above; l < rows; ++l) {
                    part[l] = std::fma(column[l * a.row], x_j, part[l]);
                }
            }
            for (index_t l = 0; l < rows; ++l) {
                sum[l] = first == 0 ? part[l] : sum[l] + part[l];
            }
        }
    });
}

}  // namespace

void detail::require_block_triangle(index_t rows, index_t cols, index_t rows_of_block)
{
    require_equal("block_triangle", "rows and columns of A", rows, cols);
    if (rows_of_block < group || rows_of_block > block_triangle<host_executor>::most_rows ||
        (rows_of_block & (rows_of_block - 1)) != 0) {
        throw dimension_error("block_triangle: blocks have 32, 64, 128, 256 or 512 rows, not " +
                              std::to_string(rows_of_block));
    }
}

template <>
void block_triangle<host_executor>::invert(const host_executor&)
{
    const double operations = 2.0 * static_cast<double>(n_ * rows_ * rows_) / 6.0;
    detail::parallel_ranges(n_, 1, operations, [&](index_t begin, index_t end) {
        for (index_t s = begin; s < end; ++s) {
            const index_t block = s / rows_;
            const index_t j = s % rows_;
            substitute(t_.from(block * rows_, block * rows_), unit_, rows_of(block), j, inverse_.data() + s * rows_);
        }
    });
}

template <>
void block_triangle<host_executor>::solve(const host_executor&, in_vector<host_executor, double> b,
                                          vector_view<host_executor, double> x) const
{
    require_equal("block_triangle", "order of T and size of b", n_, b.size);
    require_equal("block_triangle", "order of T and size of x", n_, x.size);
    std::copy(b.data(), b.data() + n_, c_.data());
    if (n_ == 0) {
        return;
    }
    const index_t to_next = step();
    double* const c = first(c_.data());
    double* const y = first(x.data());
    const auto for_rows_of = [&](index_t rows, index_t cols, const auto& body) {
        detail::parallel_ranges(rows, group, 2.0 * static_cast<double>(rows * cols), [&](index_t begin, index_t end) {
            double sum[group];
            for (index_t i = begin; i < end; i += group) {
                body(i, std::min(group, end - i), sum);
            }
        });
    };
    for (index_t k = 0; k < blocks(); ++k) {
        const index_t before = k * rows_;
        const index_t here = rows_of(k);
        const detail::in_steps inverse = inverse_of(k);
        for_rows_of(here, here, [&](index_t i, index_t rows, double* sum) {
            multiply<true>(inverse.from(i, 0), rows, i + rows, i, c + before * to_next, to_next, sum);
            for (index_t l = 0; l < rows; ++l) {
                y[(before + i + l) * to_next] = sum[l];
            }
        });
        const index_t behind = before + here;
        for_rows_of(n_ - behind, here, [&](index_t i, index_t rows, double* sum) {
            multiply<false>(t_.from(behind + i, before), rows, here, 0, y + before * to_next, to_next, sum);
            for (index_t l = 0; l < rows; ++l) {
                c[(behind + i + l) * to_next] -= sum[l];
            }
        });
    }
}

}  // namespace residua::blas
