// Solves that are killed and go on: the same bits as without that, whatever the method, the format and the number of threads.
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/base/random.hpp>
#include <residua/io/team.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

#include "tests/support/nonsymmetric.hpp"
#include "tests/support/stopping.hpp"
#include "tests/support/symmetric_matrices.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// What ends a solve like a kill: nothing is done after it.
struct killed {};

class resumed_solve : public testing::Test {
protected:
    /// In memory where that is a file system, since each save waits for its disk.
    const std::string path_ = (std::filesystem::is_directory("/dev/shm") ? "/dev/shm/" : testing::TempDir()) +
                              "resume_test." + std::to_string(std::random_device{}());

    ~resumed_solve() override { std::filesystem::remove(path_); }

    /// Kills the solve whenever its history has `step` more lines, and goes on with it.
    std::vector<solve_result> in_pieces(const linear_system& a, const std::vector<std::vector<real>>& b,
                                        solve_options options, std::size_t step)
    {
        std::filesystem::remove(path_);
        options.checkpoint = path_;
        options.checkpoint_seconds = 0.0;
        kills_ = 0;
        for (std::size_t most = step;; most += step) {
            std::size_t lines = 0;
            options.on_history = [&](const history_entry&) {
                if (++lines > most) {
                    throw killed{};
                }
            };
            options.threads = 1 + kills_ % 3;
            try {
                return solver(a, options).solve(b);
            } catch (const killed&) {
                ++kills_;
                options.resume = true;
            }
            if (kills_ > 3000) {
                ADD_FAILURE() << "no progress";
                return {};
            }
        }
    }

    void expect_the_same(const linear_system& a, const std::vector<std::vector<real>>& b, const solve_options& options,
                         std::size_t step, int least_kills)
    {
        const std::vector<solve_result> expected = solver(a, options).solve(b);
        const std::vector<solve_result> found = in_pieces(a, b, options, step);
        ASSERT_EQ(found.size(), expected.size());
        EXPECT_GE(kills_, least_kills);
        for (std::size_t j = 0; j < expected.size(); ++j) {
            const solve_report& x = expected[j].report;
            const solve_report& y = found[j].report;
            EXPECT_EQ(x.status, y.status);
            EXPECT_EQ(x.iterations, y.iterations);
            EXPECT_EQ(x.matvecs, y.matvecs);
            EXPECT_EQ(x.corrections, y.corrections);
            EXPECT_EQ(x.precision_bits, y.precision_bits);
            EXPECT_EQ(x.message, y.message);
            EXPECT_TRUE(x.relative_residual == y.relative_residual);
            EXPECT_EQ(x.precision_changes.size(), y.precision_changes.size());
            ASSERT_EQ(x.history.size(), y.history.size());
            for (std::size_t k = 0; k < x.history.size(); ++k) {
                EXPECT_EQ(x.history[k].iteration, y.history[k].iteration);
                const real &before = x.history[k].recursive, &after = y.history[k].recursive;
                EXPECT_TRUE(before == after || (is_nan(before) && is_nan(after)));
            }
            ASSERT_EQ(expected[j].x.size(), found[j].x.size());
            for (std::size_t i = 0; i < expected[j].x.size(); ++i) {
                ASSERT_TRUE(expected[j].x[i] == found[j].x[i]) << i;
            }
        }
    }

    int kills_ = 0;
};

std::vector<std::vector<real>> random_columns(index_t n, std::size_t count, std::uint64_t seed)
{
    splitmix64 random{seed};
    std::vector<std::vector<real>> columns(count);
    for (auto& b : columns) {
        for (index_t i = 0; i < n; ++i) {
            b.push_back(real(uniform(random)));
        }
    }
    return columns;
}

struct krylov_case {
    method by;
    preconditioner with;
    number_format in;
    long bits;
};

