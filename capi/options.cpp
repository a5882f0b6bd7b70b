#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include <residua/solvers/options/option_text.hpp>

#include "errors.hpp"
#include "handles.hpp"
#include "numbers.hpp"

namespace residua::capi {
namespace {

residua_progress progress_of(const history_entry& step)
{
    return {.column = step.column,
            .iteration = step.iteration,
            .residual = to_double(step.recursive),
            .true_residual = step.exact ? to_double(*step.exact) : std::numeric_limits<double>::quiet_NaN(),
            .log10_residual = to_double(log10(step.recursive)),
            .seconds = step.seconds,
            .precision_bits = step.precision_bits};
}

void require_vectors(std::int64_t rows, std::int64_t columns)
{
    if (rows < 0 || columns < 0 || (rows > 0 && columns > std::numeric_limits<std::int64_t>::max() / rows)) {
        throw invalid_argument(std::to_string(columns) + " vectors of " + std::to_string(rows) + " numbers");
    }
}

preconditioner_function function_of(residua_preconditioner_function f, void* user, const char* name)
{
    if (f == nullptr) {
        return {};
    }
    return [=](std::span<const double> r, std::span<double> z) {
        if (const int failed = f(r.data(), z.data(), static_cast<std::int64_t>(r.size()), user); failed != 0) {
            throw invalid_argument(std::string("the product with ") + name + " failed: its function returned " +
                                   std::to_string(failed));
        }
    };
}

std::vector<double> doubles_of(const residua_numbers& x, std::int64_t size, const char* name)
{
    const std::vector<real> numbers = numbers_of(x, size, name);
    std::vector<double> doubles;
    std::transform(numbers.begin(), numbers.end(), std::back_inserter(doubles),
                   [](const real& each) { return to_double(each); });
    return doubles;
}

}  // namespace
}  // namespace residua::capi

using namespace residua::capi;

int residua_options_new(residua_options** options)
{
    return guarded_making(__func__, options, "options", [] { return std::make_unique<residua_options>(); });
}

int residua_options_set(residua_options* options, const char* name, const char* value)
{
    return guarded(__func__, [&] {
        residua::solve_options& to = handle(options, "options").options;
        require_pointer(name, "name");
        require_pointer(value, "value");
        residua::set_option(to, name, value);
    });
}

const char* residua_option_name(size_t index)
{
    const auto names = residua::option_names();
    return index < names.size() ? names[index].data() : nullptr;  // of string literals
}

int residua_options_initial_guess(residua_options* options, residua_numbers x, int64_t size)
{
    return guarded(__func__, [&] {
        residua::solve_options& to = handle(options, "options").options;
        if (size < 0) {
            throw invalid_argument("a guess of " + std::to_string(size) + " numbers");
        }
        to.initial_guess = parts_of(x, 0, size, "x", false);
        options->has_complex_guess = are_complex(x, "x");
    });
}

int residua_options_null_space(residua_options* options, residua_numbers x, int64_t rows, int64_t columns)
{
    return guarded(__func__, [&] {
        residua::solve_options& to = handle(options, "options").options;
        require_vectors(rows, columns);
        std::vector<std::vector<residua::real>> vectors;
        for (std::int64_t j = 0; rows > 0 && j < columns; ++j) {
            vectors.push_back(parts_of(x, j * rows, rows, "x", false));
        }
        to.null_space = std::move(vectors);
        options->has_complex_null_space = are_complex(x, "x");
    });
}

int residua_options_near_null_space(residua_options* options, residua_numbers x, int64_t rows, int64_t columns)
{
    return guarded(__func__, [&] {
        residua::solve_options& to = handle(options, "options").options;
        require_vectors(rows, columns);
        const std::vector<double> all = doubles_of(x, rows * columns, "x");
        std::vector<std::vector<double>> vectors;
        for (auto first = all.begin(); first != all.end(); first += rows) {
            vectors.emplace_back(first, first + rows);
        }
        to.nodes.near_null_space = std::move(vectors);
    });
}

int residua_options_coordinates(residua_options* options, residua_numbers x, int64_t size)
{
    return guarded(__func__, [&] {
        residua::solve_options& to = handle(options, "options").options;
        if (size < 0) {
            throw invalid_argument(std::to_string(size) + " coordinates");
        }
        to.nodes.coordinates = doubles_of(x, size, "x");
    });
}

int residua_options_weights(residua_options* options, residua_numbers w, int64_t rows)
{
    return guarded(__func__, [&] {
        residua::solve_options& to = handle(options, "options").options;
        if (rows < 0) {
            throw invalid_argument("weights for " + std::to_string(rows) + " rows");
        }
        to.weights = numbers_of(w, rows, "w");
    });
}

int residua_options_estimate(residua_options* options, int estimate)
{
    return guarded(__func__, [&] { handle(options, "options").options.estimate_condition = estimate != 0; });
}

int residua_options_on_progress(residua_options* options, residua_progress_function function, void* user)
{
    return guarded(__func__, [&] {
        residua::solve_options& to = handle(options, "options").options;
        if (function == nullptr) {
            to.on_history = nullptr;
            return;
        }
        to.on_history = [function, user](const residua::history_entry& step) {
            const residua_progress progress = progress_of(step);
            function(&progress, user);
        };
    });
}

int residua_options_on_interrupt(residua_options* options, residua_interrupt_function function, void* user)
{
    return guarded(__func__, [&] {
        residua::solve_options& to = handle(options, "options").options;
        if (function == nullptr) {
            to.interrupted = nullptr;
            return;
        }
        to.interrupted = [function, user] { return function(user) != 0; };
    });
}

int residua_options_preconditioner(residua_options* options, residua_preconditioner_function m,
                                   residua_preconditioner_function m_t, void* user)
{
    return guarded(__func__, [&] {
        residua::solve_options& to = handle(options, "options").options;
        if (m == nullptr && m_t != nullptr) {
            throw invalid_argument("m is NULL, and m_t is not");
        }
        to.given = {.m = function_of(m, user, "M"), .m_t = function_of(m_t, user, "M'")};
        to.preconditioner = m == nullptr ? residua::preconditioner::automatic : residua::preconditioner::given;
    });
}

void residua_options_free(residua_options* options) { delete options; }
