#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <residua/arith/multidigit/number.hpp>
#include <residua/blas/level2/block_triangle.hpp>
#include <residua/solvers/precond/dense_triangle.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/biased_random.hpp"

/// What the tests of dense_triangle on the host and on a device share.
namespace residua::support {

/// Numbers below 1 but for the diagonal; in the upper triangle, or the lower one.
inline sparse_matrix random_triangle(biased_random& random, index_t n, blas::uplo which)
{
    sparse_matrix t;
    t.rows = t.cols = n;
    t.row_begin.push_back(0);
    for (index_t i = 0; i < n; ++i) {
        const bool lower = which == blas::uplo::lower;
        for (index_t j = lower ? 0 : i; j <= (lower ? i : n - 1); ++j) {
            t.column.push_back(static_cast<std::int32_t>(j));
            t.values.push_back(random.full(i == j ? 1 : -10, i == j ? 3 : -1));
        }
        t.row_begin.push_back(static_cast<index_t>(t.column.size()));
    }
    return t;
}

/// Numbers of 600 bits.
inline std::vector<real> random_reals(biased_random& random, index_t n)
{
    std::vector<real> b;
    for (index_t i = 0; i < n; ++i) {
        real sum(0.0, 700);
        for (int k = 0; k < 12; ++k) {
            sum += ldexp(real(random.full(0, 1), 700), -50 * k);
        }
        b.push_back(sum);
    }
    return b;
}

/// f(space on the executor) for binary64, two and eight terms, and multi-digit floats of 300 bits.
template <class Exec, class F>
void for_each_space(const Exec& exec, const F& f)
{
    f(blas_space<Exec, double>{exec});
    f(blas_space<Exec, expansion<double, 2>>{exec});
    f(blas_space<Exec, expansion<double, 8>>{exec});
    f(multidigit_space<Exec>{exec, multidigit_format(300)});
}

/// M b.
template <class S>
std::vector<real> solved(const S& space, blas::uplo which, const sparse_matrix& t, const std::vector<real>& b,
                         index_t rows)
{
    auto there = space.make_host_vector(t.rows);
    for (index_t i = 0; i < t.rows; ++i) {
        there.view().store(i, space.make_scalar(b[static_cast<std::size_t>(i)]));
    }
    auto c = space.placed(std::move(there));
    auto x = space.make_vector(t.rows);
    dense_triangle<S> made(space, which, t, rows);
    const dense_triangle<S> moved = std::move(made);
    moved.solve(space, c, x);
    const auto& back = space.fetched(x);
    std::vector<real> result;
    for (index_t i = 0; i < t.rows; ++i) {
        result.push_back(to_real(back.view().load(i)));
    }
    return result;
}

}  // namespace residua::support
