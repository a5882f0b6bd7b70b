#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/matrix/components.hpp>
#include <residua/solvers/matrix/rows_elsewhere.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/matrix/value_range.hpp>
#include <residua/solvers/processes/distributed_space.hpp>
#include <residua/solvers/processes/matrix_part.hpp>
#include <residua/solvers/processes/row_pieces.hpp>
#include <residua/solvers/serve.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include "tests/solvers/processes/shared_solves.hpp"

// Matrices whose rows processes have: what is known of them, and solves that leave them there.
namespace residua {
namespace {

using namespace support;

/// A matrix of n rows with some entries, of which `change` makes a special one.
template <class F>
linear_system random_system(index_t n, unsigned seed, const F& change)
{
    std::mt19937_64 random(seed);
    io::coo<double> a{n, n, {}, {}, {}};
    const auto put = [&](index_t i, index_t j, double value) {
        a.row.push_back(i);
        a.col.push_back(j);
        a.value.push_back(value);
    };
    for (index_t i = 0; i < n; ++i) {
        put(i, i, 9.0);
        for (int k = 0; k < 3; ++k) {
            const auto j = static_cast<index_t>(random() % static_cast<std::uint64_t>(n));
            change(put, i, j, static_cast<double>(random() % 64) / 32.0);
        }
    }
    return make_system(a, {});
}

const auto general = [](const auto& put, index_t i, index_t j, double value) { put(i, j, i == j ? 0.0 : value); };
const auto symmetric = [](const auto& put, index_t i, index_t j, double value) {
    put(i, j, -value);
    put(j, i, -value);
};
const auto skew = [](const auto& put, index_t i, index_t j, double value) {
    if (i != j) {
        put(i, j, value);
        put(j, i, -value);
    }
};
const auto laplacian = [](const auto& put, index_t i, index_t j, double) {
    if (i != j) {
        put(i, j, -1.0);
        put(j, i, -1.0);
        put(i, i, 1.0);
        put(j, j, 1.0);
    }
};

/// The matrix with zeros in some rows and columns, which stay stored.
linear_system with_zeros(linear_system a, index_t from, index_t to)
{
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            if ((i >= from && i < to) || (a.column[k] >= from && a.column[k] < to)) {
                a.values.own()[static_cast<std::size_t>(k)] = 0.0;
            }
        }
    }
    return a;
}

/// The matrix without its diagonal's part that keeps rows from summing to zero, but in row `grounded`.
linear_system floating(linear_system a, index_t grounded)
{
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            if (a.column[k] == i && i != grounded) {
                a.values.own()[static_cast<std::size_t>(k)] -= 9.0;
            }
        }
    }
    return a;
}

std::vector<linear_system> special_systems()
{
    std::vector<linear_system> all;
    for (const index_t n : {1, 5, 700, 2100}) {
        all.push_back(random_system(n, 1, general));
        all.push_back(random_system(n, 2, symmetric));
        all.push_back(random_system(n, 3, skew));
        all.push_back(with_zeros(random_system(n, 4, symmetric), n / 2, n / 2 + 2));
        all.push_back(with_zeros(random_system(n, 5, general), n - 1, n));
        all.push_back(random_system(n, 6, laplacian));
        all.push_back(floating(random_system(n, 6, laplacian), n - 1));
        all.push_back(floating(random_system(n, 6, laplacian), -1));
    }
    all.push_back(system_of(poisson_2d(40)));
    all.push_back(system_of(convection(40)));
    linear_system far = system_of(poisson_2d(30));
    far.values.own().back() = 0x1p500;
    all.push_back(far);
    return all;
}

bool equals_transpose(const linear_system& a)
{
    io::coo<double> entries{a.rows, a.cols, {}, {}, {}};
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            entries.row.push_back(i);
            entries.col.push_back(a.column[k]);
            entries.value.push_back(a.values[k]);
        }
    }
    return io::is_symmetric(entries);
}

void expect_same_entries(const sparse_matrix& found, const sparse_matrix& expected)
{
    EXPECT_EQ(found.rows, expected.rows);
    EXPECT_EQ(found.cols, expected.cols);
    EXPECT_TRUE(found.row_begin == expected.row_begin);
    EXPECT_TRUE(found.column == expected.column);
    EXPECT_TRUE(found.values == expected.values);
}

partition blocks(index_t n, index_t count) { return partition::even(n, 32, count); }

}  // namespace

