#include <residua/solvers/solve.hpp>

int main()
{
    using residua::real;
    residua::io::coo<double> a{2, 2, {0, 0, 1, 1}, {0, 1, 0, 1}, {2.0, 1.0, 1.0, 3.0}};
    residua::linear_system system = residua::make_system(a, {real(4.0), real(7.0)});  // x = (1, 2)

    const residua::solve_result result = residua::solve(system);

    const bool right = result.report.status == residua::solve_status::converged &&
                       abs(result.x[0] - real(1.0)) < real(1e-12) && abs(result.x[1] - real(2.0)) < real(1e-12);
    return right ? 0 : 1;
}
