#pragma once

namespace residua::blas {

/// The triangle of a matrix that an operation reads.
enum class uplo { lower, upper };

/// Whether the diagonal is read, or taken to be ones.
enum class diag { non_unit, unit };

}  // namespace residua::blas
