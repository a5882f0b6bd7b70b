#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>

#include <residua/io/interruption.hpp>
#include <residua/solvers/options/solve_options.hpp>
#include <residua/solvers/options/stop.hpp>

namespace residua {

/// Times the solves of a solver, one after the other, and knows whether the running one has to end.
class solve_clock {
public:
    explicit solve_clock(const solve_options& options) : options_(&options) {}

    void restart()
    {
        start_ = std::chrono::steady_clock::now();
        interrupted_ = false;
    }

    /// Seconds since the solve began.
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

    /// Why the solve has to end now; empty: it may go on. Once the caller has asked for the end, it is not asked again.
    /// A thread that finds another one asking goes on.
    std::optional<solve_status> stop_requested() const
    {
        if (options_->interrupted && !interrupted_) {
            const std::unique_lock asking(asking_, std::try_to_lock);
            if (asking && options_->interrupted()) {
                interrupted_ = true;
            }
        }
        if (interrupted_) {
            return solve_status::interrupted;
        }
        if (options_->time_limit_seconds > 0.0 && seconds() > options_->time_limit_seconds) {
            return solve_status::time_limit;
        }
        return std::nullopt;
    }

    /// stop_requested() as a yes-or-no function, for a factorisation. The clock must outlive the function.
    std::function<bool()> interruption() const
    {
        return [this] { return stop_requested().has_value(); };
    }

    /// Returns f(), during which io::ask_for_stop() asks this clock.
    ///
    /// throws  io::stopped_error if the solve has to end; as f()
    template <class F>
    decltype(auto) interruptible(const F& f) const
    {
        const std::function<bool()> stop = interruption();
        const io::interruption asked(stop);
        io::ask_for_stop();
        return f();
    }

    /// The status of a solve that had to end.
    solve_status why_stopped() const { return interrupted_ ? solve_status::interrupted : solve_status::time_limit; }

private:
    const solve_options* options_;
    mutable std::mutex asking_;
    mutable std::atomic<bool> interrupted_{false};
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace residua
