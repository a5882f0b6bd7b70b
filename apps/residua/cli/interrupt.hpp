#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <string>

#include <residua/io/interruption.hpp>

namespace residua {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP only sets a flag, so that the work can end in order, a solve with the best
/// x so far. The second one of a kind kills the process as usual. What was ignored before, as SIGHUP under nohup, stays ignored.
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

/// A copy of the stopped_error whose message names what ended the work, the signal or the limit, and whose work it was.
io::stopped_error explained(const io::stopped_error& stopped, double time_limit, const std::string& whose);

/// f(), which io::ask_for_stop() ends after a signal that an interrupt_guard has noticed, or after `time_limit`
/// seconds; 0 means no limit.
///
/// whose   a name for messages, as of a file
/// throws  io::stopped_error that says which of the two it was; as f()
template <class F>
decltype(auto) until_stopped(double time_limit, const std::string& whose, const F& f)
{
    const auto start = std::chrono::steady_clock::now();
    const io::stop_function is_over = [&] {
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        return interrupt_guard::requested() || (time_limit > 0.0 && seconds.count() > time_limit);
    };
    const io::interruption asked(is_over);
    try {
        return f();
    } catch (const io::stopped_error& stopped) {
        throw explained(stopped, time_limit, whose);
    }
}

}  // namespace residua
