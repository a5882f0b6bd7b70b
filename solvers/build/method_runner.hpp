#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <residua/solvers/methods/list.hpp>
#include <residua/solvers/methods/method_problem.hpp>

namespace residua {

/// A method with its workspace on one problem.
template <class Vector>
class method_runner {
public:
    virtual ~method_runner() = default;

    /// Solves A x = b for each column from the guess x, and returns a report for each.
    virtual std::vector<iteration_report> solve(const std::vector<method_column<Vector>>& columns) = 0;
};

namespace detail {

template <class M, vector_space S>
class runner_of final : public method_runner<typename S::vector> {
public:
    runner_of(const S& space, const method_problem<S>& problem)
        : space_(space), problem_(problem), work_(M::make_workspace(space, problem))
    {}

    std::vector<iteration_report> solve(const std::vector<method_column<typename S::vector>>& columns) override
    {
        if constexpr (M::traits.together) {
            return M::run_method(space_, problem_, columns, work_);
        } else {
            std::vector<iteration_report> reports;
            reports.reserve(columns.size());
            for (const auto& each : columns) {
                reports.push_back(M::run_method(space_, problem_, each, work_));
            }
            return reports;
        }
    }

private:
    S space_;
    method_problem<S> problem_;
    decltype(M::make_workspace(std::declval<const S&>(), std::declval<const method_problem<S>&>())) work_;
};

}  // namespace detail

/// The runner of a method of a list. Null: it is not there, or has traits
/// alone, as GMRES-IR and `direct`. In a space of complex scalars there are the methods that have complex_scalars.
template <vector_space S, class List = solve_methods>
std::unique_ptr<method_runner<typename S::vector>> make_runner(method m, const S& space,
                                                               const method_problem<S>& problem, List list = {})
{
    std::unique_ptr<method_runner<typename S::vector>> runner;
    const auto take_if_asked = [&]<class M>() {
        if constexpr (numbers_in_scalar<S> == 1 || M::traits.complex_scalars) {
            if constexpr (requires { M::make_workspace(space, problem); }) {
                if (M::traits.method == m) {
                    runner = std::make_unique<detail::runner_of<M, S>>(space, problem);
                }
            }
        }
    };
    [&]<class... M>(method_list<M...>) { (take_if_asked.template operator()<M>(), ...); }(list);
    return runner;
}

/// The runner of a method that has complex_scalars, for the real form of a complex problem of n unknowns, of 2n rows:
/// the method has complex scalars and n unknowns. Null as for make_runner(). It is compiled for the spaces of engines
/// in files of their own, complex_*runners.cpp, as the methods take long to compile.
///
/// throws   dimension_error for an odd number of rows
template <array_space S, class List = solve_methods>
std::unique_ptr<method_runner<typename S::vector>> make_complex_runner(method m, const S& space,
                                                                       const method_problem<S>& problem,
                                                                       List list = {});

}  // namespace residua
