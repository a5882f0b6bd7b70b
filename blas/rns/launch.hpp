#pragma once

#include <residua/arith/rns/number.hpp>

namespace residua::blas::detail {

/// How a kernel is launched: threads a number (a power of two up to 16; 1 up to 14 moduli), threads a block (up to 256).
struct rns_launch {
    int threads;
    int block;
};

/// The launch for a set, from the table that bench/blas/rns_tuning wrote.
rns_launch choose_launch(const rns_format& format);

/// Overrides choose_launch until it is called again with {0, 0}: for tuning, one thread at a time.
void force_launch(rns_launch launch);

}  // namespace residua::blas::detail
