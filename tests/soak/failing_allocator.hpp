#pragma once

namespace residua::soak {

/// The allocation by operator new after so many more fails, in whichever thread; the ones behind it succeed.
void fail_allocation(long which);

/// No allocation fails any more. Whether one has.
bool stop_failing();

}  // namespace residua::soak
