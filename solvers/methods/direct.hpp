#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <residua/arith/base/number_traits.hpp>
#include <residua/blas/multidigit/array.hpp>
#include <residua/solvers/methods/registry.hpp>
#include <residua/solvers/space/product_place.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// Dense factors of A in the format of a space on the host: L L' or P A = L U.
template <array_space S>
class dense_factors {
public:
    using matrix = typename S::matrix;
    using vector = typename S::vector;

    /// Factorises A, which becomes the factors. Cholesky is tried first if `symmetric`; it needs
    /// half the work, and its failure shows that A is not positive definite. By halves of the columns until eight are
    /// left, so that most of the work are products: with `panel` columns and more by gemm_exact, with fewer by gemm,
    /// whose sums round once. RNS floats column by column.
    ///
    /// shapes   A (n x n); panel 0: by the tuning table, n: no exact products; best a multiple of 8
    /// errors   normwise backward stable: (A + E) x = b with ||E|| of the order of
    ///          n 2^-p rho ||A||, rho the growth of LU with partial pivoting [Higham02, Thm 9.5];
    ///          Cholesky without rho [Higham02, Thm 10.4]. By halves too: docs/error_bounds.md, theorem 23
    /// cost     n^3/3 multiply-adds, half of them for Cholesky; in place, but for products: n^2/4 numbers and the
    ///          residues of as many, 6 times their memory
    /// reports  failure() if a pivot vanishes or is not finite: A is singular to working precision;
    ///          interrupted() if `stop`, which is asked at each column and before each product, became true
    /// order    elementwise updates and sums in a fixed order, and exact products: bitwise the same for any number of
    ///          threads, and wherever products are computed. One that a device does not have (k > 131056) is the host's
    /// throws   resource_error, and cuda_error if a device fails
    dense_factors(const S& space, matrix a, bool symmetric, const std::function<bool()>& stop, index_t panel = 0,
                  const product_place& products = {});

    /// Factors of LU that are known, in the form of factors() and pivots().
    dense_factors(const S& space, matrix factors, std::vector<index_t> pivots)
        : space_(space), a_(std::move(factors)), pivot_(std::move(pivots))
    {}

    const std::string& failure() const { return failure_; }
    bool interrupted() const { return interrupted_; }
    bool is_cholesky() const { return cholesky_ && !interrupted_; }

    /// With how many columns products were exact; n: with none.
    index_t panel() const { return panel_; }

    /// How many products a device computed, in an attempt at Cholesky too.
    index_t products_on_device() const { return products_on_device_; }

    /// L, of LU without its diagonal of ones, below U; of Cholesky in the lower triangle.
    const matrix& factors() const { return a_; }

    /// Row pivots()[k] was swapped with row k at step k of LU.
    const std::vector<index_t>& pivots() const { return pivot_; }

    /// x <- inverse(A) x, or inverse(A') x
    void solve(vector& x, bool transposed = false) const;

private:
    using scalar = typename S::scalar;
    using element = typename S::element;
    using block_view = matrix_view<host_executor, element>;
    static constexpr bool has_products = number<element> || std::same_as<element, multidigit>;  ///< not in RNS floats

    /// Columns begin, ..., end - 1, updated by those before them: their factors, from row `begin` on. False if that
    /// failed or was interrupted.
    bool factorize(index_t begin, index_t end);
    bool factorize_cholesky(index_t begin, index_t end);
    bool factorize_lu(index_t begin, index_t end);

    /// Columns middle, ..., end - 1 by those that are factorised, begin, ..., middle - 1.
    bool update(index_t begin, index_t middle, index_t end)
        requires has_products;

    /// Columns first, ..., last - 1: rows begin, ..., end - 1 <- inverse(L) times them, L of these rows and columns.
    void solve_unit_lower(index_t begin, index_t end, index_t first, index_t last)
        requires has_products;

    /// C <- C - L U, of blocks: exactly, or by sums if L has few columns
    void subtract(block_view l, block_view u, block_view c)
        requires has_products;

    /// The same columns: the swaps of steps begin, ..., end - 1.
    void swap_rows(index_t begin, index_t end, index_t first, index_t last);

    /// So many columns are cut in two between parts of as many: panels, and these between what is done one by one.
    index_t part_of(index_t columns) const { return columns > panel_ ? panel_ : std::min(panel_, least_columns); }

    /// Where columns are cut in two: a whole number of parts is before.
    index_t middle_of(index_t begin, index_t end) const
    {
        const index_t part = part_of(end - begin);
        return begin + ((end - begin + part - 1) / part) / 2 * part;
    }
    bool is_stopped();

    static constexpr index_t least_columns = 8;  ///< that are cut; as many numbers as gemm computes at once

    S space_;
    matrix a_;
    std::function<bool()> stop_;
    product_place products_;
    index_t panel_ = 0;
    index_t products_on_device_ = 0;
    std::vector<index_t> pivot_;
    std::string failure_;
    bool cholesky_ = false;
    bool interrupted_ = false;
};

/// direct in the registry.
struct direct_method {
    /// The entries, the factors, a copy for Cholesky, and two for products.
    static constexpr method_memory memory(index_t n, index_t) { return {.vectors = 5.0 * static_cast<double>(n)}; }

    static constexpr method_traits traits{
        .method = method::direct,
        .name = "direct",
        .systems = "small ones: dense, n^3/3 multiply-adds in the working format",
        .step_cost = "one factorisation",
        .dense = true,
        .memory = memory,
    };
};

}  // namespace residua
