#include "bind.hpp"

#include <exception>
#include <utility>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/native/double.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/batch/batch_request.hpp>
#include <residua/solvers/batch/solve_batch.hpp>

namespace residua::python {
namespace {

/// Numbers as sums of doubles: term k of all of them is plane k.
using planes = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> joined(const planes& x)
{
    std::vector<T> all(x.shape(1), T{0.0});
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t k = 0; k < x.shape(0); ++k) {
            term(all[i], static_cast<int>(k)) = x(k, i);
        }
    }
    return all;
}

std::vector<real> numbers_of(const batch_solution& found)
{
    std::vector<real> all;
    detail::with_format(found.terms, [&]<class T>(T) {
        for (index_t s = 0; s < found.count; ++s) {
            for (index_t i = 0; i < found.n; ++i) {
                all.push_back(to_real(found.get<T>(s, i)));
            }
        }
    });
    return all;
}

/// The solution without the GIL; Ctrl-C ends it.
template <class T>
batch_solution solved(const dense_batch<T>& systems, const batch_options& options)
{
    std::exception_ptr signalled;
    const io::stop_function stop = [&] {
        const nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) {
            try {
                throw nb::python_error();
            } catch (const nb::python_error&) {
                signalled = std::current_exception();
            }
        }
        return signalled != nullptr;
    };
    const nb::gil_scoped_release release;
    const io::interruption watched(stop);
    try {
        return solve_batch(systems, options);
    } catch (const io::stopped_error&) {
        std::rethrow_exception(signalled);
    }
}

nb::tuple solve_planes(index_t count, index_t n, const planes& a, const planes& b, const option_texts& texts,
                       bool one_by_one)
{
    if (a.shape(0) != b.shape(0) || a.shape(0) < 1 || a.shape(0) > detail::most_terms) {
        throw argument_error("A and b: numbers of a batch have 1 to 4 terms, as many in A as in b");
    }
    const solve_options asked = options_of(texts);
    const batch_options options{.digits = asked.digits,
                                .precision_bits = asked.precision_bits,
                                .executor = asked.executor,
                                .device = asked.device,
                                .threads = asked.threads,
                                .one_by_one = one_by_one};
    const batch_solution found = detail::with_format(static_cast<int>(a.shape(0)), [&]<class T>(T) {
        const std::vector<T> entries = joined<T>(a);
        const std::vector<T> right = joined<T>(b);
        return solved<T>({.n = n, .count = count, .a = entries, .b = right}, options);
    });
    nb::list verdicts;
    for (const batch_verdict& each : found.verdicts) {
        verdicts.append(nb::make_tuple(std::string(to_string(each.status)), each.digits, each.error, each.one_by_one));
    }
    return nb::make_tuple(shared(numbers_of(found)), verdicts);
}

}  // namespace

void bind_batch(nb::module_& m)
{
    const auto plain = [](const char* name) { return nb::arg(name).noconvert(); };
    m.def("solve_batch", solve_planes, nb::arg("count"), nb::arg("n"), plain("a"), plain("b"), nb::arg("options"),
          nb::arg("one_by_one"));
}

}  // namespace residua::python
