// What is predicted of methods with complex scalars: memory, cost, where they compute.
#include <gtest/gtest.h>

#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/options/method_bytes.hpp>
#include <residua/solvers/planning/costs.hpp>
#include <residua/solvers/planning/placement.hpp>
#include <residua/solvers/planning/rates.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr arithmetic four_terms{number_format::expansion, 212};
constexpr double bytes_of_number = 32.0;

}  // namespace

TEST(complex_planning_test, complex_scalars_take_i_x_and_two_vectors_for_each_preconditioner)
{
    constexpr index_t n = 1000;
    const system_sizes real_one{.rows = n, .cols = n, .nonzeros = 5 * n};
    system_sizes complex = real_one;
    complex.complex = true;
    for (const method_traits& each : all_methods()) {
        const candidate choice{.method = each.method, .restart = 30};
        const double more =
            engine_bytes(complex, {}, four_terms, choice, 1) - engine_bytes(real_one, {}, four_terms, choice, 1);
        double vectors = 0.0, scalars = 0.0;
        if (each.complex_scalars) {
            vectors = each.transpose ? 5.0 : 3.0;
            scalars = each.method == method::gmres ? 31.0 * 30.0 : 0.0;  // imaginary parts
        }
        EXPECT_EQ(more, vectors * static_cast<double>(n) * bytes_of_number + scalars * scalar_bytes(four_terms))
            << each.name;
    }
}

TEST(complex_planning_test, cycles_are_no_longer_than_there_are_complex_unknowns)
{
    const system_sizes sizes{.rows = 40, .cols = 40, .nonzeros = 200, .complex = true};
    const candidate of_20{.method = method::gmres, .restart = 20}, of_500{.method = method::gmres, .restart = 500};
    for (const preconditioner p : {preconditioner::automatic, preconditioner::given}) {
        const solve_options options{.preconditioner = p};
        EXPECT_EQ(engine_bytes(sizes, options, four_terms, of_500, 1),
                  engine_bytes(sizes, options, four_terms, of_20, 1));
    }
}

TEST(complex_planning_test, the_form_of_a_matrix_is_taken_as_such)
{
    const linear_system a = system_of(poisson_2d(9));
    EXPECT_EQ(sizes_of(a).elements(method::gmres), 81);
    const linear_system form = as_complex(a);
    EXPECT_EQ(sizes_of(form).elements(method::gmres), 81);
    EXPECT_EQ(sizes_of(form).elements(method::cg), 162);
    EXPECT_GT(bytes_without_factors(sizes_of(form), {.method = method::bicg}, 1),
              2.0 * bytes_without_factors(sizes_of(a), {.method = method::bicg}, 1));
}

TEST(complex_planning_test, an_iteration_has_two_operations_for_one_and_applies_a_preconditioner_twice)
{
    const linear_system a = system_of(poisson_2d(20));
    system_facts facts = facts_of(a, {});
    const machine_rates one_thread;
    const operation_rates rates = rates_of(212.0);
    for (const method m : {method::gmres, method::bicgstab, method::cg}) {
        for (const preconditioner p : {preconditioner::none, preconditioner::ilu0, preconditioner::lu}) {
            const auto nanoseconds = [&](bool complex) {
                facts.sizes.complex = complex;
                return 1e9 * one_thread.total(predict(facts, {}, {m, p}, 212).each);
            };
            double more = 0.0;
            if (m != method::cg) {
                more = facts.sizes.n() * traits_of(m).vector_operations * rates.vector;
                more += p == preconditioner::ilu0 ? facts.sizes.entries() * rates.front_solve : 0.0;
            }
            if (p != preconditioner::lu) {
                EXPECT_NEAR(nanoseconds(true) - nanoseconds(false), more, 1e-6 * nanoseconds(true)) << to_string(m);
            } else if (m != method::cg) {
                EXPECT_GT(nanoseconds(true) - nanoseconds(false), 1.01 * more) << to_string(m);
            }
        }
    }
}

TEST(complex_planning_test, a_gpu_solves_as_often)
{
    // Row levels follow one another, so that the host solves; it takes twice as long for two.
    iteration_work work{.in = four_terms,
                        .unknowns = 20000,
                        .entries = 6e4,
                        .vector_operations = 12.0,
                        .triangles = triangle_path{8e4, 4e4, 8e4},
                        .solves_in = four_terms};
    const iteration_choice once = place_iteration(work);
    work.solves = 2.0;
    const iteration_choice twice = place_iteration(work);
    EXPECT_EQ(once.place, iteration_place::triangles_on_host);
    EXPECT_EQ(twice.place, iteration_place::triangles_on_host);
    EXPECT_NE(once.reason, twice.reason);
}
