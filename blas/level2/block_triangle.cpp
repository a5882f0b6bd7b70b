#include <residua/blas/level2/block_triangle.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/io/interruption.hpp>

namespace residua::blas {
namespace {

constexpr index_t group = block_triangle<host_executor>::group;

/// Rows that are summed together: of one vector as many as make a long part of a column, of several so few that all of
/// them find the entries in a cache.
constexpr index_t most_strip = 512, strip_of_several = 64;

/// Column j of an inverse, from its diagonal on, replaces the column of the identity; rows of T are in steps, Row words
/// apart.
template <int Row>
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
                    rest[l] = std::fma(-below[l * Row], x_k, rest[l]);
                });
        }
    });
}

/// sum_l <- row l of A times x for l < rows <= most_strip, `cols` columns in groups; rows of A are Row words apart. If
/// Triangle, row l has only the columns up to `diagonal` + l, where `diagonal` is a multiple of `group`.
template <bool Triangle, int Row>
void multiply(const detail::in_steps& a, index_t rows, index_t cols, index_t diagonal, const double* x, index_t step,
              double* sum)
{
    detail::run_simd([&]() __attribute__((always_inline)) {
        for (index_t first = 0; first < cols; first += group) {
            double part[most_strip] = {};
            const index_t last = std::min(first + group, cols);
            for (index_t j = first; j < last; ++j) {
                const index_t above = Triangle ? std::max<index_t>(0, j - diagonal) : 0;
                const double x_j = x[j * step];
                const double* const column = a.at(above, j);
                double* const from = part + above;
                detail::for_lanes(
                    rows - above, [&](index_t l) __attribute__((always_inline)) {
                        from[l] = std::fma(column[l * Row], x_j, from[l]);
                    });
            }
            const index_t above = Triangle ? std::max<index_t>(0, first - diagonal) : 0;
            for (index_t l = above; l < rows; ++l) {
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
    constexpr index_t columns_unasked = 1024;  // take some hundredths of a second
    const auto substituted = lower_ ? substitute<1> : substitute<-1>;
    for (index_t first = 0; first < n_; first += columns_unasked) {
        io::ask_for_stop();
        const index_t columns = std::min(columns_unasked, n_ - first);
        const double operations = 2.0 * static_cast<double>(columns * rows_ * rows_) / 6.0;
        detail::parallel_ranges(columns, 1, operations, [&](index_t begin, index_t end) {
            for (index_t s = first + begin; s < first + end; ++s) {
                const index_t block = s / rows_;
                const index_t j = s % rows_;
                substituted(t_.from(block * rows_, block * rows_), unit_, rows_of(block), j,
                            inverse_.data() + s * rows_);
            }
        });
    }
}

template <>
void block_triangle<host_executor>::solve_steps(index_t count, double* c, index_t c_step, double* x,
                                                index_t x_step) const
{
    if (n_ == 0) {
        return;
    }
    const index_t strip = count == 1 ? most_strip : strip_of_several;
    const index_t c_next = lower_ ? c_step : -c_step, x_next = lower_ ? x_step : -x_step;
    double* const b = lower_ ? c : c + (n_ - 1) * c_step;
    double* const y = lower_ ? x : x + (n_ - 1) * x_step;
    const auto for_rows_of = [&](index_t rows, index_t cols, const auto& body) {
        const double operations = 2.0 * static_cast<double>(rows * cols * count);
        detail::parallel_ranges(rows, group, operations, [&](index_t begin, index_t end) {
            double sum[most_strip];
            for (index_t i = begin; i < end; i += strip) {
                for (index_t v = 0; v < count; ++v) {
                    body(i, std::min(strip, end - i), v, sum);
                }
            }
        });
    };
    for (index_t k = 0; k < blocks(); ++k) {
        const index_t before = k * rows_;
        const index_t here = rows_of(k);
        const detail::in_steps inverse = inverse_of(k);
        for_rows_of(here, here, [&](index_t i, index_t rows, index_t v, double* sum) {
            multiply<true, 1>(inverse.from(i, 0), rows, i + rows, i, b + before * c_next + v, c_next, sum);
            for (index_t l = 0; l < rows; ++l) {
                y[(before + i + l) * x_next + v] = sum[l];
            }
        });
        const index_t behind = before + here;
        for_rows_of(n_ - behind, here, [&](index_t i, index_t rows, index_t v, double* sum) {
            const auto beside = lower_ ? multiply<false, 1> : multiply<false, -1>;
            beside(t_.from(behind + i, before), rows, here, 0, y + before * x_next + v, x_next, sum);
            for (index_t l = 0; l < rows; ++l) {
                b[(behind + i + l) * c_next + v] -= sum[l];
            }
        });
    }
}

template <>
void block_triangle<host_executor>::solve(const host_executor&, in_vector<host_executor, double> b,
                                          vector_view<host_executor, double> x) const
{
    require_equal("block_triangle", "order of T and size of b", n_, b.size);
    require_equal("block_triangle", "order of T and size of x", n_, x.size);
    std::copy(b.data(), b.data() + n_, c_.data());
    solve_steps(1, c_.data(), 1, x.data(), 1);
}

template <>
void block_triangle<host_executor>::solve_rows(matrix_view<host_executor, double> x_t) const
{
    require_equal("block_triangle", "order of T and columns of X'", n_, x_t.cols);
    buffer<host_executor, double> c(x_t.rows * n_);
    for (index_t i = 0; i < n_; ++i) {
        std::copy_n(x_t.data() + i * x_t.ld, x_t.rows, c.data() + i * x_t.rows);
    }
    solve_steps(x_t.rows, c.data(), x_t.rows, x_t.data(), x_t.ld);
}

}  // namespace residua::blas