TEST(matrix_part, tells_of_the_whole_matrix_what_one_process_finds)
{
    bool some_float = false;
    for (const linear_system& a : special_systems()) {
        const matrix_structure expected = inspect(a);
        const bool floats =
            expected.symmetric && expected.diagonally_dominant && !floating_components(a, find_components(a)).empty();
        some_float = some_float || floats;
        for (const index_t count : {1, 2, 3, 7}) {
            SCOPED_TRACE(std::to_string(a.rows) + " rows on " + std::to_string(count));
            run_processes(count, [&](thread_process& all) {
                const matrix_part part =
                    matrix_part::hand_out(all, blocks(a.rows, count), all.rank() == 0 ? &a : nullptr);
                const matrix_outline found = part.outline();
                const matrix_structure& s = found.structure;
                EXPECT_EQ(s.square, expected.square);
                EXPECT_EQ(s.symmetric, expected.symmetric);
                EXPECT_EQ(s.skew_symmetric, expected.skew_symmetric);
                EXPECT_EQ(s.nonzero_diagonal, expected.nonzero_diagonal);
                EXPECT_EQ(s.positive_diagonal, expected.positive_diagonal);
                EXPECT_EQ(s.diagonally_dominant, expected.diagonally_dominant);
                EXPECT_EQ(s.lower_bandwidth, expected.lower_bandwidth);
                EXPECT_EQ(s.upper_bandwidth, expected.upper_bandwidth);
                EXPECT_EQ(zero_words(s), zero_words(expected));
                EXPECT_TRUE(to_real(found.norm_inf) == to_real(matrix_norm_inf(a)));
                EXPECT_EQ(found.nonzeros, a.nonzeros());
                EXPECT_EQ(found.equals_transpose, equals_transpose(a));
                EXPECT_EQ(found.needs_no_scaling, needs_no_scaling(value_range(a)));
                EXPECT_EQ(found.floats, floats);
                const sparse_matrix whole = part.gathered();
                if (all.rank() == 0) {
                    expect_same_entries(whole, a);
                }
            });
        }
    }
    EXPECT_TRUE(some_float);
}

TEST(matrix_part, needs_no_scaling_where_scale_does_nothing)
{
    int needs_none = 0;
    for (const linear_system& a : special_systems()) {
        if (needs_no_scaling(value_range(a))) {
            EXPECT_FALSE(scale(a, inspect(a).symmetric).is_scaled());
            ++needs_none;
        }
    }
    EXPECT_GT(needs_none, 5);
}

TEST(solve_elsewhere, has_the_bits_and_the_figures_of_one_process)
{
    const std::vector<shared_case> cases{{method::cg, preconditioner::jacobi, 53, 70, 0},
                                         {method::cg, preconditioner::automatic, 212, 100, 0, {1, 2, 3, 4}},
                                         {method::cg, preconditioner::chebyshev, 424, 80, 12, {2, 7}},
                                         {method::cg, preconditioner::block_jacobi, 106, 80, 40},
                                         {method::minres, preconditioner::jacobi, 106, 80, 40},
                                         {method::gmres, preconditioner::block_jacobi, 159, 80, 60},
                                         {method::bicgstab, preconditioner::none, 212, 80, 40},
                                         {method::idr, preconditioner::none, 848, 50, 40},
                                         {method::tfqmr, preconditioner::jacobi, 424, 50, 10}};
    for (const shared_case& each : cases) {
        const linear_system a = system_of(traits_of(each.m).symmetric ? poisson_2d(each.side) : convection(each.side));
        solve_options options = options_of(each.m, each.p, each.bits, each.iterations);
        const solve_result expected = solve(a, options);
        for (const index_t count : each.counts) {
            SCOPED_TRACE(std::string(to_string(each.m)) + ", " + std::string(to_string(each.p)) + ", " +
                         std::to_string(each.bits) + " bits, " + std::to_string(count) + " processes");
            run_with(count, [&](processes& all) {
                options.processes = &all;
                const linear_system shared = share_rows(all, a);
                EXPECT_TRUE(shared.values.empty());
                const solve_result found = solve(shared, options);
                expect_equal(found, expected);
                EXPECT_EQ(found.report.processes, count);
                EXPECT_LE(found.report.predicted_bytes,
                          1.01 / static_cast<double>(count) * expected.report.predicted_bytes);
                EXPECT_TRUE(found.report.componentwise_backward_error == expected.report.componentwise_backward_error);
                return code;
            });
        }
    }
}

TEST(solve_elsewhere, takes_any_right_hand_side_and_guess)
{
    const linear_system a = system_of(poisson_2d(50));
    const auto n = static_cast<std::size_t>(a.rows);
    std::vector<real> longer, far(n, real(1.0)), guess;
    for (std::size_t i = 0; i < n; ++i) {
        longer.push_back(real(static_cast<double>(i % 17), 400) / real(7.0, 400));
        guess.push_back(real(static_cast<double>(i % 5), 300) / real(9.0, 300));
    }
    far.back() = ldexp(real(1.0), 1L << 21);  // multi-digit floats do not hold it
    for (const std::vector<real>* const b : {&longer, &far}) {
        for (const bool is_guessed : {false, true}) {
            linear_system system = a;
            system.b = *b;
            solve_options options = options_of(method::cg, preconditioner::jacobi, 106, 60);
            options.initial_guess = is_guessed ? guess : std::vector<real>();
            const solve_result expected = solve(system, options);
            for (const index_t count : {2, 4}) {
                SCOPED_TRACE(std::to_string(count) + (is_guessed ? " processes and a guess" : " processes"));
                run_with(count, [&](processes& all) {
                    options.processes = &all;
                    const solve_result found = solve(share_rows(all, system), options);
                    expect_equal(found, expected);
                    EXPECT_TRUE(found.report.componentwise_backward_error ==
                                expected.report.componentwise_backward_error);
                    return code;
                });
            }
        }
    }
}

