// Preconditioners that PETSc makes. Where this build has no plug-in for it, the tests that need it are skipped.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/gallery/gallery.hpp>
#include <residua/solvers/options/option_text.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

class petsc_test : public testing::Test {
protected:
    void SetUp() override
    {
        if (std::getenv("RESIDUA_PETSC") == nullptr) {
            GTEST_SKIP() << "this build has no plug-in for PETSc";
        }
    }
};

solve_options with(const std::string& precond, method by = method::automatic)
{
    solve_options options;
    options.method = by;
    options.digits = 30;
    set_option(options, "precond", precond);
    return options;
}

/// Poisson's equation on a cube of m^3 points.
linear_system poisson_3d(index_t m)
{
    io::coo<double> a;
    a.rows = a.cols = m * m * m;
    const auto entry = [&](bool there, index_t i, index_t j, double value) {
        if (there) {
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(value);
        }
    };
    for (index_t i = 0; i < a.rows; ++i) {
        const index_t x = i % m, y = i / m % m, z = i / m / m;
        entry(z > 0, i, i - m * m, -1.0);
        entry(y > 0, i, i - m, -1.0);
        entry(x > 0, i, i - 1, -1.0);
        entry(true, i, i, 6.0);
        entry(x < m - 1, i, i + 1, -1.0);
        entry(y < m - 1, i, i + m, -1.0);
        entry(z < m - 1, i, i + m * m, -1.0);
    }
    linear_system system = system_of(a);
    std::fill(system.b.begin(), system.b.end(), real(1.0));
    return system;
}

/// -u'' + u' on a square: not symmetric, with x = (1, ..., 1).
linear_system convection()
{
    io::coo<double> a = poisson_2d(15);
    for (std::size_t k = 0; k < a.value.size(); ++k) {
        a.value[k] += a.row[k] + 1 == a.col[k] ? 0.25 : a.row[k] == a.col[k] + 1 ? -0.25 : 0.0;
    }
    return with_solution_ones(a);
}

/// Elasticity with its rigid body motions: three displacements, then three small rotations.
struct elastic {
    linear_system system;
    std::vector<double> coordinates;
    std::vector<std::vector<double>> motions = std::vector<std::vector<double>>(6);

    /// D A D and D b with D = diag(2^exponent_of(i))
    explicit elastic(
        index_t elements, int (*exponent_of)(index_t i) = [](index_t) { return 0; })
    {
        const gallery_matrix a = make_gallery(gallery_kind_of("elasticity3d"), {.n = elements});
        io::coo<real> entries = all_entries(a);
        for (std::size_t k = 0; k < entries.value.size(); ++k) {
            entries.value[k] = ldexp(entries.value[k], exponent_of(entries.row[k]) + exponent_of(entries.col[k]));
        }
        std::vector<real> b;
        for (index_t i = 0; i < a.order; ++i) {
            b.push_back(ldexp(real(1.0), exponent_of(i)));
        }
        system = make_system(entries, std::move(b));
        for (index_t node = 0; node < a.nodes; ++node) {
            const auto place = a.coordinates(node);
            const auto x = static_cast<double>(place[0]), y = static_cast<double>(place[1]),
                       z = static_cast<double>(place[2]);
            coordinates.insert(coordinates.end(), {x, y, z});
            const double each[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-y, x, 0}, {0, -z, y}, {z, 0, -x}};
            for (std::size_t j = 0; j < 6; ++j) {
                motions[j].insert(motions[j].end(), each[j], each[j] + 3);
            }
        }
    }

    /// Iterations of CG to a residual of 1e-20.
    index_t iterations(const node_facts& nodes, const std::string& precond = "petsc:-pc_type gamg") const
    {
        solve_options options = with(precond, method::cg);
        options.digits = 0;
        options.precision_bits = 106;
        options.rtol = real("1e-20", 64);
        options.nodes = nodes;
        const solve_result result = solve(system, options);
        EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
        return result.report.iterations;
    }
};

