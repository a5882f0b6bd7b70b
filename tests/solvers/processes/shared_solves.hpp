#pragma once

#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/options/names.hpp>
#include <residua/solvers/serve.hpp>
#include <residua/solvers/solve.hpp>

#include "tests/support/systems.hpp"
#include "tests/support/thread_processes.hpp"

/// solve() on threads as processes, and how its results are compared.
namespace residua::support {

inline constexpr int code = 7;  ///< what process 0 returns, and then all of them

/// lead() on process 0 of so many.
inline void run_with(index_t count, const std::function<int(processes&)>& lead,
                     const std::function<bool(index_t rank)>& interrupted = {})
{
    run_processes(count, [&](thread_process& all) {
        EXPECT_EQ(lead_or_serve(
                      all, [&] { return lead(all); }, [&] { return interrupted && interrupted(all.rank()); }),
                  code);
    });
}

inline solve_result solve_on(index_t count, const linear_system& a, solve_options options)
{
    solve_result result;
    run_with(count, [&](processes& all) {
        options.processes = &all;
        result = solve(a, options);
        return code;
    });
    return result;
}

inline void expect_equal(const solve_result& found, const solve_result& expected)
{
    const solve_report& f = found.report;
    const solve_report& e = expected.report;
    EXPECT_EQ(f.status, e.status);
    EXPECT_EQ(f.iterations, e.iterations);
    EXPECT_EQ(f.matvecs, e.matvecs);
    EXPECT_EQ(f.corrections, e.corrections);
    EXPECT_EQ(f.digits, e.digits);
    EXPECT_EQ(f.precision_bits, e.precision_bits);
    EXPECT_EQ(f.message, e.message);
    const auto text = [](const real& x) { return to_string(x, 40); };
    EXPECT_EQ(text(f.relative_residual), text(e.relative_residual));
    EXPECT_EQ(text(f.recursive_residual), text(e.recursive_residual));
    EXPECT_EQ(text(f.backward_error), text(e.backward_error));
    ASSERT_EQ(f.history.size(), e.history.size());
    for (std::size_t k = 0; k < f.history.size(); ++k) {
        ASSERT_TRUE(f.history[k].recursive == e.history[k].recursive) << k;
    }
    ASSERT_EQ(found.x.size(), expected.x.size());
    for (std::size_t i = 0; i < found.x.size(); ++i) {
        ASSERT_TRUE(found.x[i] == expected.x[i]) << i;
    }
}

/// -u'' + w u' on a square: five numbers in a row.
inline io::coo<double> convection(index_t m)
{
    io::coo<double> a = poisson_2d(m);
    for (std::size_t k = 0; k < a.value.size(); ++k) {
        a.value[k] += a.col[k] == a.row[k] + 1 ? 0.25 : a.col[k] + 1 == a.row[k] ? -0.25 : 0.0;
    }
    return a;
}

inline solve_options options_of(method m, preconditioner p, long bits, index_t iterations = 0)
{
    solve_options options;
    options.method = m;
    options.preconditioner = p;
    options.precision_bits = bits;
    options.max_iterations = iterations;
    options.estimate_condition = false;
    return options;
}

struct shared_case {
    method m;
    preconditioner p;
    long bits;
    index_t side, iterations;
    std::vector<index_t> counts{3};
};

inline solve_options options_of(const shared_case& of) { return options_of(of.m, of.p, of.bits, of.iterations); }

inline std::string name_of(const shared_case& of)
{
    return std::string(to_string(of.m)) + ", " + std::string(to_string(of.p)) + ", " + std::to_string(of.bits) +
           " bits";
}

/// The results on as many processes as the case says have the bits and the figures of one. more(count, expected) is
/// called for each number of them.
inline void expect_bits_of_one(const shared_case& of, const linear_system& a,
                               const std::function<void(index_t, const solve_result&)>& more = {})
{
    SCOPED_TRACE(name_of(of));
    const solve_result expected = solve(a, options_of(of));
    EXPECT_GT(expected.report.iterations, 5);
    for (const index_t count : of.counts) {
        SCOPED_TRACE(std::to_string(count) + " processes");
        const solve_result found = solve_on(count, a, options_of(of));
        expect_equal(found, expected);
        EXPECT_EQ(found.report.processes, count);
        if (more) {
            more(count, expected);
        }
    }
}

inline std::string unique_path()
{
    return testing::TempDir() + "shared_solve." + std::to_string(std::random_device{}());
}

/// A solve that is ended every few iterations, and goes on from its checkpoint on another number of processes, has the x
/// of one that is not.
///
/// where  the executors, which take turns; the last one solves without an end
inline void expect_to_go_on(const shared_case& of, const linear_system& a,
                            const std::vector<executor>& where = {executor::automatic})
{
    struct killed {};
    SCOPED_TRACE(name_of(of));
    solve_options options = options_of(of);
    options.executor = where.back();
    const solve_result expected = solve(a, options);
    options.checkpoint = unique_path();
    options.checkpoint_seconds = 0.0;
    solve_result found;
    std::size_t kills = 0;
    const std::vector<index_t> counts{3, 1, 2, 4};
    for (std::size_t most = 7; found.x.empty() && kills < 200; most += 7) {
        std::size_t lines = 0;
        options.on_history = [&](const history_entry&) {
            if (++lines > most) {
                throw killed{};
            }
        };
        options.executor = where[kills % where.size()];
        run_with(counts[kills % counts.size()], [&](processes& all) {
            options.processes = &all;
            try {
                found = solve(a, options);
            } catch (const killed&) {
                ++kills;
                options.resume = true;
            }
            return code;
        });
    }
    std::filesystem::remove(options.checkpoint);
    EXPECT_GE(kills, 2U);
    EXPECT_TRUE(found.x == expected.x);
    EXPECT_EQ(found.report.iterations, expected.report.iterations);
}

}  // namespace residua::support
