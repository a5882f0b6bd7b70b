#pragma once

#include <array>
#include <csignal>

namespace residua {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP only sets a flag, so that the solve can end in order with the best x so
/// far. The second one of a kind kills the process as usual. What was ignored before, as SIGHUP under nohup, stays ignored.
class interrupt_guard {
public:
    interrupt_guard();
    interrupt_guard(const interrupt_guard&) = delete;
    interrupt_guard& operator=(const interrupt_guard&) = delete;
    ~interrupt_guard();

    /// True after the first of these signals.
    static bool requested() noexcept;

private:
    std::array<struct sigaction, 3> before_{};
};

}  // namespace residua
