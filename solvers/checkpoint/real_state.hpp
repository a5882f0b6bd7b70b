#pragma once

#include <residua/arith/real/real.hpp>
#include <residua/solvers/checkpoint/state_archive.hpp>

namespace residua {

/// Archives a number with its precision, bit for bit.
///
/// throws  input_error if what is read is no number
void archive(state_archive& io, real& x);

/// Archives a list of numbers. When it is read, the vector gets the size that was written.
void archive(state_archive& io, std::vector<real>& all);

}  // namespace residua
