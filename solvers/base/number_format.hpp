#pragma once

namespace residua {

/// The formats of numbers that a method computes in. `automatic` is resolved by format_of(bits).
enum class number_format { automatic, native, expansion, multidigit, rns };

}  // namespace residua
