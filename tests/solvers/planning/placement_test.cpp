// Which parts of an iteration a GPU leaves to the host, by predicted seconds.
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <residua/solvers/base/tuning_table.hpp>
#include <residua/solvers/planning/placement.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/precond/triangle_path.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr arithmetic native{number_format::native, 53};
constexpr arithmetic four_terms{number_format::expansion, 212};

/// CG with IC(0) of Poisson's equation on m x m unknowns, whose row levels are diagonals of the grid.
iteration_work poisson_by_ic0(index_t m, const arithmetic& in, int threads)
{
    const auto rows = static_cast<double>(m);
    const double levels = 2.0 * (2.0 * rows - 1.0);
    return {.in = in,
            .unknowns = m * m,
            .entries = 5.0 * rows * rows - 4.0 * rows,
            .vector_operations = 6.0,
            .triangles = triangle_path{6.0 * rows * rows - 4.0 * rows, levels, 3.0 * levels - 6.0},
            .solves_in = in,
            .iterations = 2.0 * rows * rows,
            .threads = threads};
}

/// The same of a tridiagonal matrix: every row is a level.
iteration_work chain_by_ic0(index_t n, const arithmetic& in, int threads)
{
    const auto rows = static_cast<double>(n);
    return {.in = in,
            .unknowns = n,
            .entries = 3.0 * rows - 2.0,
            .vector_operations = 6.0,
            .triangles = triangle_path{4.0 * rows - 2.0, 2.0 * rows, 4.0 * rows - 2.0},
            .solves_in = in,
            .iterations = 2.0 * rows,
            .threads = threads};
}

/// CG without a preconditioner.
iteration_work poisson(index_t m, const arithmetic& in, double iterations, int threads)
{
    iteration_work work = poisson_by_ic0(m, in, threads);
    work.triangles.reset();
    work.iterations = iterations;
    return work;
}

void expect_path(const triangle_path& path, double entries, double levels, double steps)
{
    EXPECT_EQ(path.entries, entries);
    EXPECT_EQ(path.levels, levels);
    EXPECT_EQ(path.steps, steps);
}

}  // namespace

TEST(triangle_path_test, of_a_chain_goes_through_every_row)
{
    expect_path(path_of(factorize_ic0(rows_of(poisson_1d(100)))), 398.0, 200.0, 398.0);
}

TEST(triangle_path_test, of_a_grid_goes_along_its_diagonals)
{
    const triangle_path path = path_of(factorize_ilu0(rows_of(poisson_2d(20))));

    expect_path(path, 6.0 * 400.0 - 4.0 * 20.0, 2.0 * 39.0, 3.0 * 78.0 - 6.0);
}

TEST(triangle_path_test, of_a_full_triangle_has_a_level_for_each_row_and_a_step_for_each_entry)
{
    sparse_matrix lower;
    lower.rows = lower.cols = 6;
    lower.row_begin.push_back(0);
    for (index_t i = 0; i < lower.rows; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            lower.column.push_back(static_cast<std::int32_t>(j));
            lower.values.push_back(1.0);
        }
        lower.row_begin.push_back(static_cast<index_t>(lower.column.size()));
    }

    expect_path(path_of(blas::uplo::lower, lower), 21.0, 6.0, 21.0);
}

TEST(triangle_path_test, of_a_diagonal_is_one_level)
{
    sparse_matrix diagonal;
    diagonal.rows = diagonal.cols = 4;
    diagonal.row_begin = {0, 1, 2, 3, 4};
    diagonal.column = {0, 1, 2, 3};
    diagonal.values = {1.0, 1.0, 1.0, 1.0};

    expect_path(path_of(blas::uplo::upper, diagonal), 4.0, 1.0, 1.0);
    expect_path(path_of(blas::uplo::upper, sparse_matrix{.row_begin = {0}}), 0.0, 0.0, 0.0);
}

