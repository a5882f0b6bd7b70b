#pragma once

/// Complex numbers of every format with their functions, hashes and text; host only. On a device:
/// complex/functions.hpp, for binary64 and expansions. fmt is in complex/format.hpp, Eigen in complex/eigen.hpp.

#include <residua/arith/complex/functions.hpp>
#include <residua/arith/complex/hash.hpp>
#include <residua/arith/complex/host_parts.hpp>
#include <residua/arith/complex/text.hpp>
#include <residua/arith/numbers.hpp>
