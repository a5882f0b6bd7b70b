#include <residua/solvers/dense.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <residua/blas/base/check.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/solvers/base/permutation.hpp>
#include <residua/solvers/dense_direct/block_elimination.hpp>
#include <residua/solvers/dense_direct/device_blocks.hpp>
#include <residua/solvers/dense_direct/elements.hpp>
#include <residua/solvers/dense_direct/limb_matrices.hpp>
#include <residua/solvers/dense_direct/solve_pivots.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua::dense {
namespace {

template <class Exec>
void clear_beside(const Exec& exec, uplo triangle, view_of<Exec> a)
{
    const multidigit_number zero(a.format);
    for_columns(exec, a.format, a.rows, a.cols, [&](index_t j) {
        const auto [begin, end] = rows_beside(triangle, a.rows, j);
        blas::fill(exec, zero, column_part(a, j, begin, end));
    });
}

void swap_rows(const host_executor& exec, view_of<host_executor> x, const std::vector<index_t>& pivots, bool backwards)
{
    const auto n = static_cast<index_t>(pivots.size());
    for_columns(exec, x.format, n, x.cols, [&](index_t j) {
        for (index_t step = 0; step < n; ++step) {
            const index_t k = backwards ? n - 1 - step : step;
            if (const index_t p = pivots[static_cast<std::size_t>(k)]; p != k) {
                residua::detail::swap_elements<multidigit>(x.column(j), k, p);
            }
        }
    });
}

#if defined(RESIDUA_CUDA)

void swap_rows(const cuda_executor& exec, view_of<cuda_executor> x, const std::vector<index_t>& pivots, bool backwards)
{
    residua::detail::swap_rows(exec, x, pivots, 0, static_cast<index_t>(pivots.size()), backwards);
}

#endif

/// The order of the first leading minor that Cholesky found not to be positive.
template <class Exec>
index_t order_of_failure([[maybe_unused]] const Exec& exec, const stored<Exec>& a)
{
    if constexpr (std::is_same_v<Exec, host_executor>) {
        const multidigit_number zero(a.format());
        for (index_t k = 0; k < a.rows(); ++k) {
            if (const multidigit_number pivot = a.get(k, k); !(zero < pivot) || !is_finite(pivot)) {
                return k + 1;
            }
        }
        return a.rows();
    } else {
        return order_of_failure(host_executor{}, to_host(exec, a));
    }
}

/// The first column that has no pivot, counted from 1; 0: all have.
template <class Pivots>
index_t first_left(const Pivots& found)
{
    const auto left = found.column.begin() + found.count;
    return left == found.column.end() ? 0 : *std::min_element(left, found.column.end()) + 1;
}

/// Pivots are rows of a matrix that has as many.
void require_rows(std::string_view operation, const std::vector<index_t>& pivots)
{
    const auto n = static_cast<index_t>(pivots.size());
    for (const index_t p : pivots) {
        if (p < 0 || p >= n) {
            throw error(std::string(operation) + ": there is no row " + std::to_string(p) + " to swap among " +
                        std::to_string(n));
        }
    }
}

}  // namespace

index_t potrf(uplo triangle, dense_matrix& a)
{
    require_square("potrf", a);
    return at_place_of(a, [&]<class Exec>(const Exec& exec) -> index_t {
        stored<Exec>& factor = a.numbers<Exec>();
        if (triangle == uplo::upper) {
            factor = transpose_of<Exec>(exec, factor.view());
        }
        block_elimination<multidigit_space<Exec>> elimination({exec, factor.format()});
        if (!elimination.cholesky(factor.view())) {
            return order_of_failure<Exec>(exec, factor);
        }
        clear_beside<Exec>(exec, uplo::lower, factor.view());
        if (triangle == uplo::upper) {
            factor = transpose_of<Exec>(exec, factor.view());
        }
        return 0;
    });
}

index_t sytrf(uplo triangle, dense_matrix& a, std::vector<index_t>& pivots)
{
    require_square("sytrf", a);
    return at_place_of(a, [&]<class Exec>(const Exec& exec) -> index_t {
        stored<Exec>& factors = a.numbers<Exec>();
        if (triangle == uplo::upper) {
            factors = transpose_of<Exec>(exec, factors.view());
        }
        block_elimination<multidigit_space<Exec>> elimination({exec, factors.format()});
        const ldl_pivots found = elimination.ldl(factors.view(), residua::detail::least_pivot_share);
        pivots = swaps_of(found.column);
        const multidigit_number zero(factors.format());
        for (index_t k = 0; k < factors.cols(); ++k) {
            const bool is_second = k > 0 && found.is_pair[static_cast<std::size_t>(k - 1)] != 0;
            if (is_second || found.is_pair[static_cast<std::size_t>(k)] != 0) {
                pivots[static_cast<std::size_t>(k)] = -1 - pivots[static_cast<std::size_t>(k)];
            }
            blas::fill(exec, zero, column_part(factors.view(), k, 0, is_second ? k - 1 : k));
        }
        return first_left(found);
    });
}

