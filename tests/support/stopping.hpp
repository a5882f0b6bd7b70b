#pragma once

#include <chrono>

#include <residua/io/interruption.hpp>

namespace residua::support {

/// While it lives, io::ask_for_stop() asks each time, and not a hundred times a second.
class asked_each_time {
public:
    asked_each_time() : before_(io::detail::time_between_questions().exchange({})) {}
    ~asked_each_time() { io::detail::time_between_questions() = before_; }
    asked_each_time(const asked_each_time&) = delete;
    asked_each_time& operator=(const asked_each_time&) = delete;

private:
    const std::chrono::nanoseconds before_;
};

/// Whether `stop`, asked each time, ends f().
template <class F>
bool is_stopped(const io::stop_function& stop, const F& f)
{
    const asked_each_time each;
    const io::interruption asked(stop);
    try {
        f();
    } catch (const io::stopped_error&) {
        return true;
    }
    return false;
}

}  // namespace residua::support
