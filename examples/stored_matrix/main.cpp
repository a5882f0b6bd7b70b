// A sparse matrix in memory, a preconditioner and an observer as lambdas, and a tolerance that no double holds, on vectors of
// numbers of 2048 bits: the Laplacian on a square with more on its diagonal.
#include <cstdio>

#include <residua/blas/sparse/csr.hpp>
#include <residua/solvers/methods/typed.hpp>
#include <residua/solvers/space/blas_space.hpp>

using space_of_numbers = residua::multidigit_space<residua::host_executor>;
using vector = space_of_numbers::vector;

double diagonal(long row) { return 30.0 + static_cast<double>(row % 7); }

/// Of k x k points; entries by row, then column.
residua::io::coo<double> laplacian(long k)
{
    residua::io::coo<double> a{k * k, k * k, {}, {}, {}};
    const auto add = [&](long row, long col, double value) {
        a.row.push_back(row);
        a.col.push_back(col);
        a.value.push_back(value);
    };
    for (long row = 0; row < k * k; ++row) {
        const long i = row / k;
        const long j = row % k;
        if (i > 0) {
            add(row, row - k, -1.0);
        }
        if (j > 0) {
            add(row, row - 1, -1.0);
        }
        add(row, row, diagonal(row));
        if (j + 1 < k) {
            add(row, row + 1, -1.0);
        }
        if (i + 1 < k) {
            add(row, row + k, -1.0);
        }
    }
    return a;
}

int main()
{
    const long k = 20;
    const space_of_numbers space{{}, residua::multidigit_format(2048)};
    const residua::csr<residua::host_executor, double> matrix = residua::csr_from_coo(laplacian(k));
    const vector b = space.make_vector(std::vector<double>(k * k, 1.0));
    vector x = space.make_vector(k * k);

    const auto a = [&](const vector& from, vector& to) { space.spmv(matrix, from, to); };
    const auto jacobi = [&](const vector& from, vector& to) {
        for (long i = 0; i < k * k; ++i) {
            to.set(i, from.get(i) / space.make_scalar(diagonal(i)));
        }
    };
    residua::typed_rule rule{.relative_residual = residua::real("1e-400", 64)};
    rule.observer = [](const residua::iteration_view& at) {
        if (at.iteration % 100 == 0) {
            std::printf("%3ld: %s\n", static_cast<long>(at.iteration), to_string(at.relative_residual, 3).c_str());
        }
        return at.seconds < 60.0;
    };
    const residua::typed_report report = residua::cg(space, a, jacobi, b, x, rule);
    std::printf("%s after %ld iterations, residual %s\n", to_string(report.status).data(),
                static_cast<long>(report.iterations), to_string(report.relative_residual, 1).c_str());
}
