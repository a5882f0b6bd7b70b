/* Two lines that are parallel in double precision, and meet at x = (-4.9999999999999999999985e21, 5e21). */
#include <residua.h>
#include <stdio.h>

int main(void)
{
    const char *const a[] = {"1", "0.9999999999999999999999", "1", "1.0000000000000000000001"};
    const double b[] = {1, 2};
    char x[64];
    residua_system *system = NULL;
    residua_options *options = NULL;
    residua_solver *solver = NULL;
    residua_solution *solution = NULL;
    const int failed = residua_system_dense(2, 2, residua_decimals(a), RESIDUA_ROW_MAJOR, 0, &system) ||
                       residua_options_new(&options) || residua_options_set(options, "digits", "30") ||
                       residua_solver_new(system, options, &solver) ||
                       residua_solve(solver, 0, 1, residua_doubles(b), 0, &solution) ||
                       residua_vector_decimal(residua_solution_x(solution), 0, 0, 30, x, sizeof x, NULL);
    printf("%s\n", failed ? residua_error() : x);
    residua_solution_free(solution);
    residua_solver_free(solver);
    residua_options_free(options);
    residua_system_free(system);
    return failed;
}
