#include "bind.hpp"

#include <map>
#include <new>
#include <stdexcept>
#include <string>

#include <nanobind/stl/map.h>

#include <residua/blas/base/library.hpp>
#include <residua/io/interruption.hpp>
#include <residua/io/parallel.hpp>
#include <residua/solvers/options/names.hpp>
#include <residua/solvers/options/option_text.hpp>
#include <residua/solvers/solve.hpp>

namespace residua::python {
namespace {

/// Raises the exception of that name in residua._errors.
void raise(const char* name, const char* words)
{
    const nb::object type = nb::module_::import_("residua._errors").attr(name);
    PyErr_SetString(type.ptr(), words);
}

void translate(const std::exception_ptr& thrown, void*)
{
    try {
        std::rethrow_exception(thrown);
    } catch (const busy_error& e) {
        raise("BusyError", e.what());
    } catch (const dimension_error& e) {
        raise("DimensionError", e.what());
    } catch (const unsupported_error& e) {
        raise("UnsupportedError", e.what());
    } catch (const resource_error& e) {
        raise("ResourceError", e.what());
    } catch (const io::stopped_error&) {
        PyErr_SetString(PyExc_TimeoutError, "the time limit has passed");
    } catch (const error& e) {  // arguments, decimals, files
        raise("InputError", e.what());
    } catch (const std::bad_alloc&) {
        raise("ResourceError", "there is not enough memory");
    } catch (const std::length_error&) {
        raise("ResourceError", "there is not enough memory: an array would be larger than any memory");
    }
}

template <class E>
std::vector<std::string> names_of()
{
    std::vector<std::string> names;
    for (const named_value<E>& each : named_values<E>()) {
        names.emplace_back(each.name);
    }
    return names;
}

std::vector<std::string> method_names()
{
    std::vector<std::string> names{std::string(to_string(method::automatic))};
    for (const method_traits& each : all_methods()) {
        names.emplace_back(each.name);
    }
    return names;
}

std::vector<std::string> preconditioner_names()
{
    std::vector<std::string> names{"auto"};
    for (const preconditioner_traits& each : all_preconditioners()) {
        if (names.front() != each.name) {
            names.emplace_back(each.name);
        }
    }
    return names;
}

}  // namespace

void bind_errors(nb::module_&) { nb::register_exception_translator(translate); }

NB_MODULE(_core, m)
{
    m.doc() = "What the package residua stands on.";
    m.attr("version") = RESIDUA_PYTHON_VERSION;
    m.attr("built_with_cuda") = built_with_cuda();
    m.attr("methods") = nb::cast(method_names());
    m.attr("preconditioners") = nb::cast(preconditioner_names());
    m.attr("formats") = nb::cast(names_of<number_format>());
    m.attr("executors") = nb::cast(names_of<executor>());
    m.attr("most_digits") = most_digits();
    m.attr("default_restart") = default_restart;
    m.attr("longest_precision") = available_precisions().back();
    m.def(
        "blas",
        [] {
            const blas::library_info& info = blas::library();
            return std::map<std::string, std::string>{{"name", info.name},
                                                      {"version", info.version},
                                                      {"core", info.core},
                                                      {"suggested_core", info.suggested_core}};
        },
        "The library of BLAS and LAPACK that is loaded.");
    bind_errors(m);
    bind_numbers(m);
    bind_systems(m);
    bind_arithmetic(m);
    bind_solvers(m);
    bind_operators(m);
    bind_batch(m);
}

}  // namespace residua::python
