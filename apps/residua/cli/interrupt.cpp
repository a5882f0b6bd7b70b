#include "interrupt.hpp"

#include <atomic>
#include <csignal>

namespace residua {
namespace {

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
    sigaction(SIGINT, &action, nullptr);
}

interrupt_guard::~interrupt_guard() { std::signal(SIGINT, SIG_DFL); }

bool interrupt_guard::requested() noexcept { return flag.load(std::memory_order_relaxed); }

}  // namespace residua
