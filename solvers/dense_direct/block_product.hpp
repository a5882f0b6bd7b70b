#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/view.hpp>
#include <residua/blas/exact/gemm_exact.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level3/gemm.hpp>
#include <residua/blas/multidigit/for_indices.hpp>
#include <residua/io/error.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/base/tuning_table.hpp>
#include <residua/solvers/dense_direct/device_blocks.hpp>
#include <residua/solvers/dense_direct/elements.hpp>
#include <residua/solvers/dense_direct/native_blocks.hpp>
#include <residua/solvers/dense_direct/product_place.hpp>
#include <residua/solvers/space/blas_space.hpp>

/// The products of blocks that dense factors are made of. They stop by io::ask_for_stop(), which then throws.
namespace residua::detail {

/// The bits beyond the precision that factors of products keep. What they lose is a 32nd of what the bound allows.
inline constexpr long guard_bits = 8;

/// Roughly what a multiply-add costs, in operations on binary64 words.
template <class S>
double operations_of(const S& space)
{
    return array_traits<typename S::element>::operations(space.format);
}

/// From how many columns on products are exact, by the tuning table.
template <class S>
index_t panel_of(const S& space, index_t n, bool cholesky)
{
    const long bits = precision_of(space);
    const tuning::panel_row* row = &tuning::row_of(tuning::multidigit_panels, bits);
    if constexpr (number<typename S::element>) {
        row = &tuning::row_of(tuning::expansion_panels, bits);
    }
    return n >= (cholesky ? row->least_cholesky : row->least_lu) ? row->panel : n;
}

#if defined(RESIDUA_CUDA)

/// The space of the same numbers on a device.
template <class T>
blas_space<cuda_executor, T> on_device(const cuda_executor& exec, const host_space<T>& space)
{
    return {exec, space.format};
}

/// A copy of a block without gaps, which can go to a device.
template <class S>
typename S::matrix copy_of(const S& space, in_matrix<host_executor, typename S::element> a)
{
    auto copy = space.make_matrix(a.rows, a.cols);
    for (index_t j = 0; j < a.cols; ++j) {
        blas::copy(host_executor{}, a.column(j), copy.view().column(j));
    }
    return copy;
}

/// A B, computed on a device; empty if gemm_exact cannot compute it there, or there is no room for it.
template <class S>
std::optional<typename S::matrix> product_on(const cuda_executor& exec, const S& space,
                                             in_matrix<host_executor, typename S::element> a,
                                             in_matrix<host_executor, typename S::element> b,
                                             const blas::exact_options& options)
{
    const auto there = on_device(exec, space);
    try {
        const auto a_there = there.placed(copy_of(space, a));
        const auto b_there = there.placed(copy_of(space, b));
        auto product = there.make_matrix(a.rows, b.cols);
        blas::gemm_exact(exec, a_there.view(), b_there.view(), product.view(), options);
        return to_host(exec, product);
    } catch (const unsupported_error&) {
        return std::nullopt;
    } catch (const cuda_error&) {
        throw;
    } catch (const resource_error&) {
        return std::nullopt;
    }
}

#endif

/// f(begin, end) for the rows first, ..., last - 1 of columns, by several threads. Cuts are between tiles of eight numbers,
/// which one thread writes.
template <class F>
void for_rows(index_t first, index_t last, double operations, const F& f)
{
    constexpr index_t tile = 8;
    const index_t base = first / tile * tile;
    blas::detail::parallel_ranges(last - base, tile, operations, [&](index_t from, index_t to) {
        if (const index_t begin = std::max(first, base + from); begin < base + to) {
            f(begin, base + to);
        }
    });
}

/// C <- C - A B on the host: gemm makes the product, whose sums round once, and then it is subtracted. That is faster
/// than an exact product where A has few columns.
template <class S, class E>
void subtract_sums(const S& space, in_matrix<host_executor, E> a, in_matrix<host_executor, E> b,
                   matrix_view<host_executor, E> c)
{
    constexpr index_t together = 8;  // numbers that gemm computes at once
    const host_executor exec;
    const auto one = space.make_scalar(1.0), minus_one = space.make_scalar(-1.0);
    const bool by_rows = c.rows >= c.cols;
    const double work =
        operations_of(space) * static_cast<double>(a.rows) * static_cast<double>(b.cols) * static_cast<double>(a.cols);
    const auto for_parts = [&](const auto& f) {  // calls f(part of A, part of B, function that takes a part of C)
        blas::detail::parallel_ranges(by_rows ? c.rows : c.cols, together, work, [&](index_t from, index_t to) {
            const auto part = [&](const auto& m) {
                return by_rows ? m.block(from, 0, to - from, m.cols) : m.block(0, from, m.rows, to - from);
            };
            f(by_rows ? part(a) : a, by_rows ? b : part(b), part);
        });
    };
    if constexpr (number<E>) {  // gemm itself subtracts, in the same way
        for_parts([&](const auto& l, const auto& u, const auto& part) {
            blas::gemm(exec, blas::trans::no, blas::trans::no, minus_one, l, u, one, part(c));
        });
    } else {
        constexpr index_t in_cache = 64;  // rows or columns of the product that are made at once
        for_parts([&](const auto& l, const auto& u, const auto& part) {
            const matrix_view<host_executor, E> rest = part(c);
            const index_t count = by_rows ? rest.rows : rest.cols, most = std::min(count, in_cache);
            auto product = by_rows ? space.make_matrix(most, rest.cols) : space.make_matrix(rest.rows, most);
            for (index_t first = 0; first < count; first += most) {
                const index_t here = std::min(most, count - first);
                const auto cut = [&](const auto& m, index_t from) {
                    return by_rows ? m.block(from, 0, here, m.cols) : m.block(0, from, m.rows, here);
                };
                const matrix_view<host_executor, E> sums = cut(product.view(), 0), to = cut(rest, first);
                blas::gemm(exec, blas::trans::no, blas::trans::no, one, by_rows ? cut(l, first) : l,
                           by_rows ? u : cut(u, first), space.make_scalar(0.0), sums);
                for (index_t j = 0; j < sums.cols; ++j) {
                    io::ask_for_stop();
                    blas::axpy(exec, minus_one, sums.column(j), to.column(j));
                }
            }
        });
    }
}

/// C <- A B on the host by gemm_exact; if `lower`, all in and below the diagonal. Returns whether a device computed it.
template <class S, class E>
bool exact_product(const S& space, [[maybe_unused]] const product_place& place, in_matrix<host_executor, E> a,
                   in_matrix<host_executor, E> b, std::optional<typename S::matrix>& c, bool lower = false)
{
    const blas::exact_options options{.bits = precision_of(space) + guard_bits, .lower = lower};
#if defined(RESIDUA_CUDA)
    const long bits = precision_of(space);
    const double work = static_cast<double>(a.rows) * static_cast<double>(a.cols) * static_cast<double>(b.cols) *
                        static_cast<double>(bits);
    if (place.device && work >= place.least_work.value_or(tuning::row_of(tuning::products, bits).least_work)) {
        c = product_on(*place.device, space, a, b, options);
    }
#endif
    const bool from_device = c.has_value();
    if (!from_device) {
        c = space.make_matrix(a.rows, b.cols);
        blas::gemm_exact(host_executor{}, a, b, c->view(), options);
    }
    return from_device;
}

/// C <- C - A B on the host: gemm_exact makes the product, which is then subtracted (docs/error_bounds.md, theorem 23).
/// If `lower`, that is all in and below the diagonal. Returns whether a device computed the product.
template <class S, class E>
bool subtract_product(const S& space, const product_place& place, in_matrix<host_executor, E> a,
                      in_matrix<host_executor, E> b, matrix_view<host_executor, E> c, bool lower = false)
{
    const host_executor exec;
    std::optional<typename S::matrix> product;
    const bool from_device = exact_product<S, E>(space, place, a, b, product, lower);
    const auto minus_one = space.make_scalar(-1.0);
    const double differences = operations_of(space) * static_cast<double>(c.rows) * static_cast<double>(c.cols);
    const matrix_view<host_executor, E> all = product->view();
    blas::detail::parallel_ranges(c.cols, 1, differences, [&](index_t from, index_t to) {
        for (index_t j = from; j < to; ++j) {
            io::ask_for_stop();
            const index_t first = lower ? std::min(j, c.rows) : 0;
            blas::axpy(exec, minus_one, all.column(j).part(first, c.rows), c.column(j).part(first, c.rows));
        }
    });
    return from_device;
}

/// The products of blocks in the memory of a space, and how many of them a device computed. From `exact_from` columns of the
/// first factor on they are made by gemm_exact; RNS floats have no others. In binary64 and binary32 the BLAS makes all.
template <class S>
class block_products {
public:
    using element = typename S::element;
    using view = matrix_view<std::remove_cv_t<decltype(S::exec)>, element>;

