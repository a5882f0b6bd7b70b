// The rows of methods and preconditioners, against the enumerations and against what engines do.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/options/method_bytes.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/precond/factorize.hpp>
#include <residua/solvers/precond/made_preconditioner.hpp>
#include <residua/solvers/solve.hpp>

#include "tests/support/eigen_reference.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// Whether an enumeration has a value: compilers print the name of an enumerator, and a cast for any other value.
template <auto Value>
constexpr bool is_enumerator()
{
    constexpr std::string_view name = __PRETTY_FUNCTION__;
    const std::size_t from = name.find("Value = ") + 8;
    return name[from] != '(' && !(name[from] >= '0' && name[from] <= '9');
}

/// The number of enumerators 0, 1, ... of an enumeration.
template <class Enum, int First = 0>
constexpr int enumerators()
{
    if constexpr (is_enumerator<static_cast<Enum>(First)>()) {
        return enumerators<Enum, First + 1>();
    } else {
        return First;
    }
}

/// -u'' on four points: symmetric positive definite, so that every method takes it.
const linear_system& small_system()
{
    static const linear_system system = with_solution_ones(poisson_1d(4));
    return system;
}

/// The correction of an engine for the small system by a method with a preconditioner, from zero.
correction corrected(const arithmetic& in, method m, preconditioner p, long_vector& b)
{
    const method_traits& traits = traits_of(m);
    const scaled_matrix matrix = traits.rectangular ? scale_uniformly(small_system()) : scale(small_system(), true);
    engine_request request{.matrix = matrix, .method = m};
    made_preconditioner made;
    if (p == preconditioner::lu) {
        made.factors = factorize_lu(matrix);
    } else if (p == preconditioner::cholesky) {
        made.factors = factorize_cholesky(matrix);
    } else if (p == preconditioner::ldl) {
        sparse_analyses analyses;
        made.factors = factorize_native(matrix, factor_kind::ldl, analyses).triangles();
    } else if (p == preconditioner::given) {
        made.function = made.transposed = [](std::span<const double> r, std::span<double> z) {
            std::transform(r.begin(), r.end(), z.begin(), [](double each) { return 0.5 * each; });
        };
        request.function = &made.function;
        request.transposed = &made.transposed;
    } else {
        made = make_preconditioner(p, matrix, {.definite = traits.symmetric});
    }
    EXPECT_EQ(made.failure, "");
    request.triangles = made.factors ? &*made.factors : nullptr;
    request.inverse = made.inverse ? &*made.inverse : nullptr;
    request.polynomial = made.polynomial;
    stop_rule rule;
    rule.relative_residual = 1e-14;
    std::vector<correction> columns{{.r = b, .rule = rule}};
    make_engine(in, request)->correct(columns);
    return columns.front();
}

}  // namespace

TEST(registry_test, every_enumerator_has_one_row)
{
    ASSERT_EQ(all_methods().size() + 1, enumerators<method>());
    ASSERT_EQ(all_preconditioners().size() + 1, enumerators<preconditioner>());
    int at = 1;
    for (const method_traits& each : all_methods()) {
        EXPECT_EQ(each.method, static_cast<method>(at++));
        EXPECT_EQ(&traits_of(each.method), &each);
    }
    at = 1;
    for (const preconditioner_traits& each : all_preconditioners()) {
        EXPECT_EQ(each.preconditioner, static_cast<preconditioner>(at++));
        EXPECT_EQ(&traits_of(each.preconditioner), &each);
    }
    EXPECT_EQ(traits_of(method::automatic).method, method::automatic);
    EXPECT_EQ(traits_of(preconditioner::automatic).preconditioner, preconditioner::automatic);
}

TEST(registry_test, names_lead_back_to_their_rows)
{
    std::set<std::string_view> names;
    for (const method_traits& each : all_methods()) {
        EXPECT_TRUE(names.insert(each.name).second) << each.name;
        EXPECT_EQ(to_string(each.method), each.name);
        EXPECT_EQ(method_named(each.name), each.method);
        EXPECT_FALSE(each.systems.empty() || each.step_cost.empty()) << each.name;
    }
    for (const preconditioner_traits& each : all_preconditioners()) {
        EXPECT_TRUE(names.insert(each.name).second) << each.name;
        EXPECT_EQ(to_string(each.preconditioner), each.name);
        EXPECT_EQ(preconditioner_named(each.name), each.preconditioner);
        EXPECT_FALSE(each.formula.empty() || each.needs.empty()) << each.name;
    }
    EXPECT_EQ(names.count(""), 0U);
    EXPECT_EQ(method_named("auto"), method::automatic);
    EXPECT_EQ(preconditioner_named("auto"), preconditioner::automatic);
    EXPECT_EQ(method_named("jacobi"), std::nullopt);
    EXPECT_EQ(preconditioner_named("cg"), std::nullopt);
}

