#pragma once

namespace residua {

/// The threads of this machine. Empty: OpenMP's own settings hold the thread count.
struct host_executor {};

}  // namespace residua
