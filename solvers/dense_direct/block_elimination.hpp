#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/view.hpp>
#include <residua/solvers/dense_direct/block_elimination_search.hpp>
#include <residua/solvers/dense_direct/device_blocks.hpp>
#include <residua/solvers/dense_direct/native_blocks.hpp>
#include <residua/solvers/dense_direct/product_place.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

class checkpoint;

/// Where and how a block_elimination computes.
struct elimination_options {
    /// From this many columns on products are exact, made by gemm_exact; 0: by the tuning table. With fewer columns
    /// sums round once, as in gemm. Best a multiple of 8.
    index_t panel = 0;
    product_place products = {};
    checkpoint* keeper = nullptr;  ///< where what is eliminated is kept, and found again; null: nowhere
    /// The matrix is the real form of a complex one. On the host dense_factors eliminate it by complex_elimination, and
    /// block_elimination::lu() finds its pivots in pairs.
    bool complex = false;
};

/// The pivots of a partial L U.
struct lu_pivots {
    index_t count = 0;
    std::vector<index_t> row_swap;  ///< row row_swap[k] was swapped with row k at step k, for k < count
    std::vector<index_t> column;    ///< column[k] is the column that lies in place k
};

/// The pivots of a partial L D L'.
struct ldl_pivots {
    index_t count = 0;
    std::vector<index_t> column;  ///< column[k] is the column that lies in place k, and so does its row
    std::vector<char> is_pair;    ///< places k and k + 1 have one pivot, a 2 x 2 block of D, whose first is k
};

/// A number of dense matrices that have products: not an RNS float.
template <class T>
concept multiplied_number = number<T> || std::same_as<T, multidigit>;

namespace detail {

inline constexpr index_t least_columns = 8;  ///< no fewer are cut; gemm computes as many numbers at once

/// The parts between which `columns` columns are cut in two: panels, or within a panel least_columns.
inline index_t part_of(index_t columns, index_t panel)
{
    return columns > panel ? panel : std::min(panel, least_columns);
}

/// Where columns are cut in two: a whole number of parts is before.
inline index_t middle_of(index_t begin, index_t end, index_t panel)
{
    const index_t part = part_of(end - begin, panel);
    return begin + ((end - begin + part - 1) / part) / 2 * part;
}

}  // namespace detail

/// Eliminates the first columns of dense matrices in the format and the memory of a space, by halves of the columns until
/// eight are left, so that most of the work are products. In binary64 and binary32 these are the BLAS's, in pieces that do
/// not depend on the number of threads; in RNS floats, which have no products, all goes column by column.
///
/// On a device, where there are multi-digit floats and expansions of up to 8 terms, the matrix stays: the host waits
/// only for the pivots of each panel of LU, and for the candidates of each pivot of L D L'.
///
/// errors   normwise backward stable: as Higham's theorems 9.5, 10.4 and 11.3 have it; docs/error_bounds.md, theorem 23
/// order    elementwise updates and sums in a fixed order, and exact products: bitwise the same for any number of
///          threads, and wherever products are computed. One that a device does not have (k > 131056),
///          or has no room for, is the host's
/// stops    by io::ask_for_stop() at each column of a panel, on a device at each panel, and inside products; what is
///          eliminated is lost then
/// throws   resource_error, and cuda_error if a device fails
template <array_space S>
class block_elimination {
public:
    using scalar = typename S::scalar;
    using element = typename S::element;
    using executor = std::remove_cv_t<decltype(S::exec)>;
    using view = matrix_view<executor, element>;

    explicit block_elimination(const S& space, const elimination_options& options = {});

    /// Makes the first columns of L of L L', with all rows below; what is above the diagonal is not read.
    ///
    /// shapes   A (m x k), m >= k: the first columns of a symmetric matrix
    /// reports  false if a pivot is not positive or not finite
    bool cholesky(view a);

    /// C <- C - L L', its lower triangle; some of what is above it is lost.
    ///
    /// shapes   L (b x k), C (b x c), c <= b: the first columns of a symmetric matrix
    void subtract_square(view l, view c);

