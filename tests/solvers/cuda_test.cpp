#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/rns/number.hpp>
#include <residua/blas/base/compiled_formats.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/precond/approximate_inverse.hpp>
#include <residua/solvers/precond/chebyshev.hpp>
#include <residua/solvers/precond/factorize.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/krylov.hpp"
#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

namespace {

class solvers_cuda_test : public testing::TestWithParam<arithmetic> {
public:
    void SetUp() override
    {
        if (cuda_devices().empty()) {
            GTEST_SKIP() << why_no_cuda_device();
        }
    }

    /// The correction of an engine on the host and on the device, with their reports, wherever triangles are.
    void expect_the_same(const io::coo<double>& a, method m, const triangular_factors* factors,
                         const sparse_matrix* inverse, const std::string& what,
                         const std::optional<chebyshev_interval>& polynomial = {})
    {
        const linear_system system = with_solution_ones(a);
        const scaled_matrix matrix = m == method::lsqr ? scale_uniformly(system) : scale(system, false);
        engine_request request{.matrix = matrix, .method = m, .triangles = factors, .inverse = inverse, .restart = 20};
        request.polynomial = polynomial;
        expect_the_same(system, request, what);
        if (factors != nullptr) {
            request.triangles_on_host = true;
            expect_the_same(system, request, what + ", triangles on the host");
        }
    }

    /// The request says all but the device.
    void expect_the_same(const linear_system& system, engine_request request, const std::string& what,
                         double tolerance = 1e-12)
    {
        const arithmetic in = GetParam();
        long_vector b = long_vector::exactly(system.b), b_on_device = b;
        const stop_rule until = rule(tolerance, scaled(20'000));
        std::vector<correction> host{{.r = b, .rule = until}}, device{{.r = b_on_device, .rule = until}};
        host[0].rule.normal_reduction = device[0].rule.normal_reduction = 1e-9;
        make_engine(in, request)->correct(host);
        request.device = make_cuda_executor();
        make_engine(in, request)->correct(device);
        EXPECT_EQ(host[0].report.status, device[0].report.status) << what;
        EXPECT_EQ(host[0].report.iterations, device[0].report.iterations) << what;
        EXPECT_EQ(host[0].report.recursive_residual, device[0].report.recursive_residual) << what;
        EXPECT_EQ(host[0].d.numbers(), device[0].d.numbers()) << what;
        const std::vector<precision_change>& changes = host[0].report.precision_changes;
        const std::vector<precision_change>& on_device = device[0].report.precision_changes;
        ASSERT_EQ(changes.size(), on_device.size()) << what;
        for (std::size_t k = 0; k < changes.size(); ++k) {
            EXPECT_EQ(changes[k].iteration, on_device[k].iteration) << what;
            EXPECT_EQ(changes[k].precision_bits, on_device[k].precision_bits) << what;
        }
        changes_ = changes.size();
    }

    std::size_t changes_ = 0;  ///< how often the bits changed in the last of them
};

/// The bits of cg fall.
class falling_precision_cuda_test : public solvers_cuda_test {};
INSTANTIATE_TEST_SUITE_P(formats, falling_precision_cuda_test,
                         testing::Values(arithmetic{number_format::multidigit, 424},
                                         arithmetic{number_format::multidigit, 848},
                                         arithmetic{number_format::multidigit, 2000}),
                         [](const auto& each) { return std::to_string(each.param.bits); });

std::vector<arithmetic> formats()
{
    std::vector<arithmetic> all{{number_format::native, 53}};
    for (const long bits : available_precisions(number_format::expansion)) {
        if (blas::with_compiled_terms(bits, []<int>() {})) {  // longer ones are computed in multi-digit floats
            all.push_back({number_format::expansion, bits});
        }
    }
    for (const long bits : {64L, 100L, 300L, 1000L, 4096L}) {
        all.push_back({number_format::multidigit, bits});
    }
    return all;
}
std::string name_of(const testing::TestParamInfo<arithmetic>& each)
{
    return std::string(to_string(each.param.format)) + "_" + std::to_string(each.param.bits);
}
INSTANTIATE_TEST_SUITE_P(formats, solvers_cuda_test, testing::ValuesIn(formats()), name_of);

/// Refinement has RNS floats too.
class refine_cuda_test : public solvers_cuda_test {};
std::vector<arithmetic> formats_and_rns()
{
    std::vector<arithmetic> all = formats();
    for (const long bits : {106L, 212L, 848L}) {
        all.push_back({number_format::rns, rns_format(bits).precision_bits()});
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(formats, refine_cuda_test, testing::ValuesIn(formats_and_rns()), name_of);

/// GMRES-IR has the shorter expansions only.
class gmres_ir_cuda_test : public solvers_cuda_test {};
std::vector<arithmetic> formats_of_gmres_ir()
{
    std::vector<arithmetic> some = formats();
    std::erase_if(some, [](const arithmetic& in) { return in.format == number_format::expansion && in.bits > 212; });
    return some;
}
INSTANTIATE_TEST_SUITE_P(formats, gmres_ir_cuda_test, testing::ValuesIn(formats_of_gmres_ir()), name_of);

/// Random numbers, of which each row and column has about `each`: LU has to exchange rows, and to fill.
io::coo<double> scattered(index_t n, int each, biased_random& random)
{
    io::coo<double> a;
    a.rows = a.cols = n;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            if (i == j || random.one_in(static_cast<int>(n) / each)) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back((i == j ? 0.01 : 1.0) * random.full(-3, 3));
            }
        }
    }
    return a;
}

/// The Hilbert matrix, with entries that binary64 does not hold.
linear_system hilbert(index_t n)
{
    io::coo<real> a;
    a.rows = a.cols = n;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(real(1.0, 400) / real(static_cast<double>(i + j + 1)));
        }
    }
    return make_system(a, ones(n));
}

