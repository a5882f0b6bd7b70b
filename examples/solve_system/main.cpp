// The Hilbert matrix of order 20 has condition number 2e28. b is A (1, ..., 1), so x should be all ones.
#include <cstdio>
#include <vector>

#include <residua/solvers/solver.hpp>

using residua::real;

int main()
{
    std::vector<real> a;
    for (long k = 0; k < 400; ++k) {
        a.push_back(real(1, 300) / real(k / 20 + k % 20 + 1));  // 1/(i + j - 1) in 300 bits
    }
    residua::linear_system system = residua::make_system(residua::dense_view<real>{20, 20, a});
    system.b = residua::row_sums(system);
    residua::solve_options options;
    options.digits = 30;
    const residua::solve_result result = residua::solve(system, options);
    std::printf("%d digits or more, x_1 = %s\n", options.digits, to_string(result.x[0], 30).c_str());
    return result.report.digits < options.digits;
}
