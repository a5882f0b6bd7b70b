#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/engine.hpp>
#include <residua/solvers/precond/approximate_inverse.hpp>
#include <residua/solvers/precond/chebyshev.hpp>
#include <residua/solvers/precond/factors.hpp>

#include "tests/support/krylov.hpp"

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

    /// The correction of an engine on the host and on the device, with their reports.
    void expect_the_same(const io::coo<double>& a, method m, const triangular_factors* factors,
                         const sparse_rows* inverse, const std::string& what,
                         const std::optional<chebyshev_interval>& polynomial = {})
    {
        const linear_system system = with_solution_ones(a);
        const scaled_matrix matrix = m == method::lsqr ? scale_uniformly(system) : scale(system, false);
        const arithmetic in = GetParam();
        engine_request request{.matrix = matrix, .method = m, .factors = factors, .inverse = inverse, .restart = 20};
        request.polynomial = polynomial;
        std::vector<correction> host{{.r = system.b, .rule = rule(1e-12)}};
        host[0].rule.normal_reduction = 1e-9;
        std::vector<correction> device = host;
        make_engine(in, request)->correct(host);
        request.device = make_cuda_executor();
        make_engine(in, request)->correct(device);
        EXPECT_EQ(host[0].report.status, device[0].report.status) << what;
        EXPECT_EQ(host[0].report.iterations, device[0].report.iterations) << what;
        EXPECT_EQ(host[0].report.recursive_residual, device[0].report.recursive_residual) << what;
        EXPECT_EQ(host[0].d, device[0].d) << what;
    }
};

std::vector<arithmetic> formats()
{
    std::vector<arithmetic> all{{number_format::native, 53}};
    for (const long bits : available_precisions(number_format::expansion)) {
        all.push_back({number_format::expansion, bits});
    }
    for (const long bits : {64L, 100L, 300L, 1000L, 4096L}) {
        all.push_back({number_format::multidigit, bits});
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(formats, solvers_cuda_test, testing::ValuesIn(formats()), [](const auto& each) {
    return std::string(to_string(each.param.format)) + "_" + std::to_string(each.param.bits);
});

}  // namespace

TEST_P(solvers_cuda_test, methods_give_the_bits_of_the_host)
{
    const io::coo<double> symmetric = poisson_1d(100);
    const io::coo<double> other = from_rows(nonsymmetric);
    const triangular_factors ilu = factorize_ilu0(rows_of(other));
    const triangular_factors ilu_symmetric = factorize_ilu0(rows_of(symmetric));
    const triangular_factors lu = factorize_lu(rows_of(other));  // permuted and scaled
    const sparse_rows jacobi = invert_diagonal(rows_of(symmetric), true).matrix;
    const sparse_rows other_jacobi = invert_diagonal(rows_of(other), false).matrix;
    for (const bool with : {false, true}) {
        const sparse_rows* const of_symmetric = with ? &jacobi : nullptr;
        const sparse_rows* const of_other = with ? &other_jacobi : nullptr;
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

TEST_P(solvers_cuda_test, preconditioners_give_the_bits_of_the_host)
{
    const io::coo<double> symmetric = poisson_1d(100);
    const sparse_rows a = rows_of(symmetric);
    const io::coo<double> other = from_rows(nonsymmetric);
    const sparse_rows b = rows_of(other);
    const sparse_rows jacobi = invert_diagonal(a, true).matrix;
    const sparse_rows blocks = invert_blocks(a, true).matrix;
    const sparse_rows other_blocks = invert_blocks(b, false).matrix;
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
