#pragma once

#include <cstdint>
#include <type_traits>

#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/exact/exact_window.hpp>
#include <residua/blas/exact/row_sum.hpp>

namespace residua::blas::detail {

/// y_i <- the sum of row i of A x or b - A x, rounded once, if a window holds it. All numbers have p bits, lie side by
/// side, and are not cut.
template <class Of>
struct row_in_window {
    static constexpr bool binary64 = !std::is_same_v<Of, exact_digits>;

    sparse_exact_product<Of, exact_digits> product;
    exact_digits_result y;

    /// Stores the sum of numbers of N digits if a digit_window, which takes binary64 factors, holds it. Otherwise it
    /// stores nothing and returns false.
    template <class Digit, int N>
    RESIDUA_HD bool store_short(index_t i) const
        requires binary64
    {
        return store_if_held<Digit, N, digit_window<Digit, N>>(i);
    }

    /// Stores the sum if an exact_window holds it. Otherwise it stores nothing and returns false.
    template <class Digit, int N>
    RESIDUA_HD bool store(index_t i) const
    {
        return store_if_held<Digit, N, exact_window<Digit, N, binary64 ? 0 : N>>(i);
    }

private:
    template <class Digit, int N, class Window>
    RESIDUA_HD bool store_if_held(index_t i) const
    {
        Window sum;
        if (product.subtracts) {
            sum.add(number<Digit, N>(product.b, i));
        }
        const double* numbers = nullptr;
        if constexpr (binary64) {
            numbers = product.a.data;
        }
        product.rows.template walk_ahead<binary64, false>(
            i, numbers, [&](index_t at, const stored_rows::entry& e) __attribute__((always_inline)) {
                const auto x = number<Digit, N>(product.x, e.col);
                if constexpr (binary64) {
                    sum.add_product(x, e.binary64, ((e.binary64 < 0.0) != x.negative) != product.subtracts);
                } else {
                    const auto a = number<Digit, N>(product.a, at);
                    sum.add_product(x, a, (a.negative != x.negative) != product.subtracts);
                }
            });
        if (!sum.is_lost()) {
            residua::detail::store(y.start, i, sum.result(y.p));
        }
        return !sum.is_lost();
    }

    template <class Digit, int N>
    RESIDUA_HD static multidigit_float<Digit, N> number(const exact_digits& x, index_t l)
    {
        return residua::detail::load<Digit, N>(x.start, l);
    }
};

}  // namespace residua::blas::detail
