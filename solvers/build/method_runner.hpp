#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <residua/solvers/methods/list.hpp>
#include <residua/solvers/methods/method_problem.hpp>

namespace residua {

/// A method with its workspace on one problem: solves A x = b for each column from the guess x, and returns a report for
/// each.
template <vector_space S>
using method_runner = std::function<std::vector<iteration_report>(const std::vector<method_column<S>>&)>;

namespace detail {

template <class M, vector_space S>
method_runner<S> runner_of(const S& space, const method_problem<S>& problem)
{
    using workspace = decltype(M::make_workspace(space, problem));
    const auto work = std::make_shared<workspace>(M::make_workspace(space, problem));
    return [&space, &problem, work](const std::vector<method_column<S>>& columns) {
        if constexpr (M::traits.together) {
            return M::run(space, problem, columns, *work);
        } else {
            std::vector<iteration_report> reports;
            reports.reserve(columns.size());
            for (const method_column<S>& each : columns) {
                reports.push_back(M::run(space, problem, each, *work));
            }
            return reports;
        }
    };
}

}  // namespace detail

/// The runner of a method of solve_methods, for a space and a problem that outlive it. Empty: GMRES-IR and `direct`, which
/// are traits alone.
template <vector_space S>
method_runner<S> make_runner(method m, const S& space, const method_problem<S>& problem)
{
    method_runner<S> runner;
    const auto take_if_asked = [&]<class M>() {
        if constexpr (requires { M::make_workspace(space, problem); }) {
            if (M::traits.method == m) {
                runner = detail::runner_of<M>(space, problem);
            }
        }
    };
    [&]<class... M>(method_list<M...>) { (take_if_asked.template operator()<M>(), ...); }(solve_methods{});
    return runner;
}

}  // namespace residua
