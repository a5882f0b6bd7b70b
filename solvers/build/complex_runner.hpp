#pragma once

#include <memory>
#include <vector>

#include <residua/blas/base/check.hpp>
#include <residua/solvers/build/method_runner.hpp>
#include <residua/solvers/space/complex_space.hpp>

/// The definition of make_complex_runner(), for the files that compile it.
namespace residua {

namespace detail {

/// An operator of real numbers, which is linear in the complex numbers that they are the parts of, as one of these.
template <class S>
any_operator<complex_space<S>> on_complex(const any_operator<S>& a)
{
    any_operator<complex_space<S>> result;
    result.function = a.function;
    result.exact_residual = a.exact_residual;
    result.seconds = a.seconds;
    return result;
}

/// The complex linear part of an M that is linear in the parts alone: (M - J M J) / 2, J x = i x. The factors of a real
/// form have rounding errors, and incomplete ones leave entries out, of real and imaginary parts apart: so i M x is not
/// M i x.
template <class S>
any_operator<complex_space<S>> complex_linear_part(const any_operator<S>& m, const S& space, index_t rows)
{
    if (m.is_identity()) {
        return {};
    }
    struct room {
        typename S::vector turned, image;
    };
    using vector = typename S::vector;
    any_operator<complex_space<S>> result;
    result.function = [function = m.function,
                       work = std::make_shared<room>(room{space.make_vector(rows), space.make_vector(rows)})](
                          const complex_space<S>& on, const vector& x, vector& y) {
        auto& [turned, image] = *work;
        function(on, x, y);
        on.times_i(x, turned);
        function(on, turned, image);
        on.times_i(image, turned);
        const auto half = on.real().make_scalar(0.5);
        on.real().waxpby(half, y, -half, turned, y);
    };
    result.seconds = m.seconds;
    return result;
}

template <array_space S>
class complex_runner final : public method_runner<S> {
public:
    using space_type = complex_space<S>;

    template <class List>
    complex_runner(method m, const S& space, const method_problem<S>& problem, List list) : space_(space)
    {
        require_equal("a complex system", "rows and twice the unknowns", problem.rows, problem.rows / 2 * 2);
        problem_.a = on_complex(problem.a);
        problem_.a_t = on_complex(problem.a_t);
        if (problem.flexible || problem.complex_linear_m) {  // a flexible method takes any map
            problem_.m = on_complex(problem.m);
            problem_.m_t = on_complex(problem.m_t);
        } else {
            problem_.m = complex_linear_part(problem.m, space, problem.rows);
            problem_.m_t = complex_linear_part(problem.m_t, space, problem.rows);
        }
        problem_.rows = problem_.cols = problem.rows / 2;
        problem_.flexible = problem.flexible;
        problem_.restart = problem.restart;
        run_ = make_runner(m, space_, problem_, list);
    }
    complex_runner(const complex_runner&) = delete;  // run_ refers to it
    complex_runner& operator=(const complex_runner&) = delete;

    bool is_there() const { return run_ != nullptr; }

    std::vector<iteration_report> solve(const std::vector<method_column<S>>& columns) override
    {
        std::vector<method_column<space_type>> same;
        same.reserve(columns.size());
        for (const method_column<S>& each : columns) {
            same.push_back({each.b, each.x, each.rule, each.begins_at_zero});
        }
        return run_->solve(same);
    }

private:
    space_type space_;
    method_problem<space_type> problem_;
    std::unique_ptr<method_runner<space_type>> run_;
};

}  // namespace detail

template <array_space S, class List>
std::unique_ptr<method_runner<S>> make_complex_runner(method m, const S& space, const method_problem<S>& problem,
                                                      List list)
{
    auto runner = std::make_unique<detail::complex_runner<S>>(m, space, problem, list);
    if (!runner->is_there()) {
        return nullptr;
    }
    return runner;
}

}  // namespace residua
