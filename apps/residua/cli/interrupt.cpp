#include "interrupt.hpp"

#include <atomic>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

namespace residua {
namespace {

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

extern "C" void residua_on_interrupt(int) { flag.store(true, std::memory_order_relaxed); }

}  // namespace

interrupt_guard::interrupt_guard()
{
    flag.store(false, std::memory_order_relaxed);
    struct sigaction action {};
    action.sa_handler = residua_on_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (std::size_t k = 0; k < signals.size(); ++k) {
        sigaction(signals[k], nullptr, &before_[k]);
        if (before_[k].sa_handler != SIG_IGN) {
            sigaction(signals[k], &action, nullptr);
        }
    }
}

interrupt_guard::~interrupt_guard()
{
    for (std::size_t k = 0; k < signals.size(); ++k) {
        sigaction(signals[k], &before_[k], nullptr);
    }
}

bool interrupt_guard::requested() noexcept { return flag.load(std::memory_order_relaxed); }

io::stopped_error explained(const io::stopped_error& stopped, double time_limit, const std::string& whose)
{
    const std::string_view what = stopped.what();
    return io::stopped_error(fmt::format(
        "{}{}, {}", what == "stopped" ? whose + ": " : "", what,
        interrupt_guard::requested() ? "by a signal" : fmt::format("by the time limit of {} s", time_limit)));
}

}  // namespace residua
