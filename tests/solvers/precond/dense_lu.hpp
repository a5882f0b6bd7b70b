#pragma once

#include <algorithm>
#include <cmath>

#include <residua/blas/level2/gemv.hpp>
#include <residua/solvers/methods/refine.hpp>
#include <residua/solvers/precond/dense_lu.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/biased_random.hpp"

/// What the tests of dense_lu on the host and on a device share.
namespace residua::support {

using dd = expansion<double, 2>;

/// A Hilbert matrix, 1 / (i + j + 1) rounded, kappa 1e13 at n = 10, whose rows are multiplied by powers of two if `uneven`.
inline matrix<host_executor, double> hilbert(index_t n, bool uneven)
{
    matrix<host_executor, double> a(n, n);
    for (index_t j = 0; j < n; ++j) {
        for (index_t i = 0; i < n; ++i) {
            const int power = uneven ? static_cast<int>(i * 37 % 200) - 100 : 0;
            a.set(i, j, std::ldexp(1.0 / static_cast<double>(i + j + 1), power));
        }
    }
    return a;
}

/// Random numbers, all but the diagonal below 1.
inline matrix<host_executor, double> random_square(biased_random& random, index_t n)
{
    matrix<host_executor, double> a(n, n);
    for (index_t j = 0; j < n; ++j) {
        for (index_t i = 0; i < n; ++i) {
            a.set(i, j, random.full(i == j ? 1 : -10, i == j ? 3 : -1));
        }
    }
    return a;
}

/// A as an operator on vectors of two terms.
template <class Exec>
struct product_with {
    matrix_view<Exec, const double> a;

    void apply(const blas_space<Exec, dd>& space, const vector<Exec, dd>& x, vector<Exec, dd>& y) const
    {
        blas::gemv<dd>(space.exec, blas::trans::no, dd{1.0}, a, x.view(), dd{0.0}, y.view());
    }
};

/// Refinement of A x = b, b = A (1, ..., 1) in two terms, by dense_lu; max |x_i - 1| to `worst`.
template <class Exec>
iteration_report refine_to_ones(const Exec& exec, const matrix<Exec, double>& a, bool equilibrated, index_t rows,
                                double tolerance, double& worst)
{
    const index_t n = a.cols();
    const blas_space<Exec, dd> space{exec};
    const product_with<Exec> product{a.view()};
    auto x = space.make_vector(n);
    auto b = space.make_vector(n);
    space.fill(dd{1.0}, x);
    product.apply(space, x, b);
    space.fill(dd{0.0}, x);
    const dense_lu<Exec> m(exec, a, equilibrated, rows);
    if (!m.failure().empty()) {
        throw error(m.failure());
    }
    refine_workspace<blas_space<Exec, dd>> work(space, n);
    stop_rule rule;
    rule.relative_residual = tolerance;
    const iteration_report report = refine(space, product, m, b, x, rule, work);
    worst = 0.0;
    const auto fetched = space.fetched(x);
    for (index_t i = 0; i < n; ++i) {
        worst = std::max(worst, std::abs(to_double(fetched.get(i) - dd{1.0})));
    }
    return report;
}

}  // namespace residua::support
