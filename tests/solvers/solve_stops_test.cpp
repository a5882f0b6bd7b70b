// A solve that has to end ends soon, whatever it is at.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/base/random.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/support/stopping.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr double slow_machine = 2.0;
constexpr double most_overrun = 0.15 * slow_machine;
constexpr double most_silence = 0.1 * slow_machine;

/// A moment by the clock, and by the processors that this process got: others may use them.
struct moment {
    double clock = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    double processors = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
};

double between(const moment& a, const moment& b) { return std::min(b.clock - a.clock, b.processors - a.processors); }

/// Says "stop" after so many seconds, and takes note of when it is asked.
class patience {
public:
    explicit patience(double seconds) : seconds_(seconds) {}

    bool is_over()
    {
        const std::unique_lock alone(mutex_, std::try_to_lock);
        if (!alone) {
            asked_at_once_ = true;
            return false;
        }
        const moment now;
        silence_ = std::max(silence_, between(last_, now));
        last_ = now;
        ++asked_;
        said_stop_ = said_stop_ || now.clock - start_.clock > seconds_;
        return said_stop_;
    }
    double silence() const { return silence_; }
    /// Since "stop", which was said once the time was over.
    double since_last() const { return between(last_, moment{}); }
    int asked() const { return asked_; }
    bool said_stop() const { return said_stop_; }
    bool was_asked_at_once() const { return asked_at_once_; }  ///< by two threads

private:
    const double seconds_;
    std::mutex mutex_;
    moment start_{}, last_ = start_;
    double silence_ = 0.0;
    int asked_ = 0;
    bool said_stop_ = false;
    std::atomic<bool> asked_at_once_ = false;
};

linear_system full_matrix(index_t n)
{
    splitmix64 random{7};
    io::coo<double> a;
    a.rows = a.cols = n;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            a.row.push_back(static_cast<std::int32_t>(i));
            a.col.push_back(static_cast<std::int32_t>(j));
            a.value.push_back(uniform(random) - 0.5);
        }
    }
    return system_of(a);
}

solve_options with(method m, long bits, preconditioner p = preconditioner::automatic)
{
    solve_options options;
    options.method = m;
    options.precision_bits = bits;
    options.preconditioner = p;
    return options;
}

/// The number with which CG is tried in this row before it is preferred to factors (bits_of_cg()).
double tried_in_row(index_t row)
{
    const auto scattered = static_cast<std::uint32_t>(static_cast<std::uint64_t>(row + 1) * 2654435769U);
    return static_cast<double>(scattered ^ (scattered * scattered >> 7U)) * 0x1p-31 - 1.0;
}

/// Points of a grid, each with its neighbours, and two rows with a negative eigenvalue, whose eigenvector the trial of
/// CG does not have: CG is preferred to factors, and breaks down.
io::coo<double> looks_definite_to_cg(index_t m)
{
    const index_t grid = m * m * m;
    index_t p = grid;
    while (std::abs(tried_in_row(p)) < 0.7) {
        ++p;
    }
    index_t q = p + 1;
    while (std::abs(tried_in_row(q)) < 0.7) {
        ++q;
    }
    io::coo<double> a{q + 1, q + 1, {}, {}, {}};
    const auto add = [&](index_t i, index_t j, double value) {
        a.row.push_back(i);
        a.col.push_back(j);
        a.value.push_back(value);
    };
    const double of_p = tried_in_row(p), of_q = tried_in_row(q), coupling = 1.01 * of_p * of_q;
    for (index_t i = 0; i <= q; ++i) {
        const std::vector<std::pair<index_t, index_t>> sides{{m * m, i / m / m}, {m, i / m % m}, {1, i % m}};
        for (const auto& [step, place] : sides) {
            if (i < grid && place > 0) {
                add(i, i - step, -0.125);
            }
        }
        if (i == q) {
            add(q, p, coupling);
        }
        add(i, i, i == p ? of_p * of_p : i == q ? of_q * of_q : 1.0);
        if (i == p) {
            add(p, q, coupling);
        }
        for (auto side = sides.rbegin(); side != sides.rend(); ++side) {
            if (i < grid && side->second < m - 1) {
                add(i, i + side->first, -0.125);
            }
        }
    }
    return a;
}

/// x had converged, and only the estimate of its error was stopped.
bool lacks_only_its_estimate(const solve_report& report)
{
    return report.status == solve_status::converged && !report.forward_error &&
           report.message.find("the estimate of the error was stopped") != std::string::npos;
}

/// The longer wait may be longer than the solve, on a fast machine, or end in the estimate of the error.
void expect_to_stop(const linear_system& system, solve_options options, const std::string& what, double later = 0.3)
{
    std::function<bool()> ask;
    options.interrupted = [&ask] { return ask(); };
    constexpr double soon = 0.05;
    for (const double seconds : {soon, later}) {
        solver s(system, options);
        patience caller(seconds);
        ask = [&caller] { return caller.is_over(); };
        const solve_result result = s.solve(system.b);
        const double overrun = caller.silence() + caller.since_last();
        const std::string at = what + ", stopped after " + std::to_string(seconds) + " s";
        EXPECT_LT(caller.silence(), most_silence) << at;
        EXPECT_FALSE(caller.was_asked_at_once()) << at;
        EXPECT_LT(overrun, most_overrun) << at;
        EXPECT_GE(caller.asked(), 1) << at;
        if (seconds == later && (!caller.said_stop() || lacks_only_its_estimate(result.report))) {
            EXPECT_EQ(result.report.status, solve_status::converged) << at << ": " << result.report.message;
            continue;
        }
        EXPECT_EQ(result.report.status, solve_status::interrupted) << at << ": " << result.report.message;
        EXPECT_EQ(result.x.size(), static_cast<std::size_t>(system.cols)) << at;
        EXPECT_GT(result.report.precision_bits, 0) << at;
        EXPECT_FALSE(result.report.message.empty()) << at;
    }
}

}  // namespace

