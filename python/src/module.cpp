#include "bind.hpp"

#include <map>
#include <new>
#include <span>
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

template <class T>
std::vector<std::string> texts_of(std::span<const named_value<T>> all)
{
    std::vector<std::string> texts;
    for (const named_value<T>& each : all) {
        texts.emplace_back(each.name);
    }
    return texts;
}

}  // namespace

void bind_errors(nb::module_&) { nb::register_exception_translator(translate); }

NB_MODULE(_core, m)
{
    m.doc() = "What the package residua stands on.";
    m.attr("version") = RESIDUA_PYTHON_VERSION;
    m.attr("built_with_cuda") = built_with_cuda();
    m.attr("methods") = nb::cast(texts_of<method>(method_choices()));
    m.attr("preconditioners") = nb::cast(texts_of<preconditioner>(preconditioner_choices()));
    m.attr("formats") = nb::cast(texts_of<number_format>(format_choices()));
    m.attr("executors") = nb::cast(texts_of(named_values<executor>()));
    m.attr("precisions") = nb::cast(texts_of<long>(precision_choices()));
    m.attr("factors") = nb::cast(texts_of<long>(factor_choices()));
    m.attr("most_digits") = most_digits();
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
