#pragma once

#include <algorithm>
#include <chrono>

#include <residua/solvers/base/seconds.hpp>
#include <residua/solvers/options/solve_report.hpp>

namespace residua {

/// Adds up the seconds of one solve by parts. The time of a part within another one counts for the inner one alone, and
/// time that a method measures itself counts for neither. So the parts add up to the time of the outermost one.
class part_watch {
public:
    using clock = std::chrono::steady_clock;

    /// The time of a part, from its construction to its destruction.
    struct running {
        part_watch* watch;
        double part_seconds::*part;
        clock::time_point start;
        double counted = 0.0;  ///< the watch's counted() at the start

        running(part_watch* of, double part_seconds::*which) : watch(of), part(which)
        {
            if (watch != nullptr) {
                start = clock::now();
                counted = watch->counted();
            }
        }
        running(const running&) = delete;
        ~running()
        {
            if (watch != nullptr) {
                const double inner = watch->counted() - counted;
                const double own = std::chrono::duration<double>(clock::now() - start).count() - inner;
                watch->seconds_.*part += std::max(own, 0.0);
                watch->counted_ += own;
            }
        }
    };

    /// measures  whether clocks are read
    explicit part_watch(bool measures) : measures_(measures) {}
    part_watch(const part_watch&) = delete;
    part_watch& operator=(const part_watch&) = delete;

    /// From now on takes the seconds of methods from `of`. They are zero now, only grow, and outlive the watch.
    void follow(const method_seconds& of) { of_methods_ = &of; }

    /// Counts the time of what is returned, while it is there, for a part.
    [[nodiscard]] running during(double part_seconds::*part) { return {measures_ ? this : nullptr, part}; }

    /// Returns f(), and counts its time for a part.
    template <class F>
    decltype(auto) in(double part_seconds::*part, const F& f)
    {
        const running now = during(part);
        return f();
    }

    /// Counts seconds that were measured within the part that runs.
    void count(const part_seconds& measured)
    {
        for (const auto part : {&part_seconds::analysis, &part_seconds::scaling, &part_seconds::factors}) {
            seconds_.*part += measured.*part;
            counted_ += measured.*part;
        }
    }

    /// All parts so far.
    part_seconds seconds() const
    {
        part_seconds all = seconds_;
        if (of_methods_ != nullptr) {
            all.products = of_methods_->products;
            all.preconditioner = of_methods_->preconditioner;
            all.transfers = of_methods_->transfers;
        }
        return all;
    }

private:
    double counted() const
    {
        return of_methods_ == nullptr
                   ? counted_
                   : counted_ + of_methods_->products + of_methods_->preconditioner + of_methods_->transfers;
    }

    bool measures_;
    const method_seconds* of_methods_ = nullptr;
    part_seconds seconds_;
    double counted_ = 0.0;  ///< seconds of all parts that have ended, without the methods' own
};

}  // namespace residua
