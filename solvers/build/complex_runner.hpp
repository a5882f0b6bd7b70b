#pragma once

#include <memory>

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
    return {a.function, a.exact_residual, {}, {}, a.seconds};
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

}  // namespace detail

template <array_space S, class List>
std::unique_ptr<method_runner<typename S::vector>> make_complex_runner(method m, const S& space,
                                                                       const method_problem<S>& problem, List list)
{
    require_equal("a complex system", "rows and twice the unknowns", problem.rows, problem.rows / 2 * 2);
    const auto preconditioner_of = [&](const any_operator<S>& by) {
        return problem.flexible || problem.complex_linear_m  // a flexible method takes any map
                   ? detail::on_complex(by)
                   : detail::complex_linear_part(by, space, problem.rows);
    };
    method_problem<complex_space<S>> complex;
    complex.a = detail::on_complex(problem.a);
    complex.a_t = detail::on_complex(problem.a_t);
    complex.m = preconditioner_of(problem.m);
    complex.m_t = preconditioner_of(problem.m_t);
    complex.rows = complex.cols = problem.rows / 2;
    complex.flexible = problem.flexible;
    complex.restart = problem.restart;
    return make_runner(m, complex_space<S>(space), complex, list);
}

}  // namespace residua
