#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/io/error.hpp>
#include <residua/solvers/base/determinant.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/precond/factor_kinds.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>
#include <residua/solvers/sparse_direct/known_fronts.hpp>

namespace residua {

struct arithmetic;
class checkpoint;

/// The numbers of dense factors, one by one.
struct known_dense_factors {
    std::function<real(index_t i, index_t j)> entry;  ///< exactly, as dense_factors::factors() has them
    const std::vector<index_t>& pivots;               ///< dense_factors::pivots()
};

/// Factors P S Q = L U, L L' or L D L' of a scaled matrix, in a format that is chosen at run time: dense ones, or fronts of a
/// sparse matrix. `direct` solves with them. They are also the M of refine and GMRES-IR where factors in binary64 are too rough.
class long_factors {
public:
    virtual ~long_factors() = default;

    virtual const std::string& failure() const = 0;  ///< why there are no factors; empty if there are
    virtual factor_kind kind() const = 0;
    virtual index_t size() const = 0;
    virtual index_t products_on_device() const = 0;  ///< how many products a device computed

    /// The numbers of the factors, one by one, for solves in another format.
    virtual std::variant<known_dense_factors, known_fronts> numbers() const = 0;

    /// The multi-digit format with as many bits as the factors, or with the fewest that multi-digit floats can have.
    virtual multidigit_format format() const = 0;

    /// The determinant of S; empty if there are no factors.
    ///
    /// errors  as dense_factors and multifrontal
    virtual std::optional<real> find_determinant() const = 0;

    /// The inertia of S; empty if there are no factors, and for L U.
    virtual std::optional<inertia> find_inertia() const = 0;

    /// Vectors of multi-digit floats for one operation.
    using vectors = std::vector<vector<host_executor, multidigit>*>;

    /// x <- inverse(S) x, or inverse(S') x, in the format of the factors, for several vectors together. First 2^-e x is
    /// rounded to that format, where the largest element of 2^-e x is in [1/2, 1). x may have another precision. Each
    /// vector gets the bits that it gets alone. Safe for concurrent calls.
    ///
    /// cost   for each vector n^2 multiply-adds, or the entries of the fronts; dense factors are read once for all vectors,
    ///        fronts once for some (multifrontal)
    virtual void solve(const vectors& x, bool transposed = false) const = 0;
    void solve(vector<host_executor, multidigit>& x, bool transposed = false) const { solve(vectors{&x}, transposed); }
};

struct long_factor_options {
    preconditioner kind = preconditioner::automatic;  ///< of factors, for kinds_of_factors()
    std::optional<cuda_executor> device = {};         ///< for large products
    sparse_analyses* analyses = nullptr;              ///< analyses of S, to be shared; null: they are made
    checkpoint* keeper = nullptr;                     ///< where fronts are kept; null: nowhere
};

/// Makes the factors, in the kinds of kinds_of_factors() one after the other: by multifrontal where are_made_by_fronts()
/// says so, and otherwise by dense_factors. In RNS floats all factors are dense, and L L' or L U.
///
/// errors   as dense_factors or multifrontal, for S with its entries rounded to the format
/// cost     n^3/3 multiply-adds, or cost_of() of the analysis
/// reports  failure() if S is singular in this format
/// stops    as block_elimination
/// throws   resource_error if they do not fit in memory; unsupported_error if there is no such format
std::unique_ptr<long_factors> factorize_long(const arithmetic& in, const scaled_matrix& matrix,
                                             const long_factor_options& options = {});

/// Bytes of the factors while they are made, of the first kind that is tried. Factors by fronts are analysed for this.
double long_factors_bytes(const arithmetic& in, const scaled_matrix& matrix, sparse_analyses& analyses,
                          preconditioner kind = preconditioner::automatic);

/// The most bytes that the largest product of these factors takes on a device.
double long_factors_device_bytes(const arithmetic& in, const scaled_matrix& matrix, sparse_analyses& analyses,
                                 preconditioner kind = preconditioner::automatic);

/// Bytes of the numbers of these factors when they are copied to the format `in`.
double copied_factors_bytes(const arithmetic& in, const scaled_matrix& matrix, sparse_analyses& analyses,
                            preconditioner kind = preconditioner::automatic);

}  // namespace residua
