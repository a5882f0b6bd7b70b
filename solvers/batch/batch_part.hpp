#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <utility>

#include <residua/blas/base/batch.hpp>
#include <residua/blas/base/buffer.hpp>
#include <residua/blas/level1/convert.hpp>
#include <residua/blas/level2/residual_batch.hpp>
#include <residua/blas/level3/getrf_batch.hpp>
#include <residua/blas/level3/inverse_sums_batch.hpp>

/// A part of a batch on one executor: factors, solutions, residuals, and what bounds the errors.
namespace residua::detail {

/// What is to be done with a part.
struct part_request {
    bool corrected = false;   ///< whether to find a correction, too
    bool long_bound = false;  ///< whether to bound the inverses in the format of the factors, not in binary64
};

/// What was found for a part, on the host. Without a correction d and sizes_of_d are empty.
template <number T>
struct part_result {
    vector_batch<host_executor, T> x, d;
    vector_batch<host_executor, double> r;  ///< b - A x, or b - A (x + d), to binary64
    vector_batch<host_executor, double> sizes, sizes_of_d;
    vector_batch<host_executor, double> inverse, upper;
    buffer<host_executor, std::int32_t> info;
};

/// All numbers of a batch as one vector.
template <class Exec, class T>
vector_view<Exec, T> all_of(const matrix_batch_view<Exec, T>& a)
{
    return {{a.data, a.plane_stride}, a.n * a.n * a.count};
}
template <class Exec, class T>
vector_view<Exec, T> all_of(const vector_batch_view<Exec, T>& x)
{
    return {{x.data, x.plane_stride}, x.n * x.count};
}

template <class Exec, class X>
auto placed_batch(const Exec& exec, const X& x)
{
    if constexpr (std::same_as<Exec, host_executor>) {
        (void)exec;
        return x;
    } else {
        return to_device(exec, x);
    }
}

template <class Exec, class X>
auto fetched_batch(const Exec& exec, X x)
{
    if constexpr (std::same_as<Exec, host_executor>) {
        (void)exec;
        return x;
    } else {
        return to_host(exec, x);
    }
}

/// Solves A x = b for every system of a part: P A = L U in T, x by the factors, r in twice the terms.
///
/// shapes   A (n x n), b (n) each, on the host; V is T or binary64
/// errors   as getrf_batch, getrs_batch, residual_batch and inverse_sums_batch
/// order    as these: the same bits on every executor
template <class Exec, number T, number V>
part_result<T> solve_part(const Exec& exec, const matrix_batch<host_executor, V>& a,
                          const vector_batch<host_executor, T>& b, const part_request& request)
{
    const index_t n = a.size(), count = a.count();
    using wide = blas::doubled<T>;
    const matrix_batch<Exec, V> entries = placed_batch(exec, a);
    matrix_batch<Exec, T> lu(n, count, exec);
    if constexpr (std::same_as<T, V>) {
        lu = entries;
    } else {
        blas::convert<V, T>(exec, all_of(entries.view()), all_of(lu.view()));
    }
    buffer<Exec, std::int32_t> pivots(n * count, exec), info(count, exec);
    blas::getrf_batch<T>(exec, lu.view(), pivots.span(), info.span());

    const auto solve = [&](vector_batch<Exec, T>& x) {
        blas::getrs_batch<T>(exec, lu.view(), std::as_const(pivots).span(), std::as_const(info).span(), x.view());
    };
    vector_batch<Exec, T> x = placed_batch(exec, b), d;
    vector_batch<Exec, wide> r(n, count, exec);
    vector_batch<Exec, double> sizes(n, count, exec), sizes_of_d, rounded(n, count, exec);
    blas::convert<T, wide>(exec, all_of(std::as_const(x).view()), all_of(r.view()));
    solve(x);
    blas::residual_batch<T, V>(exec, entries.view(), std::as_const(x).view(), r.view(), sizes.view());
    if (request.corrected) {
        d = vector_batch<Exec, T>(n, count, exec);
        sizes_of_d = vector_batch<Exec, double>(n, count, exec);
        blas::convert<wide, T>(exec, all_of(std::as_const(r).view()), all_of(d.view()));
        solve(d);
        blas::residual_batch<T, V>(exec, entries.view(), std::as_const(d).view(), r.view(), sizes_of_d.view());
    }
    blas::convert<wide, double>(exec, all_of(std::as_const(r).view()), all_of(rounded.view()));

    vector_batch<Exec, double> inverse(n, count, exec), upper(n, count, exec);
    const matrix_batch_view<Exec, const T> factors = std::as_const(lu).view();
    const std::span<const std::int32_t> failures = std::as_const(info).span();
    if (request.long_bound) {
        blas::inverse_sums_batch<T>(exec, factors, failures, inverse.view(), upper.view());
    } else {
        const matrix_batch_view<Exec, const double> first{factors.data,        n, count, factors.ld, factors.stride,
                                                          factors.plane_stride};
        blas::inverse_sums_batch<double>(exec, first, failures, inverse.view(), upper.view());
    }
    return {fetched_batch(exec, std::move(x)),          fetched_batch(exec, std::move(d)),
            fetched_batch(exec, std::move(rounded)),    fetched_batch(exec, std::move(sizes)),
            fetched_batch(exec, std::move(sizes_of_d)), fetched_batch(exec, std::move(inverse)),
            fetched_batch(exec, std::move(upper)),      fetched_batch(exec, std::move(info))};
}

}  // namespace residua::detail
