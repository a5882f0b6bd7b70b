#include "engine.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string_view>

#include <dlfcn.h>
#include <petsc/private/petscimpl.h>

namespace residua_petsc {
namespace {

/// The folder of this plug-in, with a slash; empty: unknown.
std::string folder_of_plug_in()
{
    Dl_info found{};
    if (dladdr(reinterpret_cast<const void*>(&open_engine), &found) == 0 || found.dli_fname == nullptr) {
        return "";
    }
    const std::unique_ptr<char, void (*)(void*)> path(realpath(found.dli_fname, nullptr), std::free);
    const std::string file = path != nullptr ? path.get() : "";
    return file.substr(0, file.rfind('/') + 1);
}

/// Looks for functions by name, and remembers one that is not there.
class finder {
public:
    explicit finder(void* library) : library_(library) {}

    template <class F>
    void find(F& function, const char* name)
    {
        function = reinterpret_cast<F>(dlsym(library_, name));
        lacking_ = function == nullptr ? name : lacking_;
    }
    const char* lacking() const { return lacking_; }

private:
    void* library_;
    const char* lacking_ = nullptr;
};

const char* find_functions(void* library, engine& e)
{
    finder in(library);
    in.find(e.error, "residua_error");
    in.find(e.system_csr32, "residua_system_csr32");
    in.find(e.system_free, "residua_system_free");
    in.find(e.options_new, "residua_options_new");
    in.find(e.options_set, "residua_options_set");
    in.find(e.options_initial_guess, "residua_options_initial_guess");
    in.find(e.options_null_space, "residua_options_null_space");
    in.find(e.options_on_progress, "residua_options_on_progress");
    in.find(e.options_on_interrupt, "residua_options_on_interrupt");
    in.find(e.options_preconditioner, "residua_options_preconditioner");
    in.find(e.options_free, "residua_options_free");
    in.find(e.solver_new, "residua_solver_new");
    in.find(e.solver_condition, "residua_solver_condition");
    in.find(e.solver_free, "residua_solver_free");
    in.find(e.solve, "residua_solve");
    in.find(e.solution_status, "residua_solution_status");
    in.find(e.solution_x, "residua_solution_x");
    in.find(e.solution_report, "residua_solution_report");
    in.find(e.solution_free, "residua_solution_free");
    in.find(e.vector_terms, "residua_vector_terms");
    return in.lacking();
}

/// What follows "field": in a report; empty: there is no such field.
std::string_view value_of_field(const std::string& report, const std::string& field)
{
    const std::string name = "\"" + field + "\":";
    const std::size_t at = report.find(name);
    std::string_view value = at == std::string::npos ? "" : std::string_view(report).substr(at + name.size());
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    return value;
}

}  // namespace

PetscErrorCode open_engine(const engine** opened)
{
    static engine functions{};
    static bool found = false;
    if (!found) {
        const char* const named = std::getenv("RESIDUA_LIBRARY");
        std::vector<std::string> files{folder_of_plug_in() + RESIDUA_ENGINE, RESIDUA_ENGINE};
        if (named != nullptr && *named != '\0') {
            files = {named};
        }
        void* library = nullptr;
        std::string reasons;
        for (const std::string& file : files) {
            if (library == nullptr &&
                (library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) == nullptr) {
                const char* const why = dlerror();
                reasons += (reasons.empty() ? "" : "; ") + std::string(why != nullptr ? why : file);
            }
        }
        if (library == nullptr) {
            SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB,
                    "residua needs " RESIDUA_ENGINE
                    " of the package libresidua, which is not there (%s); RESIDUA_LIBRARY may "
                    "name the file",
                    reasons.c_str());
        }
        if (const char* const lacking = find_functions(library, functions)) {
            SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB,
                    "the " RESIDUA_ENGINE
                    " that was found has no %s: install one release of residua-petsc and libresidua",
                    lacking);
        }
        found = true;
    }
    *opened = &functions;
    return 0;
}

