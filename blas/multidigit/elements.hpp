#pragma once

#include <cstdint>

#include <residua/arith/multidigit/multidigit.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/reduction_order.hpp>
#include <residua/blas/multidigit/array.hpp>

/// What is done to one result of an operation, written once, for numbers of N digits: the function object
/// f.template operator()<Digit, N>(i).
namespace residua::blas::detail {

using residua::detail::multidigit_tiles;
using multidigit_scalar = multidigit_number::value_type;

/// What a term is multiplied with.
enum class multidigit_factor : std::uint8_t { one, minus_one, scalar };

inline multidigit_factor kind_of(const multidigit_number& a)
{
    const multidigit_number one(a.format(), 1.0);
    return a == one ? multidigit_factor::one : a == -one ? multidigit_factor::minus_one : multidigit_factor::scalar;
}

/// x_i times a factor.
struct multidigit_term {
    multidigit_tiles<true> start;
    index_t stride = 0;
    multidigit_factor kind = multidigit_factor::one;
    multidigit_scalar scalar{};

    template <class Digit, int N>
    RESIDUA_HD multidigit_float<Digit, N> number(index_t i) const
    {
        return residua::detail::load<Digit, N>(start, i * stride);
    }

    template <class Digit, int N>
    RESIDUA_HD multidigit_float<Digit, N> factor() const
    {
        return residua::detail::leading_digits<Digit, N>(scalar);
    }

    /// x_i times the factor, rounded
    template <class Digit, int N>
    RESIDUA_HD multidigit_float<Digit, N> value(index_t i, int p) const
    {
        const auto x = number<Digit, N>(i);
        switch (kind) {
            case multidigit_factor::minus_one:
                return negated(x);
            case multidigit_factor::scalar:
                return mul(factor<Digit, N>(), x, p);
            default:
                return x;
        }
    }
};

/// w_i <- a
struct multidigit_fill {
    multidigit_scalar a;
    multidigit_tiles<false> to;
    index_t stride = 1;

    template <class Digit, int N>
    RESIDUA_HD void operator()(index_t i) const
    {
        residua::detail::store(to, i * stride, residua::detail::leading_digits<Digit, N>(a));
    }
};

/// w_i <- first_i, or first_i + second_i with the second product not rounded by itself
struct multidigit_combine {
    int p = 0;
    int terms = 1;
    multidigit_term first, second;
    multidigit_tiles<false> to;
    index_t stride = 1;

    template <class Digit, int N>
    RESIDUA_HD void operator()(index_t i) const
    {
        auto w = first.value<Digit, N>(i, p);
        if (terms == 2 && second.kind == multidigit_factor::scalar) {
            w = fma(second.factor<Digit, N>(), second.number<Digit, N>(i), w, p);
        } else if (terms == 2) {
            w = add(w, second.value<Digit, N>(i, p), p);
        }
        residua::detail::store(to, i * stride, w);
    }
};

/// Adds x_i y_i to a sum.
struct multidigit_products {
    multidigit_term x, y;

    template <class Digit, int N>
    RESIDUA_HD void operator()(multidigit_sum<Digit, N>& sum, index_t i, int p) const
    {
        sum.add_product(x.number<Digit, N>(i), y.number<Digit, N>(i), p);
    }
};

/// Adds |x_i| to a sum.
struct multidigit_magnitudes {
    multidigit_term x;

    template <class Digit, int N>
    RESIDUA_HD void operator()(multidigit_sum<Digit, N>& sum, index_t i, int p) const
    {
        sum.add(abs(x.number<Digit, N>(i)), p);
    }
};

/// y_i <- alpha s_i + beta y_i, s the product of a sparse matrix and x. The matrix is in compressed rows, or in slices of
/// `slice` rows whose k-th entries lie side by side.
template <bool Binary64>
struct multidigit_spmv {
    int p = 0;
    const index_t* begin = nullptr;        ///< of rows, or of slices
    const std::int32_t* length = nullptr;  ///< of rows, where there are slices
    const std::int32_t* col = nullptr;
    const double* binary64 = nullptr;
    multidigit_term value;
    index_t slice = 0;  ///< 0: compressed rows
    multidigit_term x;
    multidigit_factor alpha = multidigit_factor::one;
    multidigit_scalar alpha_scalar{};
    bool adds = false;
    multidigit_term y;  ///< with beta, where adds
    multidigit_tiles<false> to;
    index_t stride = 1;

    template <class Digit, int N>
    RESIDUA_HD void operator()(index_t i) const
    {
        const index_t first = slice == 0 ? begin[i] : begin[i / slice] * slice + i % slice;
        const index_t count = slice == 0 ? begin[i + 1] - first : length[i];
        const index_t step = slice == 0 ? 1 : slice;
        multidigit_sum<Digit, N> sum;
        for (index_t k = 0; k < count; ++k) {
            const index_t at = first + k * step;
            if constexpr (Binary64) {
                sum.add_product(x.number<Digit, N>(col[at]), binary64[at], p);
            } else {
                sum.add_product(value.number<Digit, N>(at), x.number<Digit, N>(col[at]), p);
            }
        }
        auto w = sum.result(p);
        const auto factor = residua::detail::leading_digits<Digit, N>(alpha_scalar);
        if (adds) {
            const auto kept = y.value<Digit, N>(i, p);
            w = alpha == multidigit_factor::scalar ? fma(factor, w, kept, p)
                : alpha == multidigit_factor::one  ? add(w, kept, p)
                                                   : sub(kept, w, p);
        } else if (alpha != multidigit_factor::one) {
            w = mul(factor, w, p);
        }
        residua::detail::store(to, i * stride, w);
    }
};

}  // namespace residua::blas::detail