    block_products(const S& space, product_place place, index_t exact_from)
        : space_(space), place_(std::move(place)), exact_from_(exact_from)
    {}

    index_t on_device() const { return on_device_; }

    /// C <- C - A B, or at least what is in and below the diagonal if `lower`.
    void subtract(view a, view b, view c, [[maybe_unused]] bool lower = false)
    {
        if (c.rows == 0 || c.cols == 0 || a.cols == 0) {
            return;
        }
        io::ask_for_stop();
        if constexpr (native_number<element>) {
            detail::subtract(a, b, c);
        } else if constexpr (S::on_host) {
            if (!is_exact(a.cols)) {
                if constexpr (!std::same_as<element, rns>) {
                    subtract_sums<S, element>(space_, a, b, c);
                }
            } else if (subtract_product<S, element>(space_, place_, a, b, c, lower)) {
                ++on_device_;
            }
        } else if (!is_exact(a.cols)) {
            if constexpr (number<element>) {
                blas::gemm<element>(space_.exec, blas::trans::no, blas::trans::no, space_.make_scalar(-1.0), a, b,
                                    space_.make_scalar(1.0), c);
            } else {
                subtract_sums(space_.exec, a, b, c);
            }
        } else {
            auto product = space_.make_matrix(c.rows, c.cols);
            blas::gemm_exact(space_.exec, a, b, product.view(), {.bits = precision_of(space_) + guard_bits});
            detail::subtract(space_.exec, product.view(), c);
            ++on_device_;
        }
    }

