/* A 2 x 2 system whose entries binary64 does not hold: 30 correct digits of x. */
#include <residua.h>
#include <stdio.h>

int main(void)
{
    static const char *const a[] = {"0.1", "0.3", "0.7", "0.1000000000000000000000000000000000001"};
    static const double b[] = {1.0, 1.0};
    residua_system *system;
    residua_options *options;
    residua_solver *solver;
    residua_solution *solution;
    char x[64];
    if (residua_system_dense_text(2, 2, a, RESIDUA_ROW_MAJOR, 0, &system) || residua_options_new(&options) ||
        residua_options_set(options, "digits", "30") || residua_solver_new(system, options, &solver) ||
        residua_solve(solver, 0, 1, b, 0, &solution) || residua_solution_decimal(solution, 0, 0, 30, x, sizeof x, NULL)) {
        fprintf(stderr, "%s\n", residua_error());
        return 1;
    }
    printf("x[0] = %s\n", x);
    residua_solution_free(solution);
    residua_solver_free(solver);
    residua_options_free(options);
    residua_system_free(system);
    return 0;
}