TEST(registry_test, methods_take_the_preconditioners_of_their_kind)
{
    using p = preconditioner;
    const auto expect_to_fit = [](std::initializer_list<method> methods, const std::vector<p>& taken,
                                  const std::vector<p>& others) {
        for (const method m : methods) {
            EXPECT_EQ(fitting_preconditioners(m).front(), taken.front()) << to_string(m);
            for (const p each : taken) {
                EXPECT_TRUE(fits(m, each)) << to_string(m) << " " << to_string(each);
            }
            for (const p each : others) {
                EXPECT_FALSE(fits(m, each)) << to_string(m) << " " << to_string(each);
            }
        }
    };
    expect_to_fit({method::cg, method::minres},
                  {p::jacobi, p::none, p::block_jacobi, p::ssor, p::ic0, p::chebyshev, p::cholesky},
                  {p::ilu0, p::iluk, p::ilut, p::lu});
    expect_to_fit({method::gmres, method::bicgstab, method::bicgstabl, method::idr, method::tfqmr, method::bicg},
                  {p::ilu0, p::none, p::jacobi, p::block_jacobi, p::ssor, p::iluk, p::ilut, p::lu, p::cholesky},
                  {p::ic0, p::chebyshev});
    expect_to_fit({method::cocg, method::cocr},
                  {p::jacobi, p::none, p::block_jacobi, p::ssor, p::ilu0, p::iluk, p::lu, p::cholesky, p::ldl},
                  {p::ilut, p::ic0, p::chebyshev, p::amg, p::petsc});
    expect_to_fit({method::refine, method::gmres_ir}, {p::cholesky, p::lu}, {p::none, p::jacobi, p::ilu0, p::ic0});
    expect_to_fit({method::lsqr, method::direct}, {p::none}, {p::jacobi, p::ilu0, p::lu, p::cholesky});
    EXPECT_TRUE(fits(method::automatic, p::automatic));
    EXPECT_FALSE(fits(method::automatic, p::none));
    EXPECT_TRUE(fits(method::automatic, p::given));
}

TEST(registry_test, a_default_fits_and_comes_first)
{
    for (const method_traits& each : all_methods()) {
        const auto fitting = fitting_preconditioners(each.method);
        EXPECT_TRUE(fits(each.method, preconditioner::automatic)) << each.name;
        EXPECT_EQ(default_preconditioner(each.method, true, fitting.front()), fitting.front()) << each.name;
        const preconditioner without_diagonal = default_preconditioner(each.method, false, preconditioner::lu);
        EXPECT_TRUE(fits(each.method, without_diagonal)) << each.name;
        EXPECT_FALSE(traits_of(without_diagonal).needs_diagonal) << each.name;
    }
    EXPECT_EQ(default_preconditioner(method::refine, true, preconditioner::lu), preconditioner::lu);
    EXPECT_EQ(default_preconditioner(method::cg, false), preconditioner::none);
}

TEST(registry_test, every_pair_that_fits_solves)
{
    long_vector b = long_vector::exactly(small_system().b);
    for (const arithmetic& in : {arithmetic{number_format::native, 53}, arithmetic{number_format::expansion, 106}}) {
        for (const method_traits& m : all_methods()) {
            for (const preconditioner_traits& p : all_preconditioners()) {
                if (!fits(m.method, p.preconditioner) || is_by_petsc(p.preconditioner)) {
                    continue;  // those of PETSc have their own tests, where it is
                }
                const correction made = corrected(in, m.method, p.preconditioner, b);
                const std::string what = std::string(m.name) + " " + std::string(p.name) + ", " +
                                         std::to_string(in.bits) + " bits: " + made.report.message;
                EXPECT_EQ(made.report.status, solve_status::converged) << what;
                EXPECT_GT(agreeing_digits(made.d.numbers(), ones(4)), 12.0) << what;
            }
        }
    }
}

TEST(registry_test, every_method_finds_the_x_of_eigen)
{
    linear_system system = system_of(poisson_1d(12));
    for (index_t i = 0; i < system.rows; ++i) {
        system.b[i] = real(1.0, 900) / real(i + 3);
    }
    const std::vector<real> exact = eigen_reference(system, 900);
    for (const method_traits& m : all_methods()) {
        for (const long bits : {53L, 106L, 212L, 424L, 800L}) {
            solve_options options;
            options.method = m.method;
            options.precision_bits = bits;
            const solve_result result = solve(system, options);
            EXPECT_EQ(result.report.status, solve_status::converged) << m.name << " " << result.report.message;
            EXPECT_GT(agreeing_digits(result.x, exact), 0.27 * static_cast<double>(bits) - 2.0)
                << m.name << " " << bits;
        }
    }
}

