#pragma once

namespace residua {

/// While it lives, the first SIGINT only sets a flag, so that the solve can end in order with the
/// best x so far. A second one kills the process as usual.
class interrupt_guard {
public:
    interrupt_guard();
    interrupt_guard(const interrupt_guard&) = delete;
    interrupt_guard& operator=(const interrupt_guard&) = delete;
    ~interrupt_guard();

    /// True after the first SIGINT.
    static bool requested() noexcept;
};

}  // namespace residua
