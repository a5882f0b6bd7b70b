#pragma once

/// Expansions, multi-digit floats and reals as numbers: every operator, function, limit, hash, stream and literal; host only.
/// Formatting by fmt is in numbers/format.hpp, Eigen in numbers/eigen.hpp.

#include <residua/arith/expansion/operators.hpp>
#include <residua/arith/numbers/functions.hpp>
#include <residua/arith/numbers/hash.hpp>
#include <residua/arith/numbers/limits.hpp>
#include <residua/arith/numbers/literals.hpp>
#include <residua/arith/numbers/multidigit.hpp>
#include <residua/arith/numbers/parts.hpp>
#include <residua/arith/numbers/stream.hpp>