TEST_F(resumed_solve, by_krylov_methods_has_the_bits_of_one_that_was_not_killed)
{
    const linear_system definite = system_of(poisson_2d(12));
    const linear_system general = system_of(full_matrix(40));
    const std::vector<krylov_case> cases{
        {method::cg, preconditioner::none, number_format::automatic, 53},
        {method::cg, preconditioner::none, number_format::automatic, 212},
        {method::cg, preconditioner::jacobi, number_format::automatic, 848},  // whose bits fall
        {method::cg, preconditioner::ic0, number_format::rns, 200},
        {method::minres, preconditioner::jacobi, number_format::automatic, 106},
        {method::minres, preconditioner::none, number_format::multidigit, 300},
        {method::bicg, preconditioner::jacobi, number_format::automatic, 106},
        {method::bicgstab, preconditioner::none, number_format::automatic, 212},
        {method::bicgstabl, preconditioner::jacobi, number_format::automatic, 106},
        {method::idr, preconditioner::none, number_format::automatic, 106},
        {method::idr, preconditioner::jacobi, number_format::rns, 150},
        {method::tfqmr, preconditioner::jacobi, number_format::automatic, 106},
        {method::gmres, preconditioner::none, number_format::automatic, 106},
        {method::gmres, preconditioner::jacobi, number_format::multidigit, 256},
        {method::lsqr, preconditioner::none, number_format::automatic, 106},
    };
    for (const krylov_case& each : cases) {
        SCOPED_TRACE(std::string(to_string(each.by)) + " " + std::to_string(each.bits));
        const method_traits& traits = traits_of(each.by);
        const linear_system& a = traits.symmetric ? definite : general;
        solve_options options;
        options.method = each.by;
        options.preconditioner = each.by == method::lsqr ? preconditioner::automatic : each.with;
        options.format = each.in;
        options.precision_bits = each.bits;
        options.restart = 15;
        options.estimate_condition = false;
        expect_the_same(a, random_columns(a.rows, 2, 7), options, 5, 6);
    }
}

TEST_F(resumed_solve, by_refinement_of_several_columns_has_the_bits_of_one_that_was_not_killed)
{
    for (const method by : {method::refine, method::gmres_ir, method::direct}) {
        for (const long bits : {106L, 424L}) {
            SCOPED_TRACE(std::string(to_string(by)) + " " + std::to_string(bits));
            const linear_system a = system_of(full_matrix(40));
            solve_options options;
            options.method = by;
            options.precision_bits = bits;
            expect_the_same(a, random_columns(a.rows, 5, 9), options, 3, by == method::direct ? 1 : 4);
        }
    }
}

TEST_F(resumed_solve, with_digits_and_estimates_has_the_bits_of_one_that_was_not_killed)
{
    solve_options options;
    options.digits = 40;
    expect_the_same(system_of(scaled_hilbert(14)), random_columns(14, 3, 11), options, 2, 3);
    options.method = method::cg;
    expect_the_same(system_of(poisson_2d(9)), random_columns(81, 2, 13), options, 7, 5);
}

TEST_F(resumed_solve, of_another_system_or_with_other_options_is_refused)
{
    const linear_system a = system_of(poisson_2d(5));
    solve_options options;
    options.digits = 30;
    options.checkpoint = path_;
    (void)solve(a, options);
    options.resume = true;
    EXPECT_NO_THROW(solve(a, options));
    options.threads = 3;
    options.time_limit_seconds = 100.0;
    EXPECT_NO_THROW(solve(a, options));
    linear_system other_b = a;
    other_b.b[3] = real(7.0);
    EXPECT_THROW(solve(other_b, options), input_error);
    linear_system other_a = a;
    other_a.values.own()[3] *= 2.0;
    EXPECT_THROW(solve(other_a, options), input_error);
    options.digits = 31;
    EXPECT_THROW(solve(a, options), input_error);
}

TEST_F(resumed_solve, behind_a_stop_at_any_question_has_the_bits_of_one_that_was_not_stopped)
{
    const asked_each_time each;
    const linear_system a = system_of(poisson_2d(7));
    const std::vector<std::vector<real>> b = random_columns(a.rows, 3, 5);
    for (const method m : {method::cg, method::gmres, method::refine, method::direct}) {
        solve_options options;
        options.method = m;
        options.precision_bits = 212;
        options.threads = 1;
        const std::vector<solve_result> expected = solver(a, options).solve(b);
        options.checkpoint = path_;
        options.checkpoint_seconds = 0.0;
        int resumed = 0;
        int asked = 0;
        int last = 0;
        do {
            std::filesystem::remove(path_);
            last += m == method::refine ? 1 : 17;
            asked = 0;
            options.resume = false;
            options.interrupted = [&] { return ++asked == last; };
            solver(a, options).solve(b);
            if (std::filesystem::exists(path_)) {  // else there was no state yet
                ++resumed;
                options.resume = true;
                options.interrupted = {};
                const std::vector<solve_result> found = solver(a, options).solve(b);
                for (std::size_t j = 0; j < b.size(); ++j) {
                    ASSERT_EQ(found[j].report.status, expected[j].report.status) << last << ", column " << j;
                    ASSERT_EQ(found[j].report.iterations, expected[j].report.iterations) << last << ", column " << j;
                    ASSERT_EQ(found[j].x, expected[j].x) << last << ", column " << j;
                }
            }
        } while (asked >= last);
        EXPECT_GT(resumed, 10) << to_string(m);
    }
}

