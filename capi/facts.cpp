// What a solver knows of its matrix.
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mpfr.h>

#include <residua/solvers/report_json.hpp>

#include "errors.hpp"
#include "handles.hpp"
#include "numbers.hpp"
#include "working.hpp"

namespace residua::capi {
namespace {

/// throws  unsupported_error if there is nothing, because the rank is not known
template <class Found>
Found known_rank_of(std::optional<Found> found)
{
    if (!found) {
        throw unsupported_error(
            "the rank is not known: exact elimination is out of reach, or entries were rounded when they were read, "
            "and no factors suffice for the condition; or the time limit has passed");
    }
    return *std::move(found);
}

/// The least double that is not below x, whatever its size.
double double_above(const real& x) { return mpfr_get_d(x.mpfr(), MPFR_RNDU); }

/// throws  unsupported_error if it is not known
determinant_estimate determinant_of(residua_solver& s)
{
    const working until_done(s);
    std::optional<determinant_estimate> found = s.solver.determinant();
    if (!found) {
        throw unsupported_error(
            "the determinant is not known: the matrix looks singular, factors in the bits "
            "that it needs are out of reach, or the time limit has passed");
    }
    return *std::move(found);
}

/// Writes det(A), or its size.
void put_determinant(residua_solver* solver, int digits, char* text, std::size_t size, std::size_t* needed,
                     double* relative_error, bool absolute)
{
    residua_solver& s = handle(solver, "solver");
    require_digits(digits);
    if (size > 0) {
        require_pointer(text, "text");
    }
    const determinant_estimate found = determinant_of(s);
    if (found.parts && !absolute) {
        throw unsupported_error(
            "the determinant of a complex matrix that is not hermitian is no real number: "
            "residua_solver_complex_determinant(), residua_solver_abs_determinant()");
    }
    const real value = absolute ? abs(found.value) : found.value;
    const std::string decimal = digits == 0 ? to_string(value) : to_string(value, digits);
    if (relative_error != nullptr) {
        *relative_error =
            double_above(found.relative_error_of(sign(found.value) < 0 && absolute ? "-" + decimal : decimal));
    }
    put_text(decimal, text, size, needed);
}

/// det(A) as a vector of one complex number.
std::unique_ptr<residua_vector> complex_determinant_of(residua_solver& s, double* relative_error)
{
    const determinant_estimate found = determinant_of(s);
    const auto [re, im] = found.parts.value_or(std::pair(found.value, real(0.0)));
    auto made = std::make_unique<residua_vector>();
    made->complex = true;
    made->columns.push_back({re, im});
    put(relative_error, double_above(found.relative_error));
    return made;
}

}  // namespace
}  // namespace residua::capi

using namespace residua::capi;

int residua_solver_condition(residua_solver* solver, double* condition)
{
    return guarded(__func__, [&] {
        residua_solver& s = handle(solver, "solver");
        require_pointer(condition, "condition");
        const working until_done(s);
        const auto found = s.solver.condition();
        *condition = found ? to_double(found->condition) : std::numeric_limits<double>::quiet_NaN();
    });
}

int residua_solver_determinant(residua_solver* solver, int digits, char* text, size_t size, size_t* needed,
                               double* relative_error)
{
    return guarded(__func__, [&] { put_determinant(solver, digits, text, size, needed, relative_error, false); });
}

int residua_solver_abs_determinant(residua_solver* solver, int digits, char* text, size_t size, size_t* needed,
                                   double* relative_error)
{
    return guarded(__func__, [&] { put_determinant(solver, digits, text, size, needed, relative_error, true); });
}

int residua_solver_complex_determinant(residua_solver* solver, double* relative_error, residua_vector** determinant)
{
    return guarded_making(__func__, determinant, "determinant",
                          [&] { return complex_determinant_of(handle(solver, "solver"), relative_error); });
}

int residua_solver_inertia(residua_solver* solver, int64_t* positive, int64_t* negative, int64_t* zero)
{
    return guarded(__func__, [&] {
        residua_solver& s = handle(solver, "solver");
        const working until_done(s);
        const auto found = s.solver.inertia();
        if (!found) {
            throw residua::unsupported_error(
                "the inertia is not known: the matrix looks singular, factors in the bits that "
                "it needs are out of reach, or the time limit has passed");
        }
        put(positive, found->positive);
        put(negative, found->negative);
        put(zero, found->zero);
    });
}

int residua_solver_rank(residua_solver* solver, int64_t* rank, int64_t* nullity, const char** source)
{
    return guarded(__func__, [&] {
        residua_solver& s = handle(solver, "solver");
        const working until_done(s);
        const auto found = known_rank_of(s.solver.rank());
        put(rank, found.rank);
        put(nullity, found.nullity);
        put(source, to_string(found.source).data());  // of a literal, which ends with 0
    });
}

int residua_solver_null_space(residua_solver* solver, int* digits, residua_vector** basis)
{
    return guarded_making(__func__, basis, "basis", [&] {
        residua_solver& s = handle(solver, "solver");
        const working until_done(s);
        residua::null_space_basis found = known_rank_of(s.solver.null_space());
        put(digits, found.digits);
        std::unique_ptr<residua_vector> made;
        if (!found.vectors.empty()) {
            made = std::make_unique<residua_vector>();
            made->columns = std::move(found.vectors);
            made->complex = s.solver.system().complex;
        }
        return made;
    });
}

int residua_solver_inverse_entries(residua_solver* solver, int64_t count, const int64_t* row, const int64_t* column,
                                   double* error, residua_status* status, residua_vector** entries)
{
    return guarded_making(__func__, entries, "entries", [&] {
        residua_solver& s = handle(solver, "solver");
        if (count < 0) {
            throw invalid_argument(std::to_string(count) + " entries");
        }
        std::vector<std::pair<residua::index_t, residua::index_t>> places;
        for (std::int64_t k = 0; k < count; ++k) {
            require_pointer(row, "row");
            require_pointer(column, "column");
            places.emplace_back(row[k], column[k]);
        }
        const working until_done(s);
        std::vector<residua::inverse_entry> found = s.solver.inverse_entries(places);
        auto made = std::make_unique<residua_vector>();
        made->complex = s.solver.system().complex;
        std::vector<residua::real>& numbers = made->columns.emplace_back();
        for (std::size_t k = 0; k < found.size(); ++k) {
            if (error != nullptr) {
                error[k] = found[k].error ? to_double(*found[k].error) : std::numeric_limits<double>::quiet_NaN();
            }
            if (status != nullptr) {
                status[k] = static_cast<residua_status>(found[k].status);
            }
            numbers.push_back(std::move(found[k].value));
            if (made->complex) {
                numbers.push_back(std::move(found[k].imaginary));
            }
        }
        return made;
    });
}

int residua_solver_plan(residua_solver* solver, const char** json)
{
    return guarded(__func__, [&] {
        require_pointer(json, "json");
        *json = nullptr;
        residua_solver& s = handle(solver, "solver");
        const working until_done(s);
        s.plan = to_json(s.solver.plan(), s.solver.costs());
        *json = s.plan.c_str();
    });
}
