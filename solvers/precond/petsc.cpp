#include <residua/solvers/precond/petsc.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>

#include <residua/solvers/options/option_text.hpp>
#include <residua/solvers/precond/petsc_table.hpp>

namespace residua {
namespace {

constexpr const char* file_name = "libresidua_petsc.so";

/// The folder of the library or program that holds this code, with a slash; empty: unknown.
std::string own_folder()
{
    Dl_info found{};
    if (dladdr(reinterpret_cast<const void*>(&require_petsc), &found) == 0 || found.dli_fname == nullptr) {
        return "";
    }
    const std::unique_ptr<char, void (*)(void*)> path(realpath(found.dli_fname, nullptr), std::free);
    const std::string file = path != nullptr ? path.get() : "";
    return file.substr(0, file.rfind('/') + 1);
}

void* opened(const std::string& file)
{
    int flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
#if defined(RTLD_DEEPBIND) && !defined(__SANITIZE_ADDRESS__)  // the sanitizer ends programs that ask for it
    flags |= RTLD_DEEPBIND;  // the symbols of a PETSc for complex numbers in the same process have the same names
#endif
    return dlopen(file.c_str(), flags);
}

[[noreturn]] void fail(const std::string& why)
{
    throw resource_error("PETSc's preconditioners need " + std::string(file_name) +
                         " of the package residua-petsc: " + why);
}

const petsc_table* find_table()
{
    const char* const named = std::getenv("RESIDUA_PETSC");
    const bool is_named = named != nullptr && *named != '\0';
    const std::string folder = own_folder();
    std::vector<std::string> files{file_name};
    if (is_named) {
        files = {named};
    } else if (!folder.empty()) {
        files.insert(files.begin(), folder + file_name);
    }
    void* library = nullptr;
    std::string reason;
    for (const std::string& file : files) {
        if (library == nullptr && (library = opened(file)) == nullptr) {
            const char* const why = dlerror();
            reason += (reason.empty() ? "" : "; ") + std::string(why != nullptr ? why : file);
        }
    }
    if (library == nullptr) {
        fail("it is not there (" + reason + ")" +
             (is_named ? ", and RESIDUA_PETSC names it" : "; RESIDUA_PETSC may name the file"));
    }
    const auto table_of = reinterpret_cast<const petsc_table* (*)()>(dlsym(library, petsc_table_function));
    const petsc_table* const table = table_of != nullptr ? table_of() : nullptr;
    if (table == nullptr || table->version != petsc_table_version) {
        fail("the one that was found has version " + (table == nullptr ? "0" : std::to_string(table->version)) +
             " of its interface, and this library " + std::to_string(petsc_table_version) +
             ": install one release of both");
    }
    return table;
}

/// The table of the plug-in. One that is not there is looked for again by the next call.
const petsc_table& petsc()
{
    static std::mutex alone;
    static const petsc_table* table = nullptr;
    const std::scoped_lock lock(alone);
    if (table == nullptr) {
        table = find_table();
    }
    return *table;
}

using message = std::array<char, 1024>;

}  // namespace

void require_petsc() { (void)petsc(); }

bool has_petsc()
{
    try {
        require_petsc();
    } catch (const resource_error&) {
        return false;
    }
    return true;
}

made_preconditioner make_petsc_preconditioner(const sparse_matrix& a, const std::string& options,
                                              const preconditioner_options& with)
{
    static const node_facts unknown;
    const node_facts& nodes = with.nodes != nullptr ? *with.nodes : unknown;
    constexpr auto most = std::numeric_limits<std::int32_t>::max();
    if (a.nonzeros() >= most || a.rows >= most) {
        throw resource_error("PETSc takes fewer than 2^31 rows and entries, and the matrix has " +
                             std::to_string(a.rows) + " and " + std::to_string(a.nonzeros()));
    }
    std::vector<std::int32_t> row_begin(a.row_begin.begin(), a.row_begin.end());
    std::vector<double> near_null_space;
    for (const std::vector<double>& vector : nodes.near_null_space) {
        near_null_space.insert(near_null_space.end(), vector.begin(), vector.end());
    }
    const petsc_matrix matrix{.rows = static_cast<std::int32_t>(a.rows),
                              .row_begin = row_begin.data(),
                              .column = a.column.data(),
                              .value = a.values.data(),
                              .symmetric = with.definite ? 1 : 0,
                              .definite = with.definite && !with.indefinite_matrix ? 1 : 0,
                              .block_size = static_cast<std::int32_t>(std::max<index_t>(nodes.block_size, 1)),
                              .near_null_vectors = static_cast<std::int32_t>(nodes.near_null_space.size()),
                              .near_null_space = near_null_space.data(),
                              .coordinates = nodes.coordinates.empty() ? nullptr : nodes.coordinates.data(),
                              .scaling = with.column_exponent.empty() ? nullptr : with.column_exponent.data()};
    void* m = nullptr;
    message why{};
    made_preconditioner result;
    switch (petsc().make(&matrix, options.c_str(), &m, why.data(), why.size())) {
        case petsc_outcome::done: {
            const std::shared_ptr<void> made(m, [rows = std::move(row_begin)](void* each) { petsc().free(each); });
            result.function = [made](std::span<const double> r, std::span<double> z) {
                message failed{};
                if (petsc().apply(made.get(), r.data(), z.data(), failed.data(), failed.size()) !=
                    petsc_outcome::done) {
                    throw error("the preconditioner of PETSc failed: " + std::string(failed.data()));
                }
            };
            break;
        }
        case petsc_outcome::option:
            throw option_error("precond: " + std::string(why.data()));
        case petsc_outcome::memory:
            throw resource_error("no memory for the preconditioner of PETSc: " + std::string(why.data()));
        default:
            result.failure = "PETSc made no preconditioner: " + std::string(why.data());
    }
    return result;
}

}  // namespace residua