void expect_equal(const std::vector<solve_result>& host, const std::vector<solve_result>& device)
{
    ASSERT_EQ(host.size(), device.size());
    for (std::size_t k = 0; k < host.size(); ++k) {
        const solve_report& a = host[k].report;
        const solve_report& b = device[k].report;
        EXPECT_EQ(host[k].x, device[k].x) << "column " << k;
        EXPECT_EQ(a.status, b.status);
        EXPECT_EQ(a.method, b.method);
        EXPECT_EQ(a.format, b.format);
        EXPECT_EQ(a.precision_bits, b.precision_bits);
        EXPECT_EQ(a.solution_bits, b.solution_bits);
        EXPECT_EQ(a.iterations, b.iterations);
        EXPECT_EQ(a.corrections, b.corrections);
        EXPECT_EQ(a.precision_changes.size(), b.precision_changes.size());
        EXPECT_EQ(a.matvecs, b.matvecs);
        EXPECT_EQ(a.relative_residual, b.relative_residual);
        EXPECT_EQ(a.forward_error, b.forward_error);
        EXPECT_EQ(a.digits, b.digits);
        EXPECT_EQ(a.message, b.message);
        EXPECT_EQ(a.escalations.size(), b.escalations.size());
        EXPECT_EQ(a.history.size(), b.history.size());
        for (std::size_t i = 0; i < std::min(a.history.size(), b.history.size()); ++i) {
            EXPECT_EQ(a.history[i].recursive, b.history[i].recursive) << i;
        }
    }
}

/// The same system on both; with `on_device`, the device is the one that the report tells of.
void expect_solved_alike(const linear_system& system, solve_options options, const std::string& what,
                         bool on_device = true)
{
    SCOPED_TRACE(what);
    std::vector<std::vector<real>> b{system.b, system.b, ones(system.rows)};
    for (std::size_t i = 0; i < b[1].size(); ++i) {
        b[1][i] = ldexp(b[1][i] * real(static_cast<double>(i % 7) - 3.5), 100);
    }
    options.executor = executor::host;
    const std::vector<solve_result> host = solver(system, options).solve(b);
    options.executor = executor::cuda;
    const std::vector<solve_result> device = solver(system, options).solve(b);
    expect_equal(host, device);
    for (const solve_result& each : device) {
        EXPECT_TRUE(!on_device || each.report.executor == executor::cuda);
    }
}

}  // namespace

