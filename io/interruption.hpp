#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>

#include <residua/io/error.hpp>

namespace residua::io {

/// Asked at least ten times a second during long work, by one thread at a time; true ends it.
using stop_function = std::function<bool()>;

/// Work that a stop_function ended.
class stopped_error : public error {
public:
    using error::error;
};

/// While it lives, ask_for_stop() in the calling thread, and in the parts of its teams, asks this function. If several
/// live, the youngest is asked. If none lives, work cannot be interrupted: such is the end of a solve, which evaluates
/// and reports the best x.
class interruption {
public:
    /// stop  may be empty; it must outlive this
    explicit interruption(const stop_function& stop);
    ~interruption();
    interruption(const interruption&) = delete;
    interruption& operator=(const interruption&) = delete;

    /// See ask_for_stop().
    void ask();

private:
    bool is_due();

    const stop_function& stop_;
    interruption* const outer_;
    std::mutex asking_;
    std::atomic<bool> stopped_{false};
    std::atomic<std::chrono::steady_clock::duration::rep> next_;  ///< the time from which it is asked again
};

namespace detail {

/// The interruption of this thread, or null. A team lends it to its helpers.
interruption*& current_interruption();

/// How long an interruption waits between two questions, in the whole process: 10 ms. Tests set it to 0, so that
/// ask_for_stop() always asks.
std::atomic<std::chrono::nanoseconds>& time_between_questions();

}  // namespace detail

/// To be called in long work at least every 20 ms: asks whether it has to end, a hundred times a second at most. Once the
/// answer was yes, it is not asked again.
///
/// throws  stopped_error if work has to end; what it was to make is given up, and nothing else may depend on it
/// cost    some 30 ns
inline void ask_for_stop()
{
    if (interruption* const current = detail::current_interruption()) {
        current->ask();
    }
}

/// The same in element i of a loop over short work.
inline void ask_for_stop_at(index_t i)
{
    if ((i & 255) == 0) {
        ask_for_stop();
    }
}

}  // namespace residua::io
