// The Hilbert matrix of order 20, a_ij = 1/(i + j - 1), has condition number 2e28. b is
// A (1, ..., 1), so x should be all ones: in binary64 it is not, though the residual is small.
#include <cstdio>

#include <residua/solvers/solver.hpp>

using residua::real;

int main()
{
    const long n = 20;
    std::vector<real> a;
    for (long i = 0; i < n; ++i) {
        for (long j = 0; j < n; ++j) {
            a.push_back(real(1, 300) / real(i + j + 1));  // 300 bits each
        }
    }
    residua::linear_system system = residua::make_system(residua::dense_view<real>{n, n, a});
    system.b = residua::row_sums(system);

    for (const long bits : {53, 212}) {
        residua::solve_options options;
        options.precision_bits = bits;
        const residua::solve_result result = residua::solve(system, options);
        std::printf("%3ld bits: %s, residual %s, %d digits of x correct, x_1 = %s\n", bits,
                    to_string(result.report.status).data(), to_string(result.report.relative_residual, 2).c_str(),
                    result.report.digits, to_string(result.x[0], 20).c_str());
    }
}
