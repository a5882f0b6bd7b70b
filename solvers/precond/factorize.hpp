#pragma once

#include <optional>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/precond/factor_kinds.hpp>
#include <residua/solvers/precond/factorization.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>

namespace residua {

struct arithmetic;
class checkpoint;

/// Factors of A in 11, 24 or 53 bits, as options.bits says: dense ones, if takes_dense_factors() says so, by factorize_lu(),
/// factorize_cholesky() or factorize_ldl(), otherwise by fronts in binary64, or in binary32 for fewer bits.
///
/// shapes    A (n x n), for L L' and L D L' symmetric; for L D L' by fronts also the real form of a complex symmetric matrix
/// analyses  of A
/// reports   failure()
/// throws    resource_error if they are predicted not to fit in memory; as factorize_lu()
factorization factorize_native(const sparse_matrix& a, factor_kind kind, sparse_analyses& analyses,
                               const factor_options& options = {});

/// Factors that are known as two triangles, which solve with them.
factorization by_triangles(triangular_factors factors, factor_kind kind = factor_kind::lu, long bits = binary64_bits);

struct long_factor_options {
    preconditioner kind = preconditioner::automatic;  ///< of factors, for kinds_of_factors()
    std::optional<cuda_executor> device = {};         ///< for dense factors, large fronts and large products
    sparse_analyses* analyses = nullptr;              ///< analyses of S, to be shared; null: they are made
    checkpoint* keeper = nullptr;                     ///< where fronts are kept; null: nowhere
};

/// Makes the factors, in the kinds of kinds_of_factors() one after the other: by dense_factors where takes_dense_factors()
/// says so, and otherwise by multifrontal. In RNS floats all factors are dense.
///
/// Dense factors of 256 rows or more in multi-digit floats, or in expansions of up to 8 terms, are made in the memory of
/// the device if there is one with room for them. Multi-digit ones stay there and solve there. Otherwise the device
/// computes large products. The bits are the same. Dense L U and L L' of a complex matrix are made on the host by
/// complex_elimination, of whose products a device computes the large ones, and solve on the host.
///
/// errors   as dense_factors or multifrontal, for S with its entries rounded to the format
/// cost     n^3/3 multiply-adds, or cost_of() of the analysis
/// reports  failure() if S is singular in this format
/// stops    as block_elimination
/// throws   resource_error if they do not fit in memory; unsupported_error if there is no such format
factorization factorize_long(const arithmetic& in, const scaled_matrix& matrix,
                             const long_factor_options& options = {});

/// L of L L' = S'S for a matrix with at least as many rows as columns, or of L L' = S S' for one with fewer, by dense_qr of S or
/// of S': so its errors are those of a matrix near S, and not those that products of S with itself have. Devices as
/// factorize_long().
///
/// errors   as dense_qr, for S with its entries rounded to the format
/// cost     m n^2 - n^3 / 3 multiply-adds, n the smaller size
/// reports  failure() if L has a zero in its diagonal, or something is not finite
/// stops    as dense_qr
/// throws   resource_error if they do not fit in memory; unsupported_error if there is no such format
factorization factorize_qr(const arithmetic& in, const scaled_matrix& matrix, const long_factor_options& options = {});

/// The most bytes that the largest product of these factors takes on a device.
double long_factors_device_bytes(const arithmetic& in, const scaled_matrix& matrix, sparse_analyses& analyses,
                                 preconditioner kind = preconditioner::automatic);

}  // namespace residua
