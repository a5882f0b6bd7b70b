// A solve that has to end ends soon, whatever it is at.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <residua/arith/base/random.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr double slow_machine = 3.0;  // others may use its processors
constexpr double most_overrun = 0.15 * slow_machine;
constexpr double most_silence = 0.1 * slow_machine;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Says "stop" after so many seconds, and takes note of when it is asked.
class patience {
public:
    explicit patience(double seconds) : seconds_(seconds) {}

    bool is_over()
    {
        const std::lock_guard lock(mutex_);
        const double at = now();
        silence_ = std::max(silence_, at - last_);
        last_ = at;
        ++asked_;
        return at - start_ > seconds_;
    }
    double silence() const { return silence_; }
    double overrun() const { return now() - start_ - seconds_; }
    int asked() const { return asked_; }

private:
    const double seconds_;
    std::mutex mutex_;
    double start_ = now(), last_ = start_, silence_ = 0.0;
    int asked_ = 0;
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

void expect_to_stop(const linear_system& system, solve_options options, const std::string& what)
{
    for (const double seconds : {0.05, 0.3}) {
        patience caller(seconds);
        options.interrupted = [&caller] { return caller.is_over(); };
        solver s(system, options);
        const solve_result result = s.solve(system.b);
        const double overrun = caller.overrun();
        const std::string at = what + ", stopped after " + std::to_string(seconds) + " s";
        EXPECT_EQ(result.report.status, solve_status::interrupted) << at << ": " << result.report.message;
        EXPECT_LT(overrun, most_overrun) << at;
        EXPECT_LT(caller.silence(), most_silence) << at;
        EXPECT_GE(caller.asked(), 2) << at;
        EXPECT_EQ(result.x.size(), static_cast<std::size_t>(system.cols)) << at;
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
    expect_to_stop(system_of(poisson_2d(120)), with(method::direct, 212), "direct");
}

TEST(solve_stops_test, in_factors_of_dense_matrices)
{
    expect_to_stop(full_matrix(500), with(method::direct, 424), "dense direct");
    expect_to_stop(full_matrix(2500), with(method::refine, 212), "dense refine");
}

TEST(solve_stops_test, in_incomplete_factors)
{
    solve_options options = with(method::cg, 212, preconditioner::ilut);
    options.method = method::gmres;
    options.fill = 400;
    options.estimate_condition = false;
    expect_to_stop(system_of(poisson_2d(300)), options, "ilut");
}

TEST(solve_stops_test, works_on_with_the_same_solver)
{
    const linear_system system = with_solution_ones(poisson_2d(120));
    solve_options options = with(method::refine, 212);
    const solve_result alone = solve(system, options);
    for (const int last : {1, 10, 100, 1000, 5000, 10000}) {  // wherever that is
        std::atomic<int> left = last;
        options.interrupted = [&left] { return --left == 0; };
        solver s(system, options);
        EXPECT_EQ(s.solve(system.b).report.status, solve_status::interrupted) << last;
        const solve_result after = s.solve(system.b);
        EXPECT_EQ(after.report.status, solve_status::converged) << last;
        EXPECT_EQ(after.x, alone.x) << last;
    }
}