TEST(placement_test, the_host_takes_a_chain_altogether)
{
    for (const int threads : {1, 2, 16}) {
        const iteration_choice choice = place_iteration(chain_by_ic0(20000, native, threads));

        EXPECT_EQ(choice.place, iteration_place::host) << threads;
        EXPECT_NE(choice.reason.find("the method"), std::string::npos) << choice.reason;
    }
}

TEST(placement_test, the_host_solves_with_a_chains_triangles_where_the_method_stays_on_the_gpu)
{
    iteration_work work = chain_by_ic0(20000, native, 2);
    work.iterations = 0.0;

    const iteration_choice choice = place_iteration(work);

    EXPECT_EQ(choice.place, iteration_place::triangles_on_host);
    EXPECT_NE(choice.reason.find("40000 row levels"), std::string::npos) << choice.reason;
}

TEST(placement_test, the_gpu_keeps_triangles_with_wide_levels)
{
    // a thread of the host takes 0.3 s for 6 million entries of 212 bits, the levels some 20 ms
    for (const int threads : {1, 2, 16}) {
        const iteration_choice choice = place_iteration(poisson_by_ic0(1024, four_terms, threads));

        EXPECT_EQ(choice.place, iteration_place::gpu) << threads;
        EXPECT_EQ(choice.reason, "");
    }
}

TEST(placement_test, dense_triangles_that_are_too_small_for_blocks_are_the_hosts)
{
    constexpr double n = 1000.0;
    const iteration_choice choice = place_iteration({.in = four_terms,
                                                     .unknowns = 1000,
                                                     .entries = n * n,
                                                     .vector_operations = 3.0,
                                                     .triangles = triangle_path{n * n + n, 2.0 * n, n * n + n},
                                                     .solves_in = native});

    EXPECT_EQ(choice.place, iteration_place::triangles_on_host) << choice.reason;
}

TEST(placement_test, a_method_whose_iterations_lose_little_stays_on_the_gpu)
{
    EXPECT_EQ(place_iteration(poisson(60, native, 7200.0, 2)).place, iteration_place::host);
    EXPECT_EQ(place_iteration(poisson(60, native, 150.0, 2)).place, iteration_place::gpu);
    EXPECT_EQ(place_iteration(poisson(60, native, 0.0, 2)).place, iteration_place::gpu);
    for (const int threads : {1, 2, 16}) {
        const iteration_choice choice = place_iteration(poisson_by_ic0(20, {number_format::expansion, 106}, threads));

        EXPECT_EQ(choice.place, iteration_place::triangles_on_host) << threads;
    }
}

TEST(placement_test, large_systems_without_triangles_stay_on_the_gpu)
{
    for (const int threads : {1, 16, 1000}) {
        for (const arithmetic& in : {native, four_terms}) {
            iteration_work work = poisson(1000, in, 2e6, threads);
            EXPECT_EQ(place_iteration(work).place, iteration_place::gpu) << in.bits << " bits";

            work = poisson(10, in, 2e6, threads);
            work.unknowns = tuning::row_of(tuning::devices, in.bits).least_unknowns;
            EXPECT_EQ(place_iteration(work).place, iteration_place::gpu) << in.bits << " bits";
            work.unknowns -= 1;
            work.iterations = 1e9;
            EXPECT_EQ(place_iteration(work).place == iteration_place::host,
                      threads > 16 || (threads > 1 && in.bits == native.bits))
                << in.bits << " bits, " << threads << " threads";
        }
    }
}

TEST(placement_test, more_bits_bring_triangles_to_the_gpu)
{
    // a level costs the same at any length, an entry does not
    iteration_work work = poisson_by_ic0(256, native, 2);
    work.iterations = 0.0;
    EXPECT_EQ(place_iteration(work).place, iteration_place::triangles_on_host);
    work.solves_in = four_terms;
    EXPECT_EQ(place_iteration(work).place, iteration_place::gpu);
}
