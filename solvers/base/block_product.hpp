#pragma once

#include <optional>

#include <residua/blas/base/view.hpp>
#include <residua/blas/exact/gemm_exact.hpp>
#include <residua/blas/level1/axpy.hpp>
#include <residua/blas/level1/copy.hpp>
#include <residua/io/error.hpp>
#include <residua/solvers/base/expansion_space.hpp>
#include <residua/solvers/base/format_space.hpp>
#include <residua/solvers/base/product_place.hpp>
#include <residua/solvers/base/tuning_table.hpp>

/// Products of blocks, that dense factors are made of.
namespace residua::detail {

/// Beyond the precision, of the factors of products: what they lose is a 32nd of what the bound allows.
inline constexpr long guard_bits = 8;

/// Bits of the numbers of a space.
template <class S>
long precision_of(const S& space)
{
    if constexpr (requires { space.format.precision_bits(); }) {
        return space.format.precision_bits();
    } else {
        return number_traits<typename S::element>::precision_bits;
    }
}

#if defined(RESIDUA_CUDA)

/// The space of the same numbers on a device.
template <number T>
expansion_space<cuda_executor, T> on_device(const cuda_executor& exec, const host_space<T>&)
{
    return {exec};
}
template <run_time_format T>
format_space<cuda_executor, T> on_device(const cuda_executor& exec, const format_space<host_executor, T>& space)
{
    return {exec, space.format};
}

/// A copy of a block, as it can be copied to a device.
template <class S>
typename S::matrix copy_of(const S& space, in_matrix<host_executor, typename S::element> a)
{
    auto copy = space.make_matrix(a.rows, a.cols);
    for (index_t j = 0; j < a.cols; ++j) {
        blas::copy(host_executor{}, a.column(j), copy.view().column(j));
    }
    return copy;
}

/// A B as a device computes it; empty if it does not.
template <class S>
std::optional<typename S::matrix> product_on(const cuda_executor& exec, const S& space,
                                             in_matrix<host_executor, typename S::element> a,
                                             in_matrix<host_executor, typename S::element> b,
                                             const blas::exact_options& options)
{
    const auto there = on_device(exec, space);
    const auto a_there = there.placed(copy_of(space, a));
    const auto b_there = there.placed(copy_of(space, b));
    auto product = there.make_matrix(a.rows, b.cols);
    try {
        blas::gemm_exact(exec, a_there.view(), b_there.view(), product.view(), options);
    } catch (const unsupported_error&) {
        return std::nullopt;
    }
    return to_host(exec, product);
}

#endif

/// C <- C - A B, on the host: the product by gemm_exact, then a difference. docs/error_bounds.md, theorem 23. Returns
/// whether a device computed the product.
template <class S, class E>
bool subtract_product(const S& space, [[maybe_unused]] const product_place& place, in_matrix<host_executor, E> a,
                      in_matrix<host_executor, E> b, matrix_view<host_executor, E> c)
{
    const host_executor exec;
    const blas::exact_options options{.bits = precision_of(space) + guard_bits};
    std::optional<typename S::matrix> product;
#if defined(RESIDUA_CUDA)
    const long bits = precision_of(space);
    const double work = static_cast<double>(a.rows) * static_cast<double>(a.cols) * static_cast<double>(b.cols) *
                        static_cast<double>(bits);
    if (place.device && work >= place.least_work.value_or(tuning::row_of(tuning::products, bits).least_work)) {
        product = product_on(*place.device, space, a, b, options);
    }
#endif
    const bool from_device = product.has_value();
    if (!from_device) {
        product = space.make_matrix(c.rows, c.cols);
        blas::gemm_exact(exec, a, b, product->view(), options);
    }
    const auto minus_one = space.make_scalar(-1.0);
    for (index_t j = 0; j < c.cols; ++j) {
        blas::axpy(exec, minus_one, product->view().column(j), c.column(j));
    }
    return from_device;
}

}  // namespace residua::detail
