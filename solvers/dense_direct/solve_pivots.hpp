#pragma once

#include <algorithm>
#include <vector>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/solvers/dense_direct/block_product.hpp>
#include <residua/solvers/dense_direct/device_blocks.hpp>
#include <residua/solvers/dense_direct/elements.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua::detail {

/// X <- inverse(D) X, D in and above the diagonal of a matrix after block_elimination::ldl().
///
/// is_pair  whether rows k and k + 1 of D are a pivot of two rows
///
/// shapes   D (n x n), X (n x m)
/// cost     a division for each number of X, six for two numbers of a pivot of two rows
template <class S, class E>
void solve_with_pivots(const S& space, in_matrix<host_executor, E> d, const std::vector<char>& is_pair,
                       matrix_view<host_executor, E> x)
{
    using scalar = typename S::scalar;
    const scalar one = space.make_scalar(1.0);
    const double work = 4.0 * operations_of(space) * static_cast<double>(x.rows * x.cols);
    blas::detail::parallel_ranges(x.cols, 1, work, [&](index_t from, index_t to) {
        for (index_t j = from; j < to; ++j) {
            const auto x_j = x.column(j);
            for (index_t k = 0; k < x.rows; ++k) {
                if (is_pair[static_cast<std::size_t>(k)] == 0) {
                    x_j.store(k, x_j.load(k) / d.column(k).load(k));
                    continue;
                }
                const pair_pivot<scalar> pivot(d, k, one);
                const scalar first = x_j.load(k) / pivot.b, second = x_j.load(k + 1) / pivot.b;
                x_j.store(k, (pivot.y * first - second) / pivot.det);
                ++k;
                x_j.store(k, (pivot.x * second - first) / pivot.det);
            }
        }
    });
}

#if defined(RESIDUA_CUDA)

/// The same on a device.
inline void solve_with_pivots(const multidigit_space<cuda_executor>& space, in_matrix<cuda_executor, multidigit> d,
                              const std::vector<char>& is_pair, device_block<multidigit> x)
{
    buffer<host_executor, char> pairs(x.rows);
    std::copy(is_pair.begin(), is_pair.end(), pairs.data());
    const auto there = to_device(space.exec, pairs);
    solve_pivots(space.exec, d, there.data(), x);
}

#endif

}  // namespace residua::detail