    /// A B, or at least what is in and below the diagonal if `lower`.
    typename S::matrix multiply(view a, view b, [[maybe_unused]] bool lower = false)
    {
        io::ask_for_stop();
        std::optional<typename S::matrix> c;
        if constexpr (native_number<element>) {
            c = space_.make_matrix(a.rows, b.cols);
            detail::subtract(a, b, c->view());
            for (index_t j = 0; j < b.cols; ++j) {
                blas::scal(space_.exec, space_.make_scalar(-1.0), c->view().column(j));
            }
        } else if (!is_exact(a.cols) || (a.rows < least_rows && !std::same_as<element, rns>)) {
            if constexpr (!std::same_as<element, rns>) {
                c = space_.make_matrix(a.rows, b.cols);
                blas::gemm(space_.exec, blas::trans::no, blas::trans::no, space_.make_scalar(1.0), a, b,
                           space_.make_scalar(0.0), c->view());
            }
        } else if constexpr (S::on_host) {
            on_device_ += exact_product<S, element>(space_, place_, a, b, c, lower) ? 1 : 0;
        } else {
            c = space_.make_matrix(a.rows, b.cols);
            blas::gemm_exact(space_.exec, a, b, c->view(), {.bits = precision_of(space_) + guard_bits});
            ++on_device_;
        }
        return *std::move(c);
    }

private:
    /// Of a product with fewer rows, each a sum of many terms, gemm makes these sooner than gemm_exact.
    static constexpr index_t least_rows = number<element> ? 64 : 16;

    bool is_exact(index_t terms) const { return std::same_as<element, rns> || terms >= exact_from_; }

    S space_;
    product_place place_;
    index_t exact_from_;
    index_t on_device_ = 0;
};

}  // namespace residua::detail
