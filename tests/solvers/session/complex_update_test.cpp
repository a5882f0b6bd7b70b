// Other values in the places of the entries of complex systems: what a new solver gives.
#include <algorithm>
#include <complex>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/complex/complex.hpp>
#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/solver.hpp>
#include <tests/support/complex_matrices.hpp>

namespace residua {
namespace {

using namespace residua::support;
using z = std::complex<double>;

/// A matrix of n rows with up to three entries in each, of which that on the diagonal dominates.
struct sparse_entries {
    index_t n;
    std::vector<index_t> row, column;
    std::vector<z> value;

    linear_system system() const { return make_system(coo_view<index_t, z>{n, n, row, column, value}); }
};

sparse_entries some_entries(random_integers& random, index_t n)
{
    sparse_entries a{n, {}, {}, {}};
    for (index_t i = 0; i < n; ++i) {
        for (const index_t j : {(7 * i + 3) % n, i, (5 * i + 1) % n}) {
            if (a.row.empty() || a.row.back() != i || a.column.back() != j) {
                a.row.push_back(i);
                a.column.push_back(j);
                a.value.emplace_back(random.below(4) + (i == j ? 20 : 1), random.below(3));
            }
        }
    }
    return a;
}

/// The entries of a system one by one, as update_values() takes them.
std::vector<z> in_order(const linear_system& form)
{
    const auto [re, im] = parts_of(form);
    std::vector<z> all;
    for (std::size_t k = 0; k < re.values.size(); ++k) {
        all.emplace_back(re.values[k], im.values[k]);
    }
    return all;
}

void expect_same(solver& kept, solver& fresh, const std::vector<real>& b)
{
    ASSERT_EQ(kept.system().column, fresh.system().column);
    EXPECT_EQ(kept.solve(b).x, fresh.solve(b).x);
    EXPECT_EQ(kept.solve_transposed(b).x, fresh.solve_transposed(b).x);
    EXPECT_EQ(kept.determinant()->value, fresh.determinant()->value);
    EXPECT_EQ(kept.determinant()->parts, fresh.determinant()->parts);
}

}  // namespace

TEST(complex_update_test, gives_what_a_new_solver_gives)
{
    random_integers random{{11}};
    for (const index_t n : {index_t{6}, index_t{150}}) {
        const sparse_entries a = some_entries(random, n);
        const std::vector<real> b = as_reals(some_vector(random, static_cast<std::size_t>(2 * n)));
        solver kept(a.system(), {.digits = 25});
        kept.solve(b);
        const std::vector<std::pair<std::string, std::function<z(z)>>> changes{
            {"the same parts are zero", [](z x) { return 0.75 * x; }},
            {"other parts are zero", [](z x) { return x * z(0.0, 1.0); }},
            {"no part is zero", [](z x) { return x * z(1.0, 0.125); }},
            {"all are real", [](z x) { return x.real() + 0.5 * x.imag(); }}};
        for (const auto& [what, change] : changes) {
            SCOPED_TRACE(what + ", " + std::to_string(n));
            sparse_entries changed = a;
            for (z& x : changed.value) {
                x = change(x);
            }
            linear_system system = changed.system();
            if (!system.complex) {
                system = as_complex(system);
            }
            solver fresh(system, {.digits = 25});
            kept.update_values(in_order(system));
            kept.update_values(in_order(system));  // what nobody has looked at
            expect_same(kept, fresh, b);
        }
    }
}

TEST(complex_update_test, symmetry_comes_and_goes)
{
    random_integers random{{12}};
    constexpr index_t n = 150;
    sparse_entries a{n, {}, {}, {}};  // a chain
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = std::max<index_t>(i - 1, 0); j < std::min(i + 2, n); ++j) {
            a.row.push_back(i);
            a.column.push_back(j);
            a.value.emplace_back(i == j ? 1.5 : -1.0, 0.25);
        }
    }
    const std::vector<real> b = as_reals(some_vector(random, 2 * n));
    solver kept(a.system(), {.digits = 25});
    kept.solve(b);
    struct change {
        std::string name;
        z diagonal, every_fifth, below, above;
    };
    const std::vector<change> changes{
        {"complex symmetric, as at first", {1.5, 0.125}, {1.5, 0.125}, {-1.0, 0.5}, {-1.0, 0.5}},
        {"neither", {1.5, 0.125}, {1.5, 0.125}, {-1.0, 0.5}, {-2.0, 0.25}},
        {"with imaginary parts on the diagonal", {0.125, 1.5}, {0.125, 1.5}, {0.25, 1.0}, {0.25, 1.0}},
        {"with single ones", {1.5, 0.125}, {0.0625, 2.0}, {-1.0, 0.5}, {-1.0, 0.5}},
        {"hermitian", {4.0, 0.0}, {-3.0, 0.0}, {-1.0, 0.5}, {-1.0, -0.5}},
        {"symmetric again", {1.5, 0.25}, {1.5, 0.5}, {-1.0, 0.5}, {-1.0, 0.5}}};
    for (const change& to : changes) {
        SCOPED_TRACE(to.name);
        for (std::size_t k = 0; k < a.value.size(); ++k) {
            a.value[k] = a.row[k] > a.column[k]   ? to.below
                         : a.row[k] < a.column[k] ? to.above
                         : a.row[k] % 5 == 0      ? to.every_fifth
                                                  : to.diagonal;
        }
        solver fresh(a.system(), {.digits = 25});
        kept.update_values(a.value);
        expect_same(kept, fresh, b);
    }
}