    /// L and U of the first columns of a matrix, U in and above the diagonal, L below it without its ones. The pivot of a
    /// column is the largest of the first `candidates` entries that are left, if that is at least `threshold` of the
    /// largest of all that are left. A column without a pivot moves behind the others, updated as they are; pivots.column
    /// says where columns went.
    ///
    /// In pairs the second row of a complex row has the pivot after the one of the first, and columns move as complex ones. The
    /// larger part of a complex pivot is the largest of its column. In exact arithmetic the second pivot is no smaller than the
    /// first; if it is less than half of it, rounding errors are all that is left, and there is no pivot.
    ///
    /// shapes   A (m x k), m >= candidates >= k; in pairs m, k and candidates are even
    /// reports  fewer than k pivots if columns have none
    lu_pivots lu(view a, index_t candidates, double threshold);
    /// The same with all rows as candidates.
    lu_pivots lu(view a) { return lu(a, a.rows, 0.0); }

    /// The steps of lu() for columns beyond: R <- inverse(L11) R, C <- C - L21 R, after the swaps of rows, all of them
    /// rows of R.
    ///
    /// shapes   A (m x k) after lu(); R (r x b), its first pivots.count rows are those of U; C (m - r x b)
    void lu_beyond(view a, const lu_pivots& pivots, view r, view c);

    /// L and D of the first columns of a symmetric matrix, rows and columns swapped alike; L below the diagonal without
    /// its ones. D has blocks of one and of two rows with their diagonals in that of A. The other number of a block of
    /// two is above the diagonal, and 0 below it, where L is. What is above the diagonal is not read, and some is lost.
    ///
    /// Pivots are searched as in bounded Bunch-Kaufman pivoting, among eight columns at first, then among all that are
    /// left. For each of them the entries of |inverse(D)| v are at most 1 / threshold, v the largest other entry of
    /// each of its columns. A column without a pivot moves behind the others, updated as they are.
    ///
    /// shapes   A (m x k), m >= k; threshold at most 1/3
    /// reports  fewer than k pivots if columns have none. Where m = k that is only if all that is left is zero, or something
    ///          is not finite
    /// from     [BK77], [AGL98] the search, [DR83] the tests
    ldl_pivots ldl(view a, double threshold);

    /// C <- C - L21 D L21', its lower triangle; some of what is above it is lost.
    ///
    /// shapes   A (k + b x k) after ldl(), C (b x b)
    void ldl_beyond(view a, const ldl_pivots& pivots, view c);

    index_t products_on_device() const { return products_on_device_; }  ///< how many products a device computed

    /// From how many columns on products were exact in the last elimination; the number of rows, if none was.
    index_t panel() const { return panel_; }

private:
    static constexpr bool has_products = multiplied_number<element>;
    static constexpr bool is_native = detail::native_number<element>;  ///< the BLAS computes
    static constexpr index_t least_columns = detail::least_columns;
    /// Columns of one product. On the host more would take more memory, and on a device fewer more launches.
    static constexpr index_t columns_at_once = S::on_host ? 512 : 4096;
    struct nothing {};

    void set_panel(index_t rows, index_t columns, bool is_cholesky);
    bool cholesky(view a, index_t begin, index_t end);
    bool cholesky_columns(view a, index_t begin, index_t end)
        requires(S::on_host);
    bool cholesky_columns(view a, index_t begin, index_t end)
        requires(!S::on_host);
    index_t lu(view a, index_t begin, index_t end);
    index_t lu_columns(view a, index_t begin, index_t end)
        requires(S::on_host);
    index_t lu_columns(view a, index_t begin, index_t end)
        requires(!S::on_host);

    /// Whether column k has a pivot, which then is in row k.
    bool bring_pivot(view a, index_t k, index_t begin, index_t end);

    /// Updates columns first, ..., last - 1 by the pivots begin, ..., end - 1.
    void update(view a, index_t begin, index_t end, index_t first, index_t last)
        requires multiplied_number<typename S::element>;

    /// C <- C - L V in one triangle, where V = L' has been copied: each column from its diagonal on.
    void subtract_lower(view l, view v, view c)
        requires multiplied_number<typename S::element>;

    /// X <- inverse(L) X, L unit lower triangular.
    void solve_unit_lower(view l, view x)
        requires multiplied_number<typename S::element>;
    void solve_unit_lower_by_halves(view l, view x)
        requires multiplied_number<typename S::element>;
    /// C <- C - L U, or at least what is in and below the diagonal if `lower`.
    void subtract(view l, view u, view c, bool lower = false)
        requires multiplied_number<typename S::element>;