std::string refusal(const linear_system& a, const node_facts& nodes, const std::string& precond = "amg")
{
    solve_options options = precond == "auto" ? solve_options{} : with(precond);
    options.nodes = nodes;
    try {
        (void)solve(a, options);
    } catch (const error& e) {
        return e.what();
    }
    return "not refused";
}

std::string refusal(const std::string& precond)
{
    try {
        (void)solve(with_solution_ones(poisson_2d(8)), with(precond));
    } catch (const option_error& e) {
        return e.what();
    }
    return "not refused";
}

}  // namespace

TEST_F(petsc_test, multigrid_takes_few_iterations_to_thirty_digits)
{
    const linear_system a = poisson_3d(20);
    const solve_result result = solve(a, with("amg"));
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_EQ(result.report.method, method::cg);
    EXPECT_EQ(result.report.preconditioner, preconditioner::amg);
    EXPECT_GE(result.report.digits, 30);
    EXPECT_LE(result.report.iterations, 24);
    const solve_result plain = solve(a, with("none", method::cg));
    EXPECT_GT(agreeing_digits(result.x, plain.x), 30.0);
    EXPECT_GT(plain.report.iterations, 3 * result.report.iterations);
}

TEST_F(petsc_test, its_options_are_petscs)
{
    const linear_system symmetric = with_solution_ones(poisson_2d(15)), other = convection();
    for (const std::string name :
         {"petsc:-pc_type icc", "petsc:-pc_type sor", "petsc:-pc_type gamg -mg_levels_ksp_max_it 4", "petsc:", "petsc",
          "petsc:-pc_type cholesky", "petsc:-pc_type ksp -ksp_ksp_rtol 1e-3"}) {
        const solve_result result = solve(symmetric, with(name));
        EXPECT_GE(result.report.digits, 30) << name << " " << result.report.message;
        EXPECT_GT(agreeing_digits(result.x, ones(symmetric.cols)), 30.0) << name;
    }
    for (const method by :
         {method::automatic, method::gmres, method::idr, method::bicgstab, method::bicgstabl, method::tfqmr}) {
        for (const std::string name : {"amg", "petsc:-pc_type ilu -pc_factor_levels 1"}) {
            const solve_result result = solve(other, with(name, by));
            EXPECT_GE(result.report.digits, 30) << name << " " << to_string(by) << " " << result.report.message;
            EXPECT_GT(agreeing_digits(result.x, ones(other.cols)), 30.0) << name;
        }
    }
    EXPECT_GE(solve(symmetric, with("amg", method::minres)).report.digits, 30);
}

TEST_F(petsc_test, nodes_and_rigid_body_motions_save_iterations_of_elasticity)
{
    const elastic body(8);
    const index_t alone = body.iterations({}), in_blocks = body.iterations({.block_size = 3}),
                  placed = body.iterations({.block_size = 3, .near_null_space = {}, .coordinates = body.coordinates}),
                  moved = body.iterations({.block_size = 3, .near_null_space = body.motions, .coordinates = {}});
    EXPECT_LT(in_blocks, alone);
    EXPECT_LT(placed, in_blocks);
    EXPECT_LE(std::abs(placed - moved), 1);  // the same space
    const index_t by_hypre = body.iterations({}, "amg"), in_functions = body.iterations({.block_size = 3}, "amg"),
                  by_gamg =
                      body.iterations({.block_size = 3, .near_null_space = {}, .coordinates = body.coordinates}, "amg");
    EXPECT_LT(in_functions, by_hypre);
    EXPECT_LT(by_gamg, placed);  // with more smoothings
}

