#pragma once

#include <optional>

#include <residua/solvers/base/arithmetic.hpp>
#include <residua/solvers/options/solve_plan.hpp>

namespace residua {

/// Seconds by the kinds of arithmetic in which machines differ.
struct arithmetic_seconds {
    double native = 0.0;
    double expansion = 0.0;   ///< up to 212 bits
    double multidigit = 0.0;  ///< of more than 212 bits

    void add(double bits, double count, double nanoseconds);
    bool operator==(const arithmetic_seconds&) const = default;
};

/// How long a machine takes for each kind, relative to the built-in rates.
struct machine_rates {
    double native = 1.0;
    double expansion = 1.0;
    double multidigit = 1.0;

    double total(const arithmetic_seconds& s) const
    {
        return native * s.native + expansion * s.expansion + multidigit * s.multidigit;
    }
};

/// What is known about the number of iterations that a method takes.
enum class foresight {
    about,    ///< it takes about as many, by the condition and the precision of factors
    at_most,  ///< it takes no more, in exact arithmetic, by the condition
    unknown   ///< what one iteration takes is all that is known
};

/// What a candidate of a plan takes, before any of its work is done.
struct predicted_cost {
    candidate choice;
    arithmetic in;
    arithmetic_seconds setup{};    ///< analysis, rounding of entries and the condition
    arithmetic_seconds factors{};  ///< making the factors that are not there yet
    arithmetic_seconds each{};     ///< one iteration
    arithmetic_seconds judging{};  ///< true residuals and the estimate of the error
    foresight known = foresight::unknown;
    double iterations = 0.0;  ///< 0: unknown
    double bytes = 0.0;       ///< while it runs, with factors

    /// Seconds by these rates; empty: the number of iterations is unknown.
    std::optional<double> seconds(const machine_rates& rates = {}) const;
    bool operator==(const predicted_cost&) const = default;
};

}  // namespace residua
