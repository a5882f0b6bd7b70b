#include <residua/solvers/session/request.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <residua/solvers/build/shared_engine.hpp>
#include <residua/solvers/options/names.hpp>
#include <residua/solvers/options/option_text.hpp>
#include <residua/solvers/planning/placement.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/precond/petsc.hpp>
#include <residua/solvers/processes/processes.hpp>
#include <residua/solvers/space/long_vector.hpp>

namespace residua {
namespace {

void require_finite(bool are_finite, const std::string& what)
{
    if (!are_finite) {
        throw unsupported_error(what + " has an entry that is not a finite number");
    }
}

template <class Enum>
void require_enumerator(Enum value, std::size_t count, const std::string& what)
{
    const auto number = static_cast<long>(value);
    if (number < 0 || number >= static_cast<long>(count)) {
        throw unsupported_error("there is no " + what + " with the number " + std::to_string(number));
    }
}

/// throws  unsupported_error where the preconditioner `given` and its functions are not there together; resource_error where
///         PETSc is asked for and not there
void require_functions(const solve_options& options)
{
    const bool asked = options.preconditioner == preconditioner::given;
    if (asked != static_cast<bool>(options.given.m)) {
        throw unsupported_error(asked ? "the preconditioner given has no function: set solve_options::given"
                                      : "a function M is given, and the preconditioner is " +
                                            std::string(to_string(options.preconditioner)) + ": it has to be given");
    }
    if (asked && traits_of(options.method).transpose && !options.given.m_t) {
        throw unsupported_error(std::string(to_string(options.method)) + " needs products with M' too");
    }
    if (is_by_petsc(options.preconditioner)) {
        require_petsc();
    }
}

/// throws  unsupported_error where nodes are described to a preconditioner that does not know them, or not as it needs them;
///         dimension_error where they do not fit the matrix
void require_nodes(const linear_system& system, const solve_options& options)
{
    const node_facts& nodes = options.nodes;
    if (!nodes.are_given()) {
        return;
    }
    const auto text = [](auto number) { return std::to_string(number); };
    if (!is_by_petsc(options.preconditioner)) {
        throw unsupported_error(
            "a block size, a near-null space and coordinates are for the preconditioners amg and "
            "petsc, not for " +
            std::string(to_string(options.preconditioner)));
    }
    const index_t k = std::max<index_t>(nodes.block_size, 1);
    if (system.rows % k != 0) {
        throw dimension_error("the matrix has " + text(system.rows) + " rows, which make no groups of " + text(k) +
                              ": the block size has to divide them");
    }
    if (!nodes.near_null_space.empty() && !nodes.coordinates.empty()) {
        throw unsupported_error("a near-null space and coordinates are given, which would make another one: give one");
    }
    const auto require_numbers = [&](const std::vector<double>& v, const std::string& what) {
        if (static_cast<index_t>(v.size()) != system.rows) {
            throw dimension_error(what + " has " + text(v.size()) + " numbers for " + text(system.rows) + " rows");
        }
        if (!std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); })) {
            throw unsupported_error(what + " has an entry that is not a finite number of binary64");
        }
    };
    for (std::size_t j = 0; j < nodes.near_null_space.size(); ++j) {
        const std::vector<double>& v = nodes.near_null_space[j];
        const std::string what = "vector " + text(j + 1) + " of the near-null space";
        require_numbers(v, what);
        if (std::all_of(v.begin(), v.end(), [](double x) { return x == 0.0; })) {
            throw unsupported_error(what + " has only zeros");
        }
    }
    if (!nodes.coordinates.empty()) {
        if (k != 2 && k != 3) {
            throw unsupported_error(
                "coordinates are for nodes of 2 or 3 unknowns, displacements along each of them: "
                "the block size is " +
                text(k));
        }
        require_numbers(nodes.coordinates, "the array of coordinates");
    }
}