TEST(solve_elsewhere, serves_processes_without_rows)
{
    for (const index_t side : {1, 5, 7}) {
        const linear_system a = with_solution_ones(poisson_2d(side));
        solve_options options = options_of(method::cg, preconditioner::jacobi, 212);
        const solve_result expected = solve(a, options);
        run_with(7, [&](processes& all) {
            options.processes = &all;
            expect_equal(solve(share_rows(all, a), options), expected);
            return code;
        });
    }
}

TEST(solve_elsewhere, goes_on_after_a_solve_that_a_function_of_the_caller_ended)
{
    const linear_system a = with_solution_ones(poisson_2d(60));
    solve_options options = options_of(method::cg, preconditioner::jacobi, 212, 200);
    const solve_result expected = solve(a, options);
    run_with(3, [&](processes& all) {
        bool throws = true, stops = false;
        index_t lines = 0;
        options.processes = &all;
        options.on_history = [&](const history_entry&) {
            if (throws && ++lines == 4) {
                throw std::runtime_error("no more");
            }
        };
        options.interrupted = [&] { return stops && ++lines > 20; };
        solver by(share_rows(all, a), options);
        EXPECT_THROW((void)by.solve(a.b), std::runtime_error);
        throws = false;
        stops = true;
        const solve_result stopped = by.solve(a.b);
        EXPECT_EQ(stopped.report.status, solve_status::interrupted);
        EXPECT_EQ(stopped.x.size(), a.b.size());
        stops = false;
        for (const solve_result& found : by.solve(std::vector<std::vector<real>>{a.b, a.b})) {
            EXPECT_EQ(found.report.iterations, expected.report.iterations);
            EXPECT_TRUE(found.x == expected.x);
        }
        return code;
    });
}

TEST(solve_elsewhere, takes_the_whole_where_one_process_needs_it)
{
    const linear_system a = with_solution_ones(poisson_2d(50));
    linear_system far = a;
    far.values.own().back() = 0x1p80;
    solve_options digits;
    digits.method = method::cg;
    digits.preconditioner = preconditioner::jacobi;
    digits.digits = 30;
    const solve_options none = options_of(method::cg, preconditioner::jacobi, 106, 30);
    linear_system laplacian_of_path = floating(random_system(600, 6, laplacian), -1);
    laplacian_of_path.b = std::vector<real>(600, real(0.0));
    laplacian_of_path.b.front() = real(1.0);
    laplacian_of_path.b.back() = real(-1.0);
    for (const auto& [system, options] :
         {std::pair(a, digits), std::pair(far, none), std::pair(laplacian_of_path, none)}) {
        const solve_result expected = solve(system, options);
        run_with(3, [&, system = system, options = options](processes& all) {
            solve_options with = options;
            with.processes = &all;
            solver by(share_rows(all, system), with);
            const solve_result found = by.solve(system.b);
            expect_equal(found, expected);
            EXPECT_EQ(by.system().elsewhere, nullptr);
            expect_same_entries(by.system(), system);
            return code;
        });
    }
}

TEST(solve_elsewhere, gives_a_failure_of_the_preconditioner_in_the_words_of_one_process)
{
    linear_system a = system_of(convection(60));
    for (const index_t row : {3000, 3500}) {
        for (index_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k) {
            if (a.column[k] == row) {
                a.values.own()[static_cast<std::size_t>(k)] = 0.0;
            }
        }
    }
    solve_options options = options_of(method::gmres, preconditioner::jacobi, 106, 30);
    const solve_result expected = solve(a, options);
    EXPECT_NE(expected.report.message.find("row 3001"), std::string::npos) << expected.report.message;
    run_with(3, [&](processes& all) {
        options.processes = &all;
        const solve_result found = solve(share_rows(all, a), options);
        EXPECT_EQ(found.report.message, expected.report.message);
        EXPECT_EQ(found.report.status, expected.report.status);
        return code;
    });
}

TEST(share_rows, refuses_what_parts_do_not_hold)
{
    io::coo<real> a{1, 1, {0}, {0}, {real("0.1", 300)}};
    run_with(2, [&](processes& all) {
        EXPECT_THROW(share_rows(all, make_system(a, {real(1.0)})), unsupported_error);
        return code;
    });
}

}  // namespace residua