TEST_F(petsc_test, a_near_null_space_is_that_of_the_matrix_before_scaling)
{
    const elastic body(5);
    const node_facts nodes{.block_size = 3, .near_null_space = body.motions, .coordinates = {}};
    const index_t plain = body.iterations(nodes);
    const auto exponent_of = [](index_t i) { return static_cast<int>(i / 3 * 7 % 121) - 60; };
    const elastic scaled(5, exponent_of);
    node_facts of_scaled = nodes;  // D A D takes D^-1 v to D A v
    for (std::vector<double>& v : of_scaled.near_null_space) {
        for (std::size_t i = 0; i < v.size(); ++i) {
            v[i] = std::ldexp(v[i], -exponent_of(static_cast<index_t>(i)));
        }
    }
    const index_t found =
        scaled.iterations(of_scaled);  // residuals of D A D count otherwise, and so do a few iterations
    EXPECT_LE(found, plain + plain / 4);
    EXPECT_GT(scaled.iterations(nodes), found + plain / 2);
}

TEST_F(petsc_test, vectors_that_depend_on_others_change_nothing)
{
    const elastic body(4);
    node_facts nodes{.block_size = 3, .near_null_space = body.motions, .coordinates = {}};
    const index_t once = body.iterations(nodes);
    nodes.near_null_space.push_back(body.motions[4]);
    EXPECT_EQ(body.iterations(nodes), once);
}

TEST_F(petsc_test, nodes_that_do_not_fit_are_refused_in_words)
{
    const linear_system a = with_solution_ones(poisson_2d(8));  // 64 rows
    const std::vector<double> ones(64, 1.0);
    const double infinite = std::numeric_limits<double>::infinity();
    const auto expect = [&](const node_facts& nodes, const std::string& words, const std::string& precond = "amg") {
        EXPECT_NE(refusal(a, nodes, precond).find(words), std::string::npos) << refusal(a, nodes, precond);
    };
    expect({.block_size = 3}, "64 rows, which make no groups of 3");
    expect({.block_size = -1}, "the block size must be at least 0, not -1");
    expect({.block_size = 2}, "for the preconditioners amg and petsc, not for auto", "auto");
    expect({.block_size = 0, .near_null_space = {ones, {1.0}}, .coordinates = {}},
           "vector 2 of the near-null space has 1 numbers for 64 rows");
    expect({.block_size = 0, .near_null_space = {std::vector<double>(64)}, .coordinates = {}},
           "vector 1 of the near-null space has only zeros");
    expect({.block_size = 0, .near_null_space = {std::vector<double>(64, infinite)}, .coordinates = {}},
           "vector 1 of the near-null space has an entry that is not a finite number");
    expect({.block_size = 2, .near_null_space = {}, .coordinates = {1.0}}, "has 1 numbers for 64 rows");
    expect({.block_size = 4, .near_null_space = {}, .coordinates = ones}, "the block size is 4");
    expect({.block_size = 0, .near_null_space = {}, .coordinates = ones}, "the block size is 1");
    expect({.block_size = 2, .near_null_space = {ones}, .coordinates = ones}, "give one");
    EXPECT_EQ(refusal(a, {.block_size = 2, .near_null_space = {ones}, .coordinates = {}}), "not refused");
}

TEST_F(petsc_test, options_that_it_does_not_know_or_use_are_named)
{
    EXPECT_EQ(refusal("petsc:-pc_type nonsense"), "precond: Unable to find requested PC type nonsense");
    EXPECT_EQ(refusal("petsc:-pc_typ icc -pc_type icc -x 3"), "precond: PETSc makes no use of -pc_typ, -x");
    EXPECT_EQ(refusal("petsc:-pc_type gamg -mg_levels_ksp_maxit 2"),
              "precond: PETSc makes no use of -mg_levels_ksp_maxit");
    EXPECT_NE(refusal("petsc:pc_type icc").find("\"pc_type\" is no option of PETSc's"), std::string::npos);
    EXPECT_NE(refusal("petsc:-pc_type icc icc").find("\"icc\" is no option of PETSc's"), std::string::npos);
    EXPECT_NE(refusal("petsc:-pc_type lu -pc_factor_mat_solver_type nosuch").find("nosuch"), std::string::npos);
    EXPECT_NE(refusal("petsc:-pc_type hypre -pc_hypre_type nosuch").find("nosuch for -pc_hypre_type"),
              std::string::npos);
    EXPECT_EQ(refusal("petsc:-pc_type icc"), "not refused");  // nothing is left of those before
    EXPECT_THROW((void)solve(with_solution_ones(poisson_2d(8)), with("amg", method::bicg)), unsupported_error);
    EXPECT_THROW((void)solve(with_solution_ones(poisson_2d(8)), with("amg", method::direct)), unsupported_error);
}

