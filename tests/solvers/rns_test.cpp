#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/matrix/make_csr.hpp>
#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/solve.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/krylov.hpp"
#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using space = rns_space<host_executor>;

/// A binary64 matrix as an operator on RNS floats.
struct rns_matrix {
    csr<host_executor, double> a;

    void apply(const space& on, const space::vector& x, space::vector& y) const { on.spmv(a, x, y); }
};

struct rns_jacobi {
    std::vector<double> diagonal;

    void apply(const space& on, const space::vector& x, space::vector& y) const
    {
        for (index_t i = 0; i < x.size(); ++i) {
            y.set(i, x.get(i) / on.make_scalar(diagonal[i]));
        }
    }
};

rns_jacobi jacobi_of(const io::coo<double>& a)
{
    rns_jacobi m{std::vector<double>(static_cast<std::size_t>(a.rows))};
    for (std::size_t k = 0; k < a.value.size(); ++k) {
        if (a.row[k] == a.col[k]) {
            m.diagonal[a.row[k]] = a.value[k];
        }
    }
    return m;
}

/// Iterations of cg with Jacobi from b = ones to 1e-30.
index_t rns_iterations(const io::coo<double>& a, long bits)
{
    const space on{{}, rns_format(bits)};
    space::vector b = on.make_vector(a.rows);
    space::vector x = on.make_vector(a.rows);
    on.fill(on.make_scalar(1.0), b);
    cg_workspace<space> work(on, a.rows);
    const iteration_report report = cg(on, rns_matrix{csr_from_coo(a)}, jacobi_of(a), b, x, rule(1e-30), work);
    EXPECT_EQ(report.status, solve_status::converged);
    return report.iterations;
}

index_t mpfr_iterations(const io::coo<double>& a, long bits)
{
    const real_space on{bits};
    std::vector<real> x = on.make_vector(a.rows);
    cg_workspace<real_space> work(on, a.rows);
    const std::vector<real> b(static_cast<std::size_t>(a.rows), real(1.0, bits));
    const iteration_report report = cg(on, real_matrix{a}, real_jacobi{a}, b, x, rule(1e-30), work);
    EXPECT_EQ(report.status, solve_status::converged);
    return report.iterations;
}

solve_options in_rns(method m, long bits, preconditioner p = preconditioner::automatic)
{
    solve_options options;
    options.format = number_format::rns;
    options.method = m;
    options.precision_bits = bits;
    options.preconditioner = p;
    return options;
}

const io::coo<double> nonsymmetric_matrix = from_rows(nonsymmetric);

}  // namespace

TEST(rns_solve_test, cg_takes_the_iterations_that_mpfr_takes)
{
    const auto dir = matrix_dir();
    if (!dir) {
        GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
    }
    for (const char* name : {"LFAT5", "bcsstk01", "bcsstk02"}) {
        const io::coo<double> a = read_binary64((*dir / "public" / name).string() + ".mtx");
        for (const long bits : {215L, 432L, 851L}) {  // with fewer, rounding errors decide the count
            EXPECT_NEAR(static_cast<double>(rns_iterations(a, bits)), static_cast<double>(mpfr_iterations(a, bits)),
                        1.0)
                << name << ", " << bits << " bits";
        }
    }
}

TEST(rns_solve_test, every_method_solves_with_every_preconditioner_that_fits)
{
    using p = preconditioner;
    const linear_system symmetric = with_solution_ones(poisson_1d(40));
    const linear_system other = with_solution_ones(nonsymmetric_matrix);
    std::vector<method> methods{method::automatic};
    for (const method_traits& each : all_methods()) {
        methods.push_back(each.method);
    }
    for (const method m : methods) {
        if (m == method::gmres_ir) {
            continue;
        }
        for (const p each : {p::automatic, p::none, p::jacobi, p::block_jacobi, p::ssor, p::ilu0, p::iluk, p::ilut,
                             p::ic0, p::chebyshev, p::lu}) {
            if (!fits(m, each)) {
                continue;
            }
            const bool needs_symmetry = traits_of(m).symmetric;
            const solve_result result = solve(needs_symmetry ? symmetric : other, in_rns(m, 500, each));
            const std::string what = std::string(to_string(m)) + " " + std::string(to_string(each));

            EXPECT_EQ(result.report.status, solve_status::converged) << what;
            EXPECT_EQ(result.report.format, number_format::rns) << what;
            EXPECT_EQ(result.report.precision_bits, rns_format(500).precision_bits()) << what;
            EXPECT_GT(agreeing_digits(result.x, ones(needs_symmetry ? 40 : 4)), 120.0) << what;
        }
    }
}

TEST(rns_solve_test, reaches_beyond_the_longest_expansion)
{
    solve_options options = in_rns(method::cg, 1696);
    options.rtol = real("1e-480", 64);
    const solve_result asked = solve(with_solution_ones(poisson_1d(30)), options);
    EXPECT_EQ(asked.report.status, solve_status::converged);
    EXPECT_GT(agreeing_digits(asked.x, ones(30)), 475.0);

    options.precision_bits = 900;
    options.rtol.reset();
    const solve_result between = solve(with_solution_ones(poisson_1d(30)), options);
    EXPECT_EQ(between.report.status, solve_status::converged);
    EXPECT_EQ(between.report.format, number_format::rns);
    EXPECT_EQ(between.report.precision_bits, rns_format(900).precision_bits());
}

TEST(rns_solve_test, precisions_are_those_of_the_format)
{
    const auto served = [](number_format f, long bits) {
        solve_options options;
        options.format = f;
        options.precision_bits = bits;
        return choose_precision(options, real(1.0));
    };
    EXPECT_EQ(served(number_format::rns, 849), rns_format(849).precision_bits());
    EXPECT_EQ(served(number_format::rns, 424), rns_format(424).precision_bits());
    EXPECT_EQ(served(number_format::rns, rns_format::most_bits), rns_format::most_bits);
    EXPECT_THROW(served(number_format::rns, rns_format::most_bits + 1), unsupported_error);
}

TEST(rns_solve_test, a_gpu_is_not_asked_for_in_vain)
{
    const linear_system system = with_solution_ones(poisson_1d(10));
    solve_options options = in_rns(method::gmres, 200);
    options.executor = executor::cuda;
    EXPECT_THROW(solve(system, options), unsupported_error);

    options.method = method::cg;
    options.device = static_cast<int>(cuda_devices().size());  // the first that is not there
    EXPECT_THROW(solve(system, options), resource_error);

    options.executor = executor::host;
    EXPECT_EQ(solve(system, options).report.executor, executor::host);
}

TEST(rns_solve_test, computes_the_same_bits_on_a_gpu)
{
    if (cuda_devices().empty()) {
        GTEST_SKIP() << why_no_cuda_device();
    }
    const linear_system system = with_solution_ones(poisson_1d(1000));
    for (const preconditioner p :
         {preconditioner::none, preconditioner::jacobi, preconditioner::block_jacobi, preconditioner::chebyshev}) {
        solve_options options = in_rns(method::cg, 424, p);
        options.executor = executor::host;
        const solve_result host = solve(system, options);
        options.executor = executor::cuda;
        const solve_result device = solve(system, options);

        EXPECT_EQ(device.report.executor, executor::cuda);
        EXPECT_FALSE(device.report.device.empty());
        EXPECT_EQ(device.report.iterations, host.report.iterations);
        ASSERT_EQ(device.x.size(), host.x.size());
        for (std::size_t i = 0; i < host.x.size(); ++i) {
            ASSERT_TRUE(device.x[i] == host.x[i]) << i;
        }
    }
}