TEST_F(resumed_solve, of_a_solver_takes_its_factors_from_the_checkpoint)
{
    const linear_system a = system_of(poisson_2d(40));
    solve_options options;
    options.method = method::direct;
    options.precision_bits = 212;
    options.checkpoint = path_;
    const std::vector<std::vector<real>> b = random_columns(a.rows, 2, 17);
    solver first(a, options);
    const std::vector<real> x = first.solve(b[0]).x;
    EXPECT_THROW(first.update_values(a.values), unsupported_error);
    first = solver(a, {});
    const auto size = std::filesystem::file_size(path_);
    options.resume = true;
    solver second(a, options);
    EXPECT_EQ(second.solve(b[0]).x, x);
    options.checkpoint.clear();
    EXPECT_EQ(second.solve(b[1]).x, solver(a, options).solve(b[1]).x);
    EXPECT_LT(std::filesystem::file_size(path_), size + size / 10);  // no factors were made
}

template <class S>
void expect_the_same_fronts(const S& space, const sparse_matrix& a, factor_kind kind, const std::string& path)
{
    sparse_analyses analyses;
    const auto analysis = analyses.of(a, kind);
    const multifrontal<S> expected(space, analysis, a);
    ASSERT_EQ(expected.failure(), "");
    std::filesystem::remove(path);
    int pieces = 0;
    while (true) {
        checkpoint states(path, pieces == 0 ? checkpoint::beginning::anew : checkpoint::beginning::resumed, {}, 0.0);
        const io::thread_limit threads(1 + pieces % 4);
        elimination_options options;
        options.keeper = &states;
        std::optional<multifrontal<S>> found;
        long left = 40 + pieces * pieces;
        const bool stopped = is_stopped([&] { return left-- == 0; },
                                        [&] { found.emplace(space, analysis, a, std::vector<real>{}, options); });
        ++pieces;
        ASSERT_LT(pieces, 2000) << "no progress";
        if (stopped) {
            continue;
        }
        EXPECT_EQ(found->delayed(), expected.delayed());
        using solve_space = typename multifrontal<S>::solve_space;
        typename solve_space::vector x = [&] {
            const std::vector<double> ones(static_cast<std::size_t>(a.rows), 1.0);
            if constexpr (std::same_as<solve_space, S>) {
                return space.make_vector(ones);
            } else {
                return solve_space{}.make_vector(ones);
            }
        }();
        auto y = x;
        expected.solve(x);
        found->solve(y);
        for (index_t i = 0; i < a.rows; ++i) {
            ASSERT_TRUE(x.get(i) == y.get(i)) << i;
        }
        break;
    }
    EXPECT_GT(pieces, 3);
}

TEST_F(resumed_solve, by_fronts_has_the_bits_of_one_that_was_not_killed)
{
    const sparse_matrix definite = rows_of(poisson_2d(40));
    const sparse_matrix indefinite = zero_diagonal(700, 3);
    expect_the_same_fronts(host_space<double>{}, definite, factor_kind::cholesky, path_);
    expect_the_same_fronts(host_space<expansion<double, 4>>{}, definite, factor_kind::cholesky, path_);
    expect_the_same_fronts(host_space<float>{}, definite, factor_kind::lu, path_);
    expect_the_same_fronts(host_space<expansion<double, 2>>{}, indefinite, factor_kind::ldl, path_);
    expect_the_same_fronts(multidigit_space<host_executor>{{}, multidigit_format(256)}, indefinite, factor_kind::lu,
                           path_);
}

}  // namespace
