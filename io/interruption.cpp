#include <residua/io/interruption.hpp>

namespace residua::io {
namespace {

using ticks = std::chrono::steady_clock::duration;

ticks::rep now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

interruption*& detail::current_interruption()
{
    thread_local interruption* current = nullptr;
    return current;
}

std::atomic<std::chrono::nanoseconds>& detail::time_between_questions()
{
    static std::atomic<std::chrono::nanoseconds> time(std::chrono::milliseconds(10));
    return time;
}

interruption::interruption(const stop_function& stop)
    : stop_(stop), outer_(detail::current_interruption()), next_(now())
{
    detail::current_interruption() = this;
}

interruption::~interruption() { detail::current_interruption() = outer_; }

/// True for only one of the threads that ask at the same time.
bool interruption::is_due()
{
    ticks::rep next = next_;
    const ticks::rep at = now();
    return at >= next &&
           next_.compare_exchange_strong(next, at + ticks(detail::time_between_questions().load()).count());
}

void interruption::ask()
{
    if (stop_ && !stopped_ && is_due() && asking_.try_lock()) {
        const std::lock_guard lock(asking_, std::adopt_lock);
        if (!stopped_ && stop_()) {  // another thread may have been told to stop since
            stopped_ = true;
        }
    }
    if (stopped_) {
        throw stopped_error("stopped");
    }
}

}  // namespace residua::io
