#pragma once

namespace residua::blas {

/// The triangle of a matrix that an operation reads.
enum class uplo { lower, upper };

/// A matrix as it is, or its transpose.
enum class trans { no, yes };

/// Where a matrix stands that is multiplied or solved with: on the left of another, or on its right.
enum class side { left, right };

/// The norms of a matrix.
enum class matrix_norm { one, infinity, frobenius, largest };

/// Whether the diagonal is read, or taken to be ones.
enum class diag { non_unit, unit };

}  // namespace residua::blas