/// throws  unsupported_error for what several processes do not share
void require_shared(const solve_options& options)
{
    if (options.processes == nullptr) {
        return;
    }
    if (options.processes->rank() != 0) {
        throw unsupported_error("process 0 solves, and process " + std::to_string(options.processes->rank()) +
                                " serves: see lead_or_serve()");
    }
    if (options.processes->count() == 1) {
        return;
    }
    const auto refuse = [&](const std::string& what, const std::string& names) {
        throw unsupported_error(std::to_string(options.processes->count()) + " processes do not share " + what +
                                ": they take " + names + "; one process takes all");
    };
    if (!shares(options.method)) {
        refuse("the method " + std::string(to_string(options.method)), listed(shared_methods()));
    }
    const preconditioner own = traits_of(options.method).preferred;
    const preconditioner asked = options.preconditioner == preconditioner::automatic ? own : options.preconditioner;
    if (!shares(asked)) {
        refuse("the preconditioner " + std::string(to_string(asked)), listed(shared_preconditioners()));
    }
    if (options.format == number_format::rns) {
        refuse("the format rns", "native, expansion or multidigit");
    }
}

}  // namespace

void require_values(const solve_options& options)
{
    require_enumerator(options.method, all_methods().size() + 1, "method");
    require_enumerator(options.preconditioner, all_preconditioners().size() + 1, "preconditioner");
    require_enumerator(options.format, named_values<number_format>().size(), "format");
    require_enumerator(options.executor, named_values<executor>().size(), "executor");
    require_enumerator(options.profile, named_values<profiling>().size(), "kind of profile");
    require_options(options);
}

void require_request(const linear_system& system, const solve_options& options)
{
    require_values(options);
    require_shape(system, options.method);
    const bool finite = system.exact.empty() ? std::all_of(system.values.begin(), system.values.end(),
                                                           [](double a) { return std::isfinite(a); })
                                             : system.exact.are_finite();
    if (!finite) {
        throw unsupported_error("the matrix has an entry that is not a finite number");
    }
    require_fitting(options.method, options.preconditioner);
    require_shared(options);
    require_format(options.method, options.format);
    require_functions(options);
    require_nodes(system, options);
    require_factors(options);
    require_executor(options);
    if (options.executor == executor::cuda) {
        (void)make_cuda_executor(options.device);
    }
}

void require_columns(index_t rows, index_t cols, const std::vector<given_rhs>& right_hand_sides,
                     const solve_options& options)
{
    const std::size_t count = right_hand_sides.size();
    const auto name_of = [&](std::size_t k) {
        return count != 1 ? "right-hand side " + std::to_string(k + 1) : std::string("the right-hand side");
    };
    for (std::size_t k = 0; k < count; ++k) {
        const given_rhs& b = right_hand_sides[k];
        if (b.size() != rows) {
            throw dimension_error(name_of(k) + " has " + std::to_string(b.size()) + " entries, the matrix " +
                                  std::to_string(rows) + " rows");
        }
        require_finite(b.is_finite(), name_of(k));
    }
    const auto& pieces = options.guess_in_pieces;
    if (!pieces.empty() && !options.initial_guess.empty()) {
        throw unsupported_error("initial guesses are given in pieces and as initial_guess: give one of both");
    }
    if (!pieces.empty() && pieces.size() != count) {
        throw dimension_error("there are " + std::to_string(pieces.size()) + " initial guesses in pieces for " +
                              std::to_string(count) + " right-hand sides");
    }
    for (const auto& each : pieces) {
        if (each == nullptr || each->size() != cols) {
            throw dimension_error("an initial guess in pieces has " +
                                  (each == nullptr ? "no" : std::to_string(each->size())) + " entries, the matrix " +
                                  std::to_string(cols) + " columns");
        }
    }
    const std::size_t guessed = options.initial_guess.size();
    if (guessed > 0 && guessed != static_cast<std::size_t>(cols) * count) {
        throw dimension_error("the initial guess has " + std::to_string(guessed) + " entries, the matrix " +
                              std::to_string(cols) + " columns" +
                              (count != 1 ? " for " + std::to_string(count) + " columns of x" : ""));
    }
    require_finite(given_rhs(options.initial_guess).is_finite(), "the initial guess");
}

}  // namespace residua
