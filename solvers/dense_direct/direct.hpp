#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/base/determinant.hpp>
#include <residua/solvers/dense_direct/complex_elimination.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {
namespace detail {

/// The space of the same numbers in the memory of the host.
template <array_space S>
struct host_space_of {
    using type = std::remove_cvref_t<decltype(std::declval<const S&>().host_counterpart())>;
};

}  // namespace detail

/// Dense factors of A in the format and the memory of a space: L L', P A = L U or P A P' = L D L'. On a device there are multi-digit
/// floats and, for factors that then go to the host, expansions of up to 8 terms.
template <array_space S>
class dense_factors {
public:
    using matrix = typename S::matrix;
    using vector = typename S::vector;
    /// Whether solve() computes in the memory of the factors. A device has no solves in expansions.
    static constexpr bool solves_there = S::on_host || std::same_as<typename S::element, multidigit>;

    /// Factorises A, which becomes the factors, by block_elimination; on the host L L' and L U of the real form of a complex matrix
    /// (options.complex) by complex_elimination. If `symmetric`, these are L L', or L D L' where L L' fails,
    /// which shows that A is not positive definite.
    ///
    /// shapes   A (n x n)
    /// errors   normwise backward stable: (A + E) x = b with ||E|| of the order of
    ///          n 2^-p rho ||A||, rho the growth of LU with partial pivoting [Higham02, Thm 9.5];
    ///          Cholesky without rho [Higham02, Thm 10.4]. By halves too: docs/error_bounds.md, theorem 23. L D L' as ldl()
    /// cost     n^3/3 multiply-adds, half of them for L L' and for L D L'; in place, but for products: n^2/4 numbers and the
    ///          residues of as many, 6 times their memory
    /// reports  failure() if a pivot vanishes, or if factors are not finite: A is singular to working precision
    /// order    as block_elimination
    /// stops    as block_elimination
    /// throws   resource_error, and cuda_error if a device fails
    dense_factors(const S& space, matrix a, bool symmetric, const elimination_options& options = {});

    /// L D L' of a symmetric matrix, of which the lower triangle is read: block_elimination::ldl(), whose pivots bound
    /// the entries of L by 4.
    ///
    /// shapes   A (n x n)
    /// errors   |A + E - L D L'| as docs/error_bounds.md, theorem 28, has it
    /// cost     n^3/6 multiply-adds
    /// reports, order, stops, throws   as dense_factors()
    static dense_factors ldl(const S& space, matrix a, const elimination_options& options = {});

    /// Factors that are known, in the form of factors(), pivots() and is_pair().
    dense_factors(const S& space, matrix factors, std::vector<index_t> pivots, bool is_cholesky,
                  std::vector<char> is_pair = {})
        : space_(space),
          a_(std::move(factors)),
          pivot_(std::move(pivots)),
          is_pair_(std::move(is_pair)),
          cholesky_(is_cholesky)
    {}

    const std::string& failure() const { return failure_; }
    bool is_cholesky() const { return cholesky_; }
    bool is_ldl() const { return !is_pair_.empty(); }

    /// From how many columns on products were exact; n: none was.
    index_t panel() const { return panel_; }

    /// How many products a device computed, in an attempt at Cholesky too.
    index_t products_on_device() const { return products_on_device_; }

    /// Whether the factors were made in the memory of a device.
    bool made_on_device() const { return made_on_device_; }

    /// A copy in the memory of the host, which solves there.
    dense_factors<typename detail::host_space_of<S>::type> on_host() const
        requires(!S::on_host);

    /// L, of LU without its diagonal of ones, below U; of Cholesky in the lower triangle; L and D as
    /// block_elimination::ldl() has them.
    const matrix& factors() const { return a_; }

    /// Row pivots()[k] was swapped with row k at step k of LU; of L D L' so were columns.
    const std::vector<index_t>& pivots() const { return pivot_; }

    /// Of L D L' whether rows k and k + 1 of D are a pivot of two rows; otherwise empty.
    const std::vector<char>& is_pair() const { return is_pair_; }

    /// x <- inverse(A) x, or inverse(A') x, for several vectors together. Safe for concurrent calls.
    ///
    /// shapes   x (n) each
    /// cost     n^2 multiply-adds for each vector, for multi-digit floats most of them in products with all vectors; a
    ///          matrix of the vectors
    /// order    fixed: a vector gets the same bits alone and together with others, for any number of threads
    void solve(const columns<S>& x, bool transposed = false) const
        requires solves_there;
    void solve(vector& x, bool transposed = false) const
        requires solves_there
    {
        solve(columns<S>{&x}, transposed);
    }

    /// The determinant of A.
    ///
    /// errors   the error of the factors, and 2 n roundings
    /// cost     n
    /// reports  nothing if there are no factors
    std::optional<real> find_determinant() const
        requires solves_there;

    /// The inertia of A.
    ///
    /// errors   it is the inertia of a matrix as near to A as L L' or L D L' is
    /// cost     n
    /// reports  nothing for LU, and if there are no factors
    std::optional<inertia> find_inertia() const
        requires solves_there;

    /// The diagonal of U, the squares of that of L, or the eigenvalues of the blocks of D.
    ///
    /// cost     n
    std::vector<real> pivot_numbers() const
        requires solves_there;

    /// The determinant of the complex matrix whose real form A is.
    ///
    /// errors   the error of the factors, and 6 n roundings
    /// cost     n
    /// reports  nothing if there are no factors, and if complex_elimination has not made them
    std::optional<complex_number<real>> find_complex_determinant() const
        requires solves_there;

private:
    template <array_space>
    friend class dense_factors;

    /// Factors that are still to be made of A.
    dense_factors(const S& space, matrix a) : space_(space), a_(std::move(a)) {}
    /// Makes L L' by an elimination, and says whether there is one, or L U.
    template <class Elimination>
    bool make(Elimination& elimination, bool symmetric);
    template <class Elimination>
    void take_figures(const Elimination& elimination);
    /// Sets failure() if fewer than all columns have pivots, or a number is out of range; columns[k] lies in place k.
    void find_failure(index_t pivots, const std::vector<index_t>& columns);
    /// A function that gives number k of the diagonal, or of one above it.
    auto diagonal(index_t above = 0) const
        requires solves_there;

    void make_ldl(block_elimination<S>& elimination);

    /// A pivot of D, [first, beside; beside, last] or `first` alone, its determinant, and its rows.
    struct pivot_of_d {
        real first, beside, last, determinant;
        index_t rows;
    };
    std::vector<pivot_of_d> pivots_of_d() const
        requires solves_there;

    S space_;
    matrix a_;
    index_t panel_ = 0;
    index_t products_on_device_ = 0;
    std::vector<index_t> pivot_;
    std::vector<char> is_pair_;
    std::string failure_;
    bool cholesky_ = false;
    bool complex_ = false;  ///< A is the real form of a complex matrix
    bool made_on_device_ = !S::on_host;
};

/// The row of `direct` in the registry.
struct direct_method {
    /// Memory for the entries, the factors, a copy for Cholesky, and two matrices for products.
    static constexpr method_memory memory(index_t n, index_t) { return {.vectors = 5.0 * static_cast<double>(n)}; }

    static constexpr method_traits traits{
        .method = method::direct,
        .name = "direct",
        .systems =
            "whose factors fit in memory, in the working format: dense ones, n^3/3 multiply-adds, or sparse ones; QR "
            "of a "
            "dense matrix that is not square",
        .step_cost = "one factorisation",
        .rectangular = true,
        .dense = true,
        .memory = memory,
    };
};

}  // namespace residua