TEST_P(solvers_cuda_test, methods_give_the_bits_of_the_host)
{
    const io::coo<double> symmetric = poisson_1d(100);
    const io::coo<double> other = from_rows(nonsymmetric);
    const triangular_factors ilu = factorize_ilu0(rows_of(other));
    const triangular_factors ilu_symmetric = factorize_ilu0(rows_of(symmetric));
    const triangular_factors lu = factorize_lu(rows_of(other));  // permuted and scaled
    const sparse_matrix jacobi = invert_diagonal(rows_of(symmetric), true).matrix;
    const sparse_matrix other_jacobi = invert_diagonal(rows_of(other), false).matrix;
    for (const bool with : {false, true}) {
        const sparse_matrix* const of_symmetric = with ? &jacobi : nullptr;
        const sparse_matrix* const of_other = with ? &other_jacobi : nullptr;
        expect_the_same(symmetric, method::cg, nullptr, of_symmetric, "cg");
        expect_the_same(symmetric, method::minres, nullptr, of_symmetric, "minres");
        for (const method m : {method::bicgstab, method::bicgstabl, method::idr}) {
            expect_the_same(other, m, nullptr, of_other, std::string(to_string(m)));
            expect_the_same(symmetric, m, nullptr, of_symmetric, std::string(to_string(m)) + ", many steps");
        }
        expect_the_same(other, method::gmres, nullptr, of_other, "gmres");
        expect_the_same(other, method::tfqmr, nullptr, of_other, "tfqmr");
        expect_the_same(other, method::bicg, nullptr, of_other, "bicg");
    }
    expect_the_same(symmetric, method::cg, &ilu_symmetric, nullptr, "cg, ilu0");
    expect_the_same(symmetric, method::minres, &ilu_symmetric, nullptr, "minres, ilu0");
    for (const method m : {method::bicgstab, method::bicgstabl, method::idr}) {
        expect_the_same(other, m, &ilu, nullptr, std::string(to_string(m)) + ", ilu0");
    }
    expect_the_same(other, method::gmres, &ilu, nullptr, "gmres, ilu0");
    expect_the_same(other, method::gmres, &lu, nullptr, "gmres, lu");
    expect_the_same(other, method::idr, &lu, nullptr, "idr, lu");
    expect_the_same(other, method::tfqmr, &ilu, nullptr, "tfqmr, ilu0");
    expect_the_same(other, method::bicg, &ilu, nullptr, "bicg, ilu0");
    expect_the_same(other, method::bicg, &lu, nullptr, "bicg, lu");
    for (const bool wide : {false, true}) {
        io::coo<double> rectangular = poisson_1d(100);
        (wide ? rectangular.cols : rectangular.rows) += 7;
        expect_the_same(rectangular, method::lsqr, nullptr, nullptr, wide ? "lsqr, wide" : "lsqr, tall");
    }
    expect_the_same(other, method::lsqr, nullptr, nullptr, "lsqr");
}

TEST_P(falling_precision_cuda_test, cg_gives_the_bits_of_the_host)
{
    const io::coo<double> poisson = poisson_2d(20);
    const linear_system system = system_of(poisson);
    const scaled_matrix matrix = scale(system, true);
    const sparse_matrix a = rows_of(poisson);
    const sparse_matrix jacobi = invert_diagonal(a, true).matrix;
    const triangular_factors ic0 = factorize_ic0(a);
    engine_request plain{.matrix = matrix, .method = method::cg}, diagonal = plain, triangles = plain;
    diagonal.inverse = &jacobi;
    triangles.triangles = &ic0;
    engine_request polynomial = diagonal, of_host = triangles;
    polynomial.polynomial = find_chebyshev_interval(a);
    of_host.triangles_on_host = true;
    for (const auto& [request, what] : {std::pair{plain, "cg"},
                                        {diagonal, "jacobi"},
                                        {triangles, "ic0"},
                                        {of_host, "ic0 on the host"},
                                        {polynomial, "chebyshev"}}) {
        expect_the_same(system, request, what, 1e-100);
        if (test_scale() >= 0.1) {  // else there are too few iterations
            EXPECT_GE(changes_, 2u) << what;
        }
    }
}

TEST_P(solvers_cuda_test, preconditioners_give_the_bits_of_the_host)
{
    const io::coo<double> symmetric = poisson_1d(100);
    const sparse_matrix a = rows_of(symmetric);
    const io::coo<double> other = from_rows(nonsymmetric);
    const sparse_matrix b = rows_of(other);
    const sparse_matrix jacobi = invert_diagonal(a, true).matrix;
    const sparse_matrix blocks = invert_blocks(a, true).matrix;
    const sparse_matrix other_blocks = invert_blocks(b, false).matrix;
    const chebyshev_interval interval = find_chebyshev_interval(a);
    for (const method m : {method::cg, method::minres}) {
        const std::string name(to_string(m));
        const triangular_factors ssor = factorize_ssor(a, true);
        expect_the_same(symmetric, m, nullptr, &jacobi, name + ", chebyshev", interval);
        expect_the_same(symmetric, m, nullptr, &blocks, name + ", block-jacobi");
        expect_the_same(symmetric, m, &ssor, nullptr, name + ", ssor");
    }
    for (const method m : {method::bicgstab, method::gmres}) {
        const std::string name(to_string(m));
        expect_the_same(other, m, nullptr, &other_blocks, name + ", block-jacobi");
        for (const triangular_factors& factors : {factorize_ssor(b, false), factorize_iluk(b, 1), factorize_ilut(b)}) {
            expect_the_same(other, m, &factors, nullptr, name + ", factors");
        }
    }
}

