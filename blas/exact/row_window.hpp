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
    struct entry {
        column_t col;
        double binary64;
    };

    template <class Digit, int N, class Window>
    RESIDUA_HD bool store_if_held(index_t i) const
    {
        Window sum;
        if (product.subtracts) {
            sum.add(number<Digit, N>(product.b, i));
        }
        const index_t step = product.rows.step();
        index_t at = product.rows.first(i);
        const auto left_of_row = static_cast<std::int32_t>(product.rows.count(i));
        entry next = left_of_row > 0 ? read(at) : entry{};
        RESIDUA_KEEP_LOOP
        for (std::int32_t left = left_of_row; left > 0; --left, at += step) {
            const entry now = next;  // the next entry is prefetched while this one is added
            if (left > 1) {
                next = read(at + step);
            }
            const auto x = number<Digit, N>(product.x, now.col);
            if constexpr (binary64) {
                sum.add_product(x, now.binary64, ((now.binary64 < 0.0) != x.negative) != product.subtracts);
            } else {
                const auto a = number<Digit, N>(product.a, at);
                sum.add_product(x, a, (a.negative != x.negative) != product.subtracts);
            }
        }
        if (!sum.is_lost()) {
            residua::detail::store(y.start, i, sum.result(y.p));
        }
        return !sum.is_lost();
    }

    RESIDUA_HD entry read(index_t at) const
    {
        if constexpr (binary64) {
            return {product.rows.col[at], product.a.data[at]};
        } else {
            return {product.rows.col[at], 0.0};
        }
    }

    template <class Digit, int N>
    RESIDUA_HD static multidigit_float<Digit, N> number(const exact_digits& x, index_t l)
    {
        return residua::detail::load<Digit, N>(x.start, l);
    }
};

}  // namespace residua::blas::detail
