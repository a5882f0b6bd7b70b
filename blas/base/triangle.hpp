#pragma once

namespace residua {

/// Which triangle of a matrix is meant; the entries of the other one are not read.
enum class triangle { lower, upper };

/// Whether a matrix or its transpose is meant.
enum class operation { none, transpose };

/// Whether the diagonal is stored or taken as ones (and not read).
enum class diagonal { stored, unit };

}  // namespace residua
