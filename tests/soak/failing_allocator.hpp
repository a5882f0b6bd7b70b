#pragma once

namespace residua::soak {

/// Lets `which` allocations by operator new succeed, in any threads, and the next one fail. Later ones succeed again.
void fail_allocation(long which);

/// No allocation fails any more. Whether one has.
bool stop_failing();

}  // namespace residua::soak
