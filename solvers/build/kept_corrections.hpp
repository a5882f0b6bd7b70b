#pragma once

#include <functional>
#include <vector>

#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/checkpoint/checkpoint.hpp>

namespace residua {

/// The key of a matrix: of its entries, of their places and of its scaling.
content_key key_of(const scaled_matrix& m);

/// The key of a correction: of its engine, its residual and its rule.
content_key key_of(const content_key& engine, const correction& of);

/// Corrects by `compute`, with a checkpoint. Corrections that an earlier run finished are read from it; one that was interrupted
/// goes on from its last state; new ones are saved. The result has the bits of a run without a checkpoint.
///
/// engine    what the corrections are made by: format, method, preconditioner, matrix
/// together  whether `compute` takes several columns at a time
/// throws    input_error if a state is damaged
void correct_with(checkpoint& in, const content_key& engine, bool together, std::vector<correction>& columns,
                  const std::function<void(std::vector<correction>&)>& compute);

}  // namespace residua
