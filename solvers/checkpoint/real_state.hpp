#pragma once

#include <residua/arith/real/real.hpp>
#include <residua/solvers/checkpoint/state_archive.hpp>

namespace residua {

/// A number with its precision, bit for bit.
///
/// throws  input_error if what is read is no number
void archive(state_archive& io, real& x);

/// As many numbers as there are; where they are read the vector gets their number.
void archive(state_archive& io, std::vector<real>& all);

}  // namespace residua