PetscErrorCode checked(const engine& by, int code)
{
    static constexpr std::array<PetscErrorCode, 7> codes{0,
                                                         PETSC_ERR_ARG_WRONG,
                                                         PETSC_ERR_USER_INPUT,
                                                         PETSC_ERR_SUP,
                                                         PETSC_ERR_MEM,
                                                         PETSC_ERR_ARG_WRONGSTATE,
                                                         PETSC_ERR_LIB};
    if (code != RESIDUA_OK) {
        const bool known = code > 0 && code < static_cast<int>(codes.size());
        SETERRQ(PETSC_COMM_SELF, known ? codes[static_cast<std::size_t>(code)] : PETSC_ERR_LIB, "residua: %s",
                by.error());
    }
    return 0;
}

PetscErrorCode require_stored_matrix(Mat a)
{
    PetscBool stored = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(a), &stored, MATSEQAIJ, MATMPIAIJ, MATSEQBAIJ,
                                        MATMPIBAIJ, MATSEQDENSE, ""));
    if (stored != PETSC_TRUE) {
        MatType type = nullptr;
        PetscCall(MatGetType(a, &type));
        SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
                "residua takes matrices whose entries are stored, of type seqaij, mpiaij, seqbaij, mpibaij or "
                "seqdense, and this one is of type %s: -mat_type aij, or MatConvert() where its products are exact",
                type != nullptr ? type : "none");
    }
    return 0;
}

PetscErrorCode read_matrix(const engine& by, Mat a, handle<residua_system>& system)
{
    PetscCall(require_stored_matrix(a));
    PetscInt rows = 0, cols = 0;
    PetscCall(MatGetSize(a, &rows, &cols));
    std::vector<std::int32_t> row_begin{0}, column;
    std::vector<double> value;
    for (PetscInt i = 0; i < rows; ++i) {
        PetscInt count = 0;
        const PetscInt* in_row = nullptr;
        const PetscScalar* numbers = nullptr;
        PetscCall(MatGetRow(a, i, &count, &in_row, &numbers));
        const bool fits = count <= std::numeric_limits<std::int32_t>::max() - row_begin.back();
        if (fits) {
            column.insert(column.end(), in_row, in_row + count);
            value.insert(value.end(), numbers, numbers + count);
            row_begin.push_back(row_begin.back() + count);
        }
        PetscCall(MatRestoreRow(a, i, &count, &in_row, &numbers));
        if (!fits) {
            SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "residua inside PETSc takes fewer than 2^31 entries");
        }
    }
    residua_system* made = nullptr;
    PetscCall(checked(
        by, by.system_csr32(rows, cols, row_begin.data(), column.data(), residua_doubles(value.data()), 0, &made)));
    system = handle<residua_system>(made, by.system_free);
    return 0;
}

PetscErrorCode state_of(PetscObject object, matrix_state& state)
{
    state = {};
    if (object != nullptr) {
        PetscCall(PetscObjectGetId(object, &state.id));
        PetscCall(PetscObjectStateGet(object, &state.state));
    }
    return 0;
}

PetscErrorCode solve(const engine& by, residua_solver& solver, bool transposed, residua_numbers b, PetscInt size,
                     int each, solution& into)
{
    residua_solution* made = nullptr;
    PetscCall(checked(by, by.solve(&solver, transposed ? 1 : 0, 1, b, 0, &made)));
    const handle<residua_solution> solved(made, by.solution_free);
    into.each = each;
    into.terms.resize(static_cast<std::size_t>(size) * static_cast<std::size_t>(each));
    PetscCall(checked(by, by.vector_terms(by.solution_x(made), 0, each, into.terms.data(),
                                          static_cast<std::int64_t>(into.terms.size()))));
    PetscCall(checked(by, by.solution_status(made, 0, &into.status, &into.digits)));
    const char* json = "";
    PetscCall(checked(by, by.solution_report(made, 0, &json)));
    into.report = json;
    return 0;
}

double number_in(const std::string& report, const std::string& field)
{
    std::string_view value = value_of_field(report, field);
    value.remove_prefix(!value.empty() && value.front() == '"' ? 1 : 0);
    const std::string text(value.substr(0, value.find_first_of(",}\"")));
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    return end == text.c_str() ? std::numeric_limits<double>::quiet_NaN() : number;
}

std::string text_in(const std::string& report, const std::string& field)
{
    const std::string_view value = value_of_field(report, field);
    return value.empty() || value.front() != '"' ? "" : std::string(value.substr(1, value.find('"', 1) - 1));
}

}  // namespace residua_petsc
