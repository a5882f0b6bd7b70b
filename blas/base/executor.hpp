#pragma once

namespace residua {

/// The threads of this machine. Empty: io::available_threads() says how many of them work may use.
struct host_executor {};

}  // namespace residua
