// Solves a system with the Hilbert matrix of order 20, a_ij = 1/(i + j - 1), whose condition
// number of 2e28 is out of binary64's reach. b = A (1, ..., 1), so x should be all ones.
#include <cstdio>

#include <residua/solvers/solve.hpp>

using residua::real;

int main()
{
    const long n = 20;
    residua::io::coo<real> a{n, n, {}, {}, {}};
    for (long i = 0; i < n; ++i) {
        for (long j = 0; j < n; ++j) {
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(real(1, 300) / real(i + j + 1));  // 300 bits each
        }
    }
    residua::linear_system system = residua::make_system(a, std::vector<real>(n));
    system.b = residua::row_sums(system);

    for (const long bits : {53, 212}) {
        residua::solve_options options;
        options.precision_bits = bits;
        const residua::solve_result result = residua::solve(system, options);
        std::printf("%3ld bits: %s, true relative residual %s, x_1 = %s\n", bits,
                    residua::to_string(result.report.status).data(),
                    to_string(result.report.relative_residual, 2).c_str(),
                    to_string(result.x[0], 20).c_str());
    }
}