TEST_F(petsc_test, where_it_makes_none_its_words_are_in_the_verdict)
{
    const linear_system a = with_solution_ones(from_rows({{0, 1, 0}, {1, 1, 1}, {0, 1, 1}}));
    const solve_result result = solve(a, with("petsc:-pc_type ilu", method::gmres));
    EXPECT_EQ(result.report.status, solve_status::breakdown);
    EXPECT_NE(result.report.message.find("PETSc made no preconditioner: Matrix is missing diagonal entry 0"),
              std::string::npos)
        << result.report.message;
}

TEST_F(petsc_test, signals_and_standard_output_are_the_programs)
{
    constexpr int signals[] = {SIGINT, SIGTERM, SIGSEGV, SIGFPE, SIGABRT, SIGBUS, SIGHUP, SIGPIPE, SIGCHLD, SIGUSR1};
    std::vector<struct sigaction> before;
    for (const int each : signals) {
        sigaction(each, nullptr, &before.emplace_back());
    }
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    (void)solve(with_solution_ones(poisson_2d(8)), with("amg"));
    (void)refusal("petsc:-pc_type nonsense");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    for (std::size_t k = 0; k < before.size(); ++k) {
        struct sigaction now {};
        sigaction(signals[k], nullptr, &now);
        EXPECT_EQ(now.sa_handler, before[k].sa_handler) << signals[k];
    }
}

TEST_F(petsc_test, solvers_of_several_threads_share_it)
{
    const linear_system a = poisson_3d(8);
    const solve_result alone = solve(a, with("amg"));
    std::vector<solve_result> results(3);
    {
        std::vector<std::jthread> threads;
        for (solve_result& each : results) {
            threads.emplace_back([&each, &a] { each = solve(a, with("amg")); });
        }
    }
    for (const solve_result& each : results) {
        EXPECT_EQ(each.x, alone.x);
    }
}

TEST_F(petsc_test, transposed_systems_and_new_values_get_their_own)
{
    linear_system a = convection();
    solver s(a, with("amg", method::gmres));
    EXPECT_GE(s.solve_transposed(a.b).report.digits, 30);
    std::vector<double> doubled(a.values.begin(), a.values.end());
    std::transform(doubled.begin(), doubled.end(), doubled.begin(), [](double each) { return 2.0 * each; });
    s.update_values(doubled);
    const solve_result halved = s.solve(a.b);
    EXPECT_GE(halved.report.digits, 30);
    EXPECT_EQ(to_double(halved.x.front()), 0.5);
}

TEST(petsc_text_test, options_stay_as_they_are_given)
{
    solve_options options;
    set_option(options, "precond", "petsc:-pc_type icc");
    EXPECT_EQ(options.preconditioner, preconditioner::petsc);
    EXPECT_EQ(options.petsc_options, "-pc_type icc");
    const auto texts = options_of_x(options);
    EXPECT_NE(
        std::find(texts.begin(), texts.end(), std::pair<std::string, std::string>("precond", "petsc:-pc_type icc")),
        texts.end());
    set_option(options, "precond", "amg");
    EXPECT_EQ(options.petsc_options, "");
    EXPECT_THROW(set_option(options, "precond", "petsc -pc_type icc"), option_error);
}
