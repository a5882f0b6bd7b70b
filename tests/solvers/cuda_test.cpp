#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/engine.hpp>
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
    void expect_the_same(const io::coo<double>& a, method m, const triangular_factors* factors, bool jacobi,
                         const std::string& what)
    {
        const linear_system system = with_solution_ones(a);
        const scaled_matrix matrix = m == method::lsqr ? scale_uniformly(system) : scale(system, false);
        const arithmetic in = GetParam();
        engine_request request{.matrix = matrix, .method = m, .factors = factors, .jacobi = jacobi, .restart = 20};
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
    for (const bool jacobi : {false, true}) {
        expect_the_same(symmetric, method::cg, nullptr, jacobi, "cg");
        expect_the_same(symmetric, method::minres, nullptr, jacobi, "minres");
        for (const method m : {method::bicgstab, method::bicgstabl, method::idr}) {
            expect_the_same(other, m, nullptr, jacobi, std::string(to_string(m)));
            expect_the_same(symmetric, m, nullptr, jacobi, std::string(to_string(m)) + ", many steps");
        }
        expect_the_same(other, method::gmres, nullptr, jacobi, "gmres");
        expect_the_same(other, method::tfqmr, nullptr, jacobi, "tfqmr");
        expect_the_same(other, method::bicg, nullptr, jacobi, "bicg");
    }
    expect_the_same(symmetric, method::cg, &ilu_symmetric, false, "cg, ilu0");
    expect_the_same(symmetric, method::minres, &ilu_symmetric, false, "minres, ilu0");
    for (const method m : {method::bicgstab, method::bicgstabl, method::idr}) {
        expect_the_same(other, m, &ilu, false, std::string(to_string(m)) + ", ilu0");
    }
    expect_the_same(other, method::gmres, &ilu, false, "gmres, ilu0");
    expect_the_same(other, method::gmres, &lu, false, "gmres, lu");
    expect_the_same(other, method::idr, &lu, false, "idr, lu");
    expect_the_same(other, method::tfqmr, &ilu, false, "tfqmr, ilu0");
    expect_the_same(other, method::bicg, &ilu, false, "bicg, ilu0");
    expect_the_same(other, method::bicg, &lu, false, "bicg, lu");
    for (const bool wide : {false, true}) {
        io::coo<double> rectangular = poisson_1d(100);
        (wide ? rectangular.cols : rectangular.rows) += 7;
        expect_the_same(rectangular, method::lsqr, nullptr, false, wide ? "lsqr, wide" : "lsqr, tall");
    }
    expect_the_same(other, method::lsqr, nullptr, false, "lsqr");
}
