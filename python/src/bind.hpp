#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/solve.hpp>

/// The Python module residua._core, on which the package in python/residua stands. Its functions expect arguments that
/// the package has checked; for others they throw an exception nevertheless.
namespace residua::python {

namespace nb = nanobind;

/// An option or an argument that makes no sense; in Python an InputError.
class argument_error : public error {
public:
    using error::error;
};

/// A call to a solver from one of its own callbacks; in Python a BusyError.
class busy_error : public error {
public:
    using error::error;
};

/// Numbers that do not change, so that threads and objects share them.
struct reals {
    std::shared_ptr<const std::vector<real>> all;

    const std::vector<real>& operator*() const { return *all; }
};

inline reals shared(std::vector<real> numbers)
{
    return {std::make_shared<const std::vector<real>>(std::move(numbers))};
}

/// A matrix that does not change.
struct system {
    std::shared_ptr<const linear_system> matrix;
};

/// The result of a solve for one right-hand side.
struct outcome {
    reals x;
    solve_report report;
    std::string caveat;                     ///< what a residual that passes leaves uncertain; empty: nothing
    bool has_given_preconditioner = false;  ///< M is the caller's
};

/// (column, iteration, recursive residual, true residual or None, seconds, bits)
nb::tuple tuple_of(const history_entry& e);

/// Options by the names that they have in Python, and their values as text.
using option_texts = std::vector<std::pair<std::string, std::string>>;

/// throws  option_error as set_option()
solve_options options_of(const option_texts& texts);

template <class T>
using flat_array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const flat_array<T>& x)
{
    return {x.data(), x.size()};
}

/// A new array that owns its numbers.
template <class T>
nb::ndarray<nb::numpy, T> array_of(std::vector<T> numbers, std::initializer_list<std::size_t> shape)
{
    auto* kept = new std::vector<T>(std::move(numbers));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(kept->data(), shape, owner);
}

/// The decimal of the fewest digits, or nearly so, that reads back as x at its precision.
std::string shortest(const real& x);

void bind_errors(nb::module_& m);
void bind_numbers(nb::module_& m);
void bind_arithmetic(nb::module_& m);
void bind_systems(nb::module_& m);
void bind_solvers(nb::module_& m);
void bind_operators(nb::module_& m);
void bind_batch(nb::module_& m);

}  // namespace residua::python