    /// Swaps rows k and row_swap[k] of all columns of X, for k = begin, ..., end - 1. X has the rows of the elimination.
    void swap_rows(view x, const std::vector<index_t>& row_swap, index_t begin, index_t end)
        requires(S::on_host);
    void swap_rows(view x, const std::vector<index_t>& row_swap, index_t begin, index_t end)
        requires(!S::on_host);
    void swap_rows(view x, index_t begin, index_t end) { swap_rows(x, pivots_.row_swap, begin, end); }
    void move_behind(view a, index_t begin, index_t count, index_t end);

    index_t ldl(view a, index_t begin, index_t end);
    index_t ldl_columns(view a, index_t begin, index_t end);
    /// ldl_columns() of all that is left, where panels find no pivot. A device leaves it to the host.
    index_t ldl_of_rest(view a, index_t begin);
    index_t ldl_on_host(view a, index_t begin)
        requires(!S::on_host);
    detail::pivot_place find_pivot(view a, index_t begin, index_t end)
        requires(S::on_host);
    detail::pivot_place find_pivot(view a, index_t begin, index_t end)
        requires(!S::on_host);
    /// Eliminates columns k + size, ..., end - 1 by the pivot in place k, of one or two columns.
    void eliminate(view a, index_t k, index_t size, index_t end)
        requires(S::on_host);
    void eliminate(view a, index_t k, index_t size, index_t end)
        requires(!S::on_host);
    void eliminate_one(view a, index_t k, index_t end);
    void eliminate_pair(view a, index_t k, index_t end);

    /// What decides which columns are joined in pairs.
    struct column_sizes {
        detail::entry_size<scalar> beside;  ///< the largest entry without the diagonal
        scalar own;                         ///< that in the diagonal
    };
    /// A function of j that gives these of column j of rows begin, ..., end - 1.
    auto sizes_of_columns(view a, index_t begin, index_t end)
        requires(S::on_host);
    auto sizes_of_columns(view a, index_t begin, index_t end)
        requires(!S::on_host);

    /// Swaps rows and columns p and q, p < q, from column `begin` on.
    void swap_symmetric(view a, index_t begin, index_t p, index_t q)
        requires(S::on_host);
    void swap_symmetric(view a, index_t begin, index_t p, index_t q)
        requires(!S::on_host);
    /// Reorders rows and columns: what is in place from[k] moves to place begin + k.
    void rearrange(view a, index_t begin, const std::vector<index_t>& from);
    /// The same of the first rows and columns of A: what is in place from[k] moves to place k.
    void move_symmetric(view a, const std::vector<index_t>& from)
        requires(S::on_host);
    void move_symmetric(view a, const std::vector<index_t>& from)
        requires(!S::on_host);
    /// Brings columns whose pivot may be a pair next to each other.
    void join_pairs(view a, index_t begin, index_t end);
    /// Calls f(), and does what it does to the order of columns begin, ..., end - 1 to these rows of columns first,
    /// ..., begin - 1, too.
    template <class F>
    void with_rows(view a, index_t first, index_t begin, index_t end, const F& f);

    /// Updates columns first, ..., last - 1 by the pivots begin, ..., end - 1 of L D L'.
    void update_lower(view a, index_t begin, index_t end, index_t first, index_t last)
        requires multiplied_number<typename S::element>;
    /// V <- D L', D of the pivots from `begin` on.
    void times_pivots(view a, index_t begin, view l, view v)
        requires(S::on_host);
    void times_pivots(view a, index_t begin, view l, view v)
        requires(!S::on_host);

    index_t part_of(index_t columns) const { return detail::part_of(columns, panel_); }
    index_t middle_of(index_t begin, index_t end) const { return detail::middle_of(begin, end, panel_); }

    template <array_space>
    friend class block_elimination;

    S space_;
    elimination_options options_;
    index_t panel_ = 0;
    index_t products_on_device_ = 0;
    index_t candidates_ = 0;  ///< rows that may become pivots
    double threshold_ = 0.0;
    lu_pivots pivots_;
    ldl_pivots ldl_;
    std::conditional_t<S::on_host, nothing, detail::panel_memory<element>> panel_memory_;
    std::conditional_t<S::on_host, nothing, detail::symmetric_memory<element>> symmetric_memory_;
};

}  // namespace residua