TEST(solve_stops_test, in_iterations)
{
    const linear_system system = system_of(poisson_2d(300));
    solve_options options = with(method::cg, 212, preconditioner::none);
    options.estimate_condition = false;
    expect_to_stop(system, options, "cg");
    options.method = method::gmres;
    expect_to_stop(system, options, "gmres");
}

TEST(solve_stops_test, in_structure_order_and_factors_of_sparse_matrices)
{
    expect_to_stop(system_of(poisson_2d(300)), with(method::refine, 424), "refine");
    expect_to_stop(system_of(poisson_2d(300)), with(method::direct, 212), "direct");
}

TEST(solve_stops_test, in_factors_of_dense_matrices)
{
    expect_to_stop(full_matrix(700), with(method::direct, 424), "dense direct");
    expect_to_stop(full_matrix(2500), with(method::refine, 212), "dense refine");
    constexpr double large_products = 3.0;  // are made by then
    expect_to_stop(full_matrix(1000), with(method::direct, 212), "products of expansions", large_products);
    expect_to_stop(full_matrix(800), with(method::direct, 848), "products of multi-digit floats", large_products);
}

TEST(solve_stops_test, in_incomplete_factors)
{
    solve_options options = with(method::cg, 212, preconditioner::ilut);
    options.method = method::gmres;
    options.fill = 400;
    options.estimate_condition = false;
    expect_to_stop(system_of(poisson_2d(300)), options, "ilut");
    const linear_system full = full_matrix(2000);  // whose rows are long
    for (const preconditioner p : {preconditioner::ilu0, preconditioner::iluk}) {
        options.preconditioner = p;
        expect_to_stop(full, options, std::string(to_string(p)), 1.0);
    }
}

TEST(solve_stops_test, in_factors_that_are_made_when_cg_has_failed)
{
    const asked_each_time each;
    linear_system system = system_of(looks_definite_to_cg(44));
    system.b.clear();
    for (index_t i = 0; i < system.rows; ++i) {
        system.b.emplace_back(static_cast<double>(i % 7) - 2.0);
    }
    index_t of_cg = 0;
    int since = 0;  // questions since the last iteration
    solve_options options{.digits = 30};
    options.on_history = [&](const history_entry& entry) {
        of_cg = entry.iteration;
        since = 0;
    };
    options.interrupted = [&] { return of_cg > 0 && ++since > 3000; };  // an iteration has some 200
    const solve_report report = solve(system, options).report;
    EXPECT_EQ(report.status, solve_status::interrupted) << report.message;
    EXPECT_EQ(report.method, method::cg) << report.message;
    EXPECT_EQ(report.iterations, of_cg);
    EXPECT_EQ(report.escalations.size(), 1U);
    EXPECT_LT(report.relative_residual, real(1.0));
    EXPECT_NE(report.message.find("stopped while factors were made"), std::string::npos) << report.message;
}

TEST(solve_stops_test, what_is_known_of_the_matrix_is_nothing_then)
{
    const asked_each_time each;
    const linear_system system = system_of(poisson_2d(30));
    int left = 0;
    solve_options options = with(method::refine, 212);
    options.interrupted = [&left] { return left-- == 0; };
    const auto stopped_after = [&](int questions, const auto& ask) {
        solver s(system, options);
        left = questions;
        const auto found = ask(s);
        left = -1;
        EXPECT_TRUE(ask(s).has_value());
        return !found.has_value();
    };
    for (const int questions : {0, 1, 10, 100}) {
        EXPECT_TRUE(stopped_after(questions, [](solver& s) { return s.condition(); })) << questions;
        EXPECT_TRUE(stopped_after(questions, [](solver& s) { return s.determinant(); })) << questions;
        EXPECT_TRUE(stopped_after(questions, [](solver& s) { return s.inertia(); })) << questions;
        solver s(system, options);
        left = questions;
        EXPECT_THROW(s.plan(), io::stopped_error) << questions;
        left = questions;
        EXPECT_THROW(s.costs(), io::stopped_error) << questions;
        left = -1;
        EXPECT_FALSE(s.plan().candidates.empty());
    }
}

TEST(solve_stops_test, works_on_with_the_same_solver)
{
    const linear_system system = with_solution_ones(poisson_2d(120));
    solve_options options = with(method::refine, 212);
    const solve_result alone = solve(system, options);
    const asked_each_time each;
    for (const int last : {1, 10, 100, 1000, 5000, 10000}) {  // wherever that is
        std::atomic<int> left = last;
        options.interrupted = [&left] { return --left == 0; };
        solver s(system, options);
        const solve_status status = s.solve(system.b).report.status;
        EXPECT_EQ(status, left > 0 ? solve_status::converged : solve_status::interrupted) << last;
        const solve_result after = s.solve(system.b);
        EXPECT_EQ(after.report.status, solve_status::converged) << last;
        EXPECT_EQ(after.x, alone.x) << last;
    }
}