index_t getrf(dense_matrix& a, std::vector<index_t>& pivots)
{
    require_square("getrf", a);
    return at_place_of(a, [&]<class Exec>(const Exec& exec) -> index_t {
        stored<Exec>& factors = a.numbers<Exec>();
        block_elimination<multidigit_space<Exec>> elimination({exec, factors.format()});
        lu_pivots found = elimination.lu(factors.view(), factors.rows(), 0.0);
        pivots = std::move(found.row_swap);
        return first_left(found);
    });
}

void sytrs(const dense_matrix& a, const std::vector<index_t>& pivots, dense_matrix& b)
{
    require_square("sytrs", a);
    require_equal("sytrs", "rows of A and pivots", a.rows(), static_cast<index_t>(pivots.size()));
    require_equal("sytrs", "rows of A and B", a.rows(), b.rows());
    require_together("sytrs", a, b);
    std::vector<index_t> swaps = pivots;
    std::vector<char> is_pair(pivots.size(), 0);
    for (std::size_t k = 0; k < swaps.size(); ++k) {
        if (swaps[k] < 0) {
            swaps[k] = -1 - swaps[k];
            is_pair[k] = k == 0 || is_pair[k - 1] == 0 ? 1 : 0;
            if (is_pair[k] != 0 && (k + 1 == swaps.size() || swaps[k + 1] >= 0)) {
                throw error("sytrs: a pivot of two rows begins in row " + std::to_string(k) +
                            ", but has no second one");
            }
        }
    }
    require_rows("sytrs", swaps);
    const auto with_numbers = [&](const auto& f) {
        at_place_of(b, [&]<class Exec>(const Exec& exec) { f(exec, b.numbers<Exec>().view()); });
    };
    with_numbers([&](const auto& exec, const auto& x) { swap_rows(exec, x, swaps, false); });
    trsm(side::left, uplo::lower, op::plain, diag::unit, 1.0, a, b);
    with_numbers([&]<class Exec>(const Exec& exec, const view_of<Exec>& x) {
        residua::detail::solve_with_pivots(multidigit_space<Exec>{exec, x.format}, a.numbers<Exec>().view(), is_pair,
                                           x);
    });
    trsm(side::left, uplo::lower, op::transposed, diag::unit, 1.0, a, b);
    with_numbers([&](const auto& exec, const auto& x) { swap_rows(exec, x, swaps, true); });
}

void potrs(uplo triangle, const dense_matrix& a, dense_matrix& b)
{
    const bool lower = triangle == uplo::lower;
    trsm(side::left, triangle, lower ? op::plain : op::transposed, diag::non_unit, 1.0, a, b);
    trsm(side::left, triangle, lower ? op::transposed : op::plain, diag::non_unit, 1.0, a, b);
}

void getrs(op op_a, const dense_matrix& a, const std::vector<index_t>& pivots, dense_matrix& b)
{
    require_square("getrs", a);
    require_equal("getrs", "rows of A and pivots", a.rows(), static_cast<index_t>(pivots.size()));
    require_equal("getrs", "rows of A and B", a.rows(), b.rows());
    require_rows("getrs", pivots);
    const auto swapped = [&](bool backwards) {
        at_place_of(
            b, [&]<class Exec>(const Exec& exec) { swap_rows(exec, b.numbers<Exec>().view(), pivots, backwards); });
    };
    require_together("getrs", a, b);
    if (op_a == op::plain) {
        swapped(false);
        trsm(side::left, uplo::lower, op::plain, diag::unit, 1.0, a, b);
        trsm(side::left, uplo::upper, op::plain, diag::non_unit, 1.0, a, b);
    } else {
        trsm(side::left, uplo::upper, op::transposed, diag::non_unit, 1.0, a, b);
        trsm(side::left, uplo::lower, op::transposed, diag::unit, 1.0, a, b);
        swapped(true);
    }
}

namespace {

/// What a solve needs of A and B, before A is lost.
void require_system(std::string_view operation, const dense_matrix& a, const dense_matrix& b)
{
    require_square(operation, a);
    require_equal(operation, "rows of A and B", a.rows(), b.rows());
    require_together(operation, a, b);
    if (&a == &b) {
        throw error(std::string(operation) + ": A and B are one matrix");
    }
}

}  // namespace

index_t posv(uplo triangle, dense_matrix& a, dense_matrix& b)
{
    require_system("posv", a, b);
    const index_t info = potrf(triangle, a);
    if (info == 0) {
        potrs(triangle, a, b);
    }
    return info;
}

index_t sysv(uplo triangle, dense_matrix& a, dense_matrix& b)
{
    require_system("sysv", a, b);
    std::vector<index_t> pivots;
    const index_t info = sytrf(triangle, a, pivots);
    if (info == 0) {
        sytrs(a, pivots, b);
    }
    return info;
}

index_t gesv(dense_matrix& a, dense_matrix& b)
{
    require_system("gesv", a, b);
    std::vector<index_t> pivots;
    const index_t info = getrf(a, pivots);
    if (info == 0) {
        getrs(op::plain, a, pivots, b);
    }
    return info;
}

}  // namespace residua::dense
