#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/exact/operands.hpp>
#include <residua/blas/exact/row_window.hpp>
#include <residua/blas/exact/spmv_exact.hpp>

/// Sparse matrices and vectors as operands of exact sums by rows.
namespace residua::blas::detail {

/// throws  dimension_error if sizes do not fit, or bits < 0
template <class Exec, class T, class Matrix>
auto exact_product_of(const Exec& exec, const Matrix& a, const exact_vector_operands<Exec, T>& of)
{
    require_equal(of.op, "rows of A and size of the result", a.rows(), of.y.size);
    require_equal(of.op, "columns of A and size of x", a.cols(), of.x.size);
    require_equal(of.op, "sizes of b and of the result", of.b == nullptr ? of.y.size : of.b->size, of.y.size);
    require_options(of.op, of.options);
    const auto x = exact_vectors(exec, of.x);
    auto entries = exact_vectors(exec, a.value());
    return sparse_exact_product<decltype(entries), std::remove_const_t<decltype(x)>>{
        rows_of(a),      std::move(entries), x, of.b == nullptr ? x : exact_vectors(exec, *of.b),
        of.b != nullptr, of.options.bits};
}

/// The product as pointers into the memory that `product` owns, for kernels and loops.
template <class Of, class X>
sparse_exact_product<exact_reader<Of>, exact_reader<X>> reading(const sparse_exact_product<Of, X>& product)
{
    return {product.rows, product.a, product.x, product.b, product.subtracts, product.bits};
}

/// The bits to which a result is rounded, for multi-digit and RNS floats.
template <class View>
int exact_precision(const View& y)
{
    if constexpr (std::same_as<typename View::value_type, multidigit>) {
        return y.format.bits();
    } else if constexpr (std::same_as<typename View::value_type, rns>) {
        return y.format.set().constants.width;
    } else {
        return 0;
    }
}

/// Whether sums of rows may be tried in a window: all numbers have one size and lie side by side.
template <class Exec, class Matrix>
bool fits_window(const Matrix& a, const exact_vector_operands<Exec, multidigit>& of)
{
    bool same = of.x.format == of.y.format && (of.b == nullptr || of.b->format == of.y.format);
    same = same && of.x.stride == 1 && of.y.stride == 1 && (of.b == nullptr || of.b->stride == 1);
    if constexpr (std::same_as<typename Matrix::value_type, multidigit>) {
        same = same && a.value().format == of.y.format;
    }
    return same && of.options.bits == 0;
}

}  // namespace residua::blas::detail

/// Calls INSTANTIATE(V, T) for all formats T of vectors with every format V that their matrices may have.
#define RESIDUA_FOR_EACH_EXACT_PAIR(INSTANTIATE) \
    RESIDUA_FOR_EACH_PAIR(INSTANTIATE)           \
    INSTANTIATE(double, multidigit)              \
    INSTANTIATE(multidigit, multidigit)          \
    INSTANTIATE(double, rns)                     \
    INSTANTIATE(rns, rns)
