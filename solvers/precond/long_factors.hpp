#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/multidigit/array.hpp>
#include <residua/io/error.hpp>
#include <residua/solvers/assess/determinant.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>
#include <residua/solvers/system/scaled_matrix.hpp>

namespace residua {

struct arithmetic;

/// Factors P S Q = L U, S = L L' or L D L' of a scaled matrix, in a format that is chosen at run time: dense ones, or fronts of a
/// sparse matrix. `direct` solves with them. They are also the M of refine and GMRES-IR where factors in binary64 are too rough.
class long_factors {
public:
    virtual ~long_factors() = default;

    virtual const std::string& failure() const = 0;  ///< why there are no factors; empty if there are
    virtual bool interrupted() const = 0;
    virtual bool is_cholesky() const = 0;            ///< S = L L' was tried first, and is positive definite
    virtual index_t products_on_device() const = 0;  ///< how many a device computed
    virtual index_t size() const = 0;

    virtual bool are_dense() const = 0;

    /// l_ij below the diagonal, u_ij on it and above; exact. Of dense LU alone, as pivots()
    virtual real entry(index_t i, index_t j) const = 0;

    /// Row pivots()[k] was swapped with row k at step k.
    virtual const std::vector<index_t>& pivots() const = 0;

    /// Multi-digit floats of as many bits as the factors, or of the least that they have.
    virtual multidigit_format format() const = 0;

    /// Of S; empty if there are no factors.
    ///
    /// errors  those of dense_factors and multifrontal
    virtual std::optional<real> find_determinant() const = 0;

    /// Of S; empty if there are no factors, and for L U.
    virtual std::optional<inertia> find_inertia() const = 0;

    /// Vectors of multi-digit floats for one operation.
    using vectors = std::vector<vector<host_executor, multidigit>*>;

    /// x <- inverse(S) x, or inverse(S') x, in the format of the factors, for several vectors together. First 2^-e x is
    /// rounded to it, where e makes the largest element lie in [1/2, 1). x may have another precision. Each vector gets the
    /// bits that it gets alone. Safe for concurrent calls.
    ///
    /// cost   for each vector n^2 multiply-adds, or the entries of the fronts, which are read once for some (multifrontal)
    virtual void solve(const vectors& x, bool transposed = false) const = 0;
    void solve(vector<host_executor, multidigit>& x, bool transposed = false) const { solve(vectors{&x}, transposed); }
};

struct long_factor_options {
    bool symmetric = false;                    ///< dense factors: S is, and Cholesky is to be tried first
    std::function<bool()> interrupted = {};    ///< is called often; true ends the factorisation
    std::optional<cuda_executor> device = {};  ///< for large products
    sparse_analyses* analyses = nullptr;       ///< of S, to be shared; null: they are made
    bool for_inertia = false;                  ///< S is symmetric: fronts, and L D L' unless S = L L'
};

/// Makes the factors: by dense_factors where takes_dense_factors() says so and in RNS floats, unless they are for the
/// inertia; else by multifrontal.
///
/// errors   as dense_factors or multifrontal, for S with its entries rounded to the format
/// cost     n^3/3 multiply-adds, or cost_of() of the analysis
/// reports  failure() if S is singular in this format, or if options.interrupted() became true
/// throws   resource_error if they do not fit in memory; unsupported_error if there is no such format
std::unique_ptr<long_factors> factorize_long(const arithmetic& in, const scaled_matrix& matrix,
                                             const long_factor_options& options = {});

/// Bytes of the factors while they are made. Sparse ones are analysed for that.
double long_factors_bytes(const arithmetic& in, const scaled_matrix& matrix, sparse_analyses& analyses);

/// Bytes that their largest product takes on a device, at most.
double long_factors_device_bytes(const arithmetic& in, const scaled_matrix& matrix, sparse_analyses& analyses);

/// The kind of long factors of a sparse matrix: Cholesky's where its diagonal is positive, which may turn out to be wrong.
factor_kind kind_of_factors(const scaled_matrix& matrix);

}  // namespace residua
