#include "bind.hpp"

#include <utility>

#include <residua/solvers/solve_operator.hpp>

/// Operators of Python's: their products are functions from Reals to Reals.
namespace residua::python {
namespace {

/// A product that Python computes; none for None. It takes the GIL, and throws what the function raises.
product_function product_by(const nb::object& function)
{
    if (function.is_none()) {
        return {};
    }
    return [f = function.ptr()](std::vector<real> x) {
        const nb::gil_scoped_acquire acquire;
        const nb::object y = nb::borrow(f)(shared(std::move(x)));
        return *nb::cast<const reals&>(y);
    };
}

/// Tells the callback of a step. Returns whether it ends the solve.
///
/// throws  what it raises, and what a signal raises
bool ends_at(PyObject* callback, const history_entry& step)
{
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) {
        throw nb::python_error();
    }
    if (callback == Py_None) {
        return false;
    }
    try {
        nb::borrow(callback)(tuple_of(step));
    } catch (nb::python_error& e) {
        if (!e.matches(PyExc_StopIteration)) {
            throw;
        }
        return true;
    }
    return false;
}

outcome solve_operator(const nb::object& a, const nb::object& a_t, const nb::object& m, const nb::object& m_t,
                       index_t rows, index_t cols, bool complex, const option_texts& texts, bool in_binary64,
                       bool m_in_binary64, const reals& b, const std::optional<reals>& x0, const std::string& caveat,
                       const nb::object& callback)
{
    const given_operator of{.rows = rows,
                            .cols = cols,
                            .a = product_by(a),
                            .a_t = product_by(a_t),
                            .m = product_by(m),
                            .m_t = product_by(m_t),
                            .in_binary64 = in_binary64,
                            .m_in_binary64 = m_in_binary64,
                            .complex = complex};
    bool stopped = false;
    solve_options options = options_of(texts);
    options.initial_guess = x0 ? **x0 : std::vector<real>();
    options.on_history = [&stopped, with = callback.ptr()](const history_entry& step) {
        stopped = ends_at(stopped ? Py_None : with, step) || stopped;
    };
    options.interrupted = [&stopped] { return stopped; };
    const nb::gil_scoped_release release;
    solve_result result = residua::solve(of, *b, options);
    const solve_report& report = result.report;
    const bool open = report.status == solve_status::converged && !is_zero(report.rhs_norm);
    return {shared(std::move(result.x)), std::move(result.report), open ? caveat : "", static_cast<bool>(of.m)};
}

}  // namespace

void bind_operators(nb::module_& m)
{
    m.def("solve_operator", solve_operator, nb::arg("a"), nb::arg("a_t").none(), nb::arg("m").none(),
          nb::arg("m_t").none(), nb::arg("rows"), nb::arg("cols"), nb::arg("complex"), nb::arg("options"),
          nb::arg("in_binary64"), nb::arg("m_in_binary64"), nb::arg("b"), nb::arg("x0").none(), nb::arg("caveat"),
          nb::arg("callback").none());
}

}  // namespace residua::python
