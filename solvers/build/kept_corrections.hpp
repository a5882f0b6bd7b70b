#pragma once

#include <memory>

#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/checkpoint/checkpoint.hpp>

namespace residua {

/// The key of a matrix: of its entries, of their places and of its scaling.
content_key key_of(const scaled_matrix& m);

/// The key of a correction: of its engine, its residual and its rule.
content_key key_of(const content_key& engine, const correction& of);

/// The engine with a checkpoint. Corrections that an earlier run finished are read from it; one that was interrupted goes on
/// from its last state; new ones are saved. The result has the bits of a run without a checkpoint. Its correct() throws
/// input_error if a state is damaged.
///
/// key   what the corrections are made by: format, method, preconditioner, matrix
std::unique_ptr<correction_engine> kept_in(checkpoint& states, const content_key& key,
                                           std::unique_ptr<correction_engine> engine);

}  // namespace residua