TEST(complex_update_test, takes_numbers_of_any_kind)
{
    const std::vector<z> first{{2, 0}, {0, 1}, {0, -1}, {3, 0}};
    solver by(make_system(dense_view<z>{2, 2, first}), {.digits = 30});
    const std::vector<real> b{real(1.0), real(2.0), real(3.0), real(4.0)};

    const std::vector<double> parts{4, 1, 0, 2, 1, -2, 5, 0};
    by.update_values(parts);
    const std::vector<z> same{{4, 1}, {0, 2}, {1, -2}, {5, 0}};
    solver fresh(make_system(dense_view<z>{2, 2, same}), {.digits = 30});
    expect_same(by, fresh, b);
    EXPECT_TRUE(by.system().exact.empty());

    by.update_values(std::vector<int>{4, 1, 0, 2, 1, -2, 5, 0});
    expect_same(by, fresh, b);

    std::vector<complex_number<real>> thirds;
    for (const z& x : same) {
        thirds.emplace_back(real(x.real(), 300) / real(3.0, 300), real(x.imag(), 300) / real(3.0, 300));
    }
    by.update_values(thirds);
    solver of_thirds(make_system(dense_view<complex_number<real>>{2, 2, thirds}), {.digits = 30});
    expect_same(by, of_thirds, b);
    EXPECT_FALSE(by.system().exact.empty());
    EXPECT_GE(by.solve(b).report.digits, 30);
}

TEST(complex_update_test, what_reading_had_rounded_before_counts_no_longer)
{
    random_integers random{{12}};
    const linear_system exact = some_entries(random, 12).system();
    linear_system rounded = exact;
    rounded.reading_error = real(0.25);
    solver kept(rounded, {.digits = 20}), fresh(exact, {.digits = 20});
    kept.update_values(in_order(exact));
    EXPECT_EQ(kept.system().reading_error, real(0.0));
    expect_same(kept, fresh, std::vector<real>(24, real(1.0)));
}

TEST(complex_update_test, a_null_space_stays)
{
    const std::vector<z> singular{{1, 0}, {0, 1}, {0, -1}, {1, 0}};  // takes (1, i) to zero
    const std::vector<z> twice{{2, 0}, {0, 2}, {0, -2}, {2, 0}};
    const solve_options options{.digits = 20, .null_space = {{real(1.0), real(0.0), real(0.0), real(1.0)}}};
    const std::vector<z> b{{2, 0}, {0, -2}};
    solver kept(make_system(dense_view<z>{2, 2, singular}), options);
    kept.solve(b);
    kept.update_values(twice);
    solver fresh(make_system(dense_view<z>{2, 2, twice}), options);
    const solve_result result = kept.solve(b);
    EXPECT_EQ(kept.options().null_space.size(), 2U);
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_EQ(result.x, fresh.solve(b).x);
}

TEST(complex_update_test, what_is_refused_changes_nothing)
{
    const std::vector<z> a{{2, 0}, {0, 1}, {0, -1}, {3, 0}};
    const std::vector<z> b{{1, 2}, {3, 4}};
    solver by(make_system(dense_view<z>{2, 2, a}), {.digits = 20});
    const std::vector<real> before = by.solve(b).x;
    EXPECT_THROW(by.update_values(std::vector<double>(4, 1.0)), dimension_error);
    EXPECT_THROW(by.update_values(std::vector<z>(3)), dimension_error);
    EXPECT_THROW(by.update_values(std::vector<z>(4, {1.0, std::numeric_limits<double>::infinity()})),
                 unsupported_error);
    EXPECT_EQ(by.solve(b).x, before);
}

}  // namespace residua