TEST_P(refine_cuda_test, corrections_give_the_bits_of_the_host)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const io::coo<double> small = from_rows(nonsymmetric);
    const io::coo<double> sparse = scattered(70, 4, random);
    const io::coo<double> dense = scattered(40, 40, random);
    for (const io::coo<double>& a : {small, sparse, dense, poisson_1d(300)}) {
        const linear_system system = with_solution_ones(a);
        const scaled_matrix matrix = scale(system, false);
        const factorization lu = by_triangles(factorize_lu(matrix));
        ASSERT_EQ(lu.failure(), "");
        engine_request request{.matrix = matrix, .method = method::refine, .factors = &lu};
        expect_the_same(system, request, "refine, n = " + std::to_string(a.rows));
        request.triangles_on_host = true;
        expect_the_same(system, request, "refine, the host solves, n = " + std::to_string(a.rows));
    }
}

TEST_P(refine_cuda_test, fronts_give_the_bits_of_the_host_wherever_they_solve)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const auto& [a, symmetric] : {std::pair{poisson_1d(300), true}, {scattered(200, 4, random), false}}) {
        const linear_system system = with_solution_ones(a);
        const scaled_matrix matrix = scale(system, false);
        sparse_analyses analyses;
        const factorization factors =
            factorize_native(matrix, symmetric ? factor_kind::cholesky : factor_kind::lu, analyses);
        ASSERT_EQ(factors.failure(), "");
        engine_request request{.matrix = matrix, .method = method::refine, .factors = &factors};
        expect_the_same(system, request, "on the device");
        request.factor_room = 100.0;
        expect_the_same(system, request, "on the host");
    }
}

TEST_P(gmres_ir_cuda_test, corrections_give_the_bits_of_the_host)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const io::coo<double>& a : {from_rows(nonsymmetric), scattered(70, 4, random), poisson_1d(100)}) {
        const triangular_factors lu = factorize_lu(rows_of(a));
        const triangular_factors ilu = factorize_ilu0(rows_of(a));  // poor ones: GMRES has something to do
        ASSERT_EQ(lu.failure, "");
        expect_the_same(a, method::gmres_ir, &lu, nullptr, "gmres-ir, n = " + std::to_string(a.rows));
        if (ilu.failure.empty()) {
            expect_the_same(a, method::gmres_ir, &ilu, nullptr, "gmres-ir, ilu0, n = " + std::to_string(a.rows));
        }
    }
}

TEST_P(refine_cuda_test, solve_gives_the_bits_counts_and_reports_of_the_host)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const linear_system plain = with_solution_ones(scattered(60, 4, random));
    const linear_system exact = hilbert(6);
    solve_options options;
    options.format = GetParam().format;
    options.precision_bits = GetParam().bits;
    options.method = method::refine;
    expect_solved_alike(plain, options, "refine");
    expect_solved_alike(exact, options, "refine, entries beyond binary64");
    if (options.format == number_format::native || options.format == number_format::multidigit) {
        options.method = method::gmres_ir;
        expect_solved_alike(plain, options, "gmres-ir");
        expect_solved_alike(hilbert(12), options, "gmres-ir, entries beyond binary64", false);
    }
}

TEST(solve_cuda_test, auto_gives_the_bits_counts_and_reports_of_the_host)
{
    if (cuda_devices().empty()) {
        GTEST_SKIP() << why_no_cuda_device();
    }
    biased_random random;
    SCOPED_TRACE(random.trace());
    const linear_system easy = with_solution_ones(scattered(60, 4, random));
    const linear_system hard = hilbert(12);
    for (const number_format format : {number_format::automatic, number_format::native, number_format::expansion,
                                       number_format::multidigit, number_format::rns}) {
        const std::string name(to_string(format));
        solve_options options;
        options.format = format;
        options.digits = format == number_format::native ? 0 : 25;
        expect_solved_alike(easy, options, name + ", refinement");
        expect_solved_alike(hard, options, name + ", direct, whose products are too small for a device", false);
    }
}
