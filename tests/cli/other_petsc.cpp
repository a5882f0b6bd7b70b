// A plug-in for PETSc of another release, whose table has another version and may have anything behind it; with
// RESIDUA_OTHER_FAILS one of this release that fails as this variable says.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include <residua/solvers/precond/petsc_table.hpp>

namespace {

using residua::petsc_outcome;

std::string how()
{
    const char* const named = std::getenv("RESIDUA_OTHER_FAILS");
    return named != nullptr ? named : "";
}

petsc_outcome make(const residua::petsc_matrix* a, const char*, void** m, char* message, std::size_t size)
{
    std::snprintf(message, size, "no M by this one");
    *m = new std::int32_t(a->rows);
    return how() == "option"    ? petsc_outcome::option
           : how() == "memory"  ? petsc_outcome::memory
           : how() == "failure" ? petsc_outcome::failure
                                : petsc_outcome::done;
}

petsc_outcome apply(void* m, const double* r, double* z, char* message, std::size_t size)
{
    std::snprintf(message, size, "no product by this one");
    const std::int32_t n = *static_cast<std::int32_t*>(m);
    if (how() == "stagnation") {  // z = -r is no descent
        std::transform(r, r + n, z, [](double x) { return -x; });
    } else {
        std::fill_n(z, n, std::numeric_limits<double>::quiet_NaN());
    }
    return how() == "product" ? petsc_outcome::failure : petsc_outcome::done;
}

void release(void* m) { delete static_cast<std::int32_t*>(m); }

}  // namespace

extern "C" const residua::petsc_table* residua_petsc_table()
{
    static const residua::petsc_table other{
        .version = residua::petsc_table_version + 1, .make = nullptr, .apply = nullptr, .free = nullptr};
    static const residua::petsc_table failing{residua::petsc_table_version, make, apply, release};
    return how().empty() ? &other : &failing;
}