TEST(registry_test, every_pair_that_does_not_fit_is_refused_by_name)
{
    int refused = 0;
    solve_options options;
    for (const method_traits& m : all_methods()) {
        for (const preconditioner_traits& p : all_preconditioners()) {
            if (fits(m.method, p.preconditioner)) {
                EXPECT_NO_THROW(require_fitting(m.method, p.preconditioner));
                continue;
            }
            ++refused;
            options.method = m.method;
            options.preconditioner = p.preconditioner;
            EXPECT_THROW((void)solve(small_system(), options), unsupported_error) << m.name << " " << p.name;
        }
    }
    EXPECT_GT(refused, 0);
    try {
        require_fitting(method::refine, preconditioner::ssor);
        FAIL() << "not refused";
    } catch (const unsupported_error& e) {
        EXPECT_STREQ(e.what(),
                     "the preconditioner ssor does not fit the method refine, which takes cholesky, lu or ldl");
    }
    options = {};
    options.preconditioner = preconditioner::jacobi;
    EXPECT_THROW((void)solve(small_system(), options), unsupported_error);
}

TEST(registry_test, memory_grows_with_the_matrix_and_with_the_restart_of_methods_that_restart)
{
    constexpr arithmetic in{number_format::expansion, 106};
    for (const method_traits& each : all_methods()) {
        const auto bytes = [&](index_t n, index_t restart) {
            return engine_bytes(in, each.method, n, 3 * n, true, restart);
        };
        const method_memory kept = each.memory(2000, 50);
        EXPECT_GT(kept.vectors, 0.0) << each.name;
        EXPECT_GE(kept.scalars, 0.0) << each.name;
        EXPECT_GT(bytes(1, 50), 0.0) << each.name;
        EXPECT_GT(bytes(4000, 50), 1.5 * bytes(2000, 50)) << each.name;
        EXPECT_EQ(bytes(2000, 1000) > bytes(2000, 50), each.restarts) << each.name;
        EXPECT_GE(bytes(2000, 50), 2000.0 * kept.vectors * 16.0) << each.name;
    }
    // 20 steps at most: 24 vectors and 21 x 20 entries of the Hessenberg matrix
    EXPECT_EQ(traits_of(method::gmres).memory(20, 50).vectors, 24.0);
    EXPECT_EQ(traits_of(method::gmres).memory(20, 50).scalars, 420.0);
}

TEST(registry_test, a_preconditioner_is_made_from_a_matrix_or_says_why_not)
{
    const sparse_matrix negative = rows_of(from_rows({{-2, 1}, {1, -2}}));
    EXPECT_EQ(make_preconditioner(preconditioner::jacobi, negative).inverse->values, (std::vector<double>{-0.5, -0.5}));
    const preconditioner_options for_minres{.definite = true, .indefinite_matrix = true};
    EXPECT_EQ(make_preconditioner(preconditioner::jacobi, negative, for_minres).inverse->values,
              (std::vector<double>{0.5, 0.5}));
    EXPECT_NE(make_preconditioner(preconditioner::ssor, negative, for_minres).failure, "");
    EXPECT_NE(make_preconditioner(preconditioner::chebyshev, negative).failure, "");

    const sparse_matrix laplacian = rows_of(poisson_1d(10));
    const auto entries = [&](preconditioner p, index_t fill) {
        return make_preconditioner(p, laplacian, {.fill = fill}).factors->upper.values.size();
    };
    EXPECT_EQ(entries(preconditioner::iluk, 0), 19U);
    EXPECT_FALSE(make_preconditioner(preconditioner::none, laplacian).factors);
    for (const preconditioner p :
         {preconditioner::automatic, preconditioner::lu, preconditioner::cholesky, preconditioner::ldl}) {
        EXPECT_THROW((void)make_preconditioner(p, laplacian), unsupported_error) << to_string(p);
    }
    for (const preconditioner_traits& each : all_preconditioners()) {
        EXPECT_EQ(each.make == nullptr, each.factors || each.preconditioner == preconditioner::none ||
                                            each.preconditioner == preconditioner::given)
            << each.name;
        if (each.make != nullptr &&
            !is_by_petsc(each.preconditioner)) {  // by products with a matrix, or by triangular factors
            const made_preconditioner made = make_preconditioner(each.preconditioner, laplacian);
            EXPECT_EQ(made.failure, "") << each.name;
            EXPECT_EQ(made.inverse.has_value(), each.by_products) << each.name;
            EXPECT_EQ(made.factors.has_value(), !each.by_products) << each.name;
        }
    }
}

TEST(registry_test, lists_are_sentences)
{
    EXPECT_EQ(listed({}), "");
    EXPECT_EQ(listed({"a"}), "a");
    EXPECT_EQ(listed({"a", "b"}), "a or b");
    EXPECT_EQ(listed({"a", "b", "c"}, "and"), "a, b and c");
    EXPECT_EQ(names_with(&method_traits::dense), std::vector<std::string_view>{"direct"});
    EXPECT_EQ(names_with(&preconditioner_traits::factors), (std::vector<std::string_view>{"lu", "cholesky", "ldl"}));
}
