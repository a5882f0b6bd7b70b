#pragma once

#include <residua/arith/rns/number.hpp>

namespace residua::blas::detail {

/// The number of threads of a block, up to 128, from the table that bench/blas/rns_tuning wrote.
int choose_block(const rns_format& format);

/// Overrides choose_block until it is called again with 0: for tuning, one thread at a time.
void force_block(int block);

}  // namespace residua::blas::detail
