#include "cases.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include <residua/solvers/gallery/gallery.hpp>
#include <residua/solvers/matrix/make_system.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/options/preconditioners.hpp>

#include "tests/support/systems.hpp"

namespace residua::soak {
namespace {

using support::ones;

linear_system generated(const char* kind, index_t n, const char* cond = "1e12")
{
    gallery_options options;
    options.n = n;
    options.cond = real(cond, 64);
    options.definite = std::string_view(kind) == "randsvd";
    const io::coo<real> a = all_entries(make_gallery(gallery_kind_of(kind), options));
    return make_system(a, ones(a.rows));
}

linear_system overdetermined()
{
    io::coo<double> a;
    a.rows = 12;
    a.cols = 5;
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t j = 0; j < a.cols; ++j) {
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(static_cast<double>((i * 7 + j * j * 3 + i * j) % 11) - 4.0);
        }
    }
    return make_system(a, ones(a.rows));
}

class maker {
public:
    void add(const std::string& name, const linear_system& system, const solve_options& options, index_t columns = 1,
             bool transposed = false)
    {
        soak_case made{name, system, options, {system.b}, transposed};
        for (index_t k = 1; k < columns; ++k) {
            made.right_hand_sides.push_back(system.b);
            made.right_hand_sides.back()[0] = real(static_cast<double>(k) + 0.5);
        }
        all.push_back(std::move(made));
    }

    std::vector<soak_case> all;
};

solve_options with(method m, long bits, number_format format = number_format::automatic)
{
    solve_options options;
    options.method = m;
    options.precision_bits = bits;
    options.format = format;
    options.max_iterations = 300;
    return options;
}

}  // namespace

std::vector<soak_case> soak_cases()
{
    maker cases;
    const linear_system poisson = generated("poisson2d", 9);
    const linear_system flow = generated("convection-diffusion", 8);
    const linear_system dense = generated("randsvd", 15);
    const linear_system hilbert = generated("hilbert", 8);
    const linear_system tall = overdetermined();
    const linear_system singular =
        make_system(support::from_rows({{1, 2, 3}, {2, 4, 6}, {3, 6, 10}}), {real(1.0), real(0.0), real(0.0)});

    for (const method_traits& traits : all_methods()) {
        for (const long bits : {106L, 212L, 424L}) {
            const linear_system& system = traits.method == method::lsqr ? tall : poisson;
            cases.add(fmt::format("{} {}", traits.name, bits), system, with(traits.method, bits));
        }
        if (traits.method != method::lsqr) {
            cases.add(fmt::format("{} singular", traits.name), singular, with(traits.method, 106));
            cases.add(fmt::format("{} three columns", traits.name), poisson, with(traits.method, 106), 3);
        }
    }
    for (const preconditioner_traits& traits : all_preconditioners()) {
        if (is_by_petsc(traits.preconditioner)) {
            continue;  // MPI keeps what it has taken
        }
        for (const method m : {method::cg, method::gmres}) {
            if (m == method::cg ? traits.definite : traits.general) {
                solve_options options = with(m, 106);
                options.preconditioner = traits.preconditioner;
                if (traits.preconditioner == preconditioner::given) {
                    options.given.m = [](std::span<const double> r, std::span<double> z) {
                        std::transform(r.begin(), r.end(), z.begin(), [](double each) { return 0.25 * each; });
                    };
                }
                cases.add(fmt::format("{} {}", to_string(m), traits.name), poisson, options);
            }
        }
    }
    for (const number_format format : {number_format::rns, number_format::multidigit, number_format::expansion}) {
        for (const method m : {method::cg, method::refine}) {
            cases.add(fmt::format("{} {}", to_string(m), to_string(format)), poisson, with(m, 212, format));
        }
    }
    for (const int digits : {16, 30, 100}) {
        solve_options options;
        options.digits = digits;
        cases.add(fmt::format("flow, {} digits", digits), flow, options);
        cases.add(fmt::format("flow transposed, {} digits", digits), flow, options, 2, true);
        cases.add(fmt::format("Hilbert, {} digits", digits), hilbert, options);
        cases.add(fmt::format("dense, {} digits", digits), dense, options, 2);
    }
    solve_options weighted = {.digits = 30};
    weighted.weights.assign(static_cast<std::size_t>(tall.rows), real(1.0));
    weighted.weights.front() = real(0.5);
    weighted.damp = real(0.25);
    cases.add("weighted, 30 digits", tall, weighted, 2);
    // Large enough that several threads share an operation.
    const linear_system grid = generated("poisson2d", 24);
    cases.add("large, cg", grid, with(method::cg, 212));
    cases.add("large, refine", grid, with(method::refine, 424), 2);
    cases.add("large, direct", grid, with(method::direct, 212));
    cases.add("large, gmres-ir", generated("randsvd", 60), with(method::gmres_ir, 212));
    return std::move(cases.all);
}

}  // namespace residua::soak
