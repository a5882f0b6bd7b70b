#pragma once

#include <algorithm>
#include <cstdint>

#include <residua/arith/multidigit/multidigit.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/sparse/stored_rows.hpp>
#if defined(__CUDACC__)
#include <residua/blas/base/read_once.cuh>
#endif

/// The step of an operation for one result, written once for numbers of N digits: a function object with
/// f.template operator()<Digit, N>(i).
namespace residua::blas::detail {

using residua::detail::multidigit_tiles;
using multidigit_scalar = multidigit_number::value_type;

/// Whether a is 2^k or -2^k.
inline bool is_power_of_two(const multidigit_scalar& a)
{
    constexpr int top = multidigit_scalar::digits - 1;
    const bool is_empty_below = std::all_of(a.d, a.d + top, [](std::uint64_t d) { return d == 0; });
    return residua::detail::is_regular(a.exponent) && is_empty_below && a.d[top] == std::uint64_t{1} << 63;
}

/// Numbers of a vector.
struct multidigit_operand {
    multidigit_tiles<true> start;
    index_t stride = 1;

    template <class Digit, int N>
    RESIDUA_HD multidigit_float<Digit, N> number(index_t i) const
    {
        return residua::detail::load<Digit, N>(start, i * stride);
    }
};

struct multidigit_result {
    multidigit_tiles<false> start;
    index_t stride = 1;

    template <class Digit, int N>
    RESIDUA_HD void store(index_t i, const multidigit_float<Digit, N>& x) const
    {
        residua::detail::store(start, i * stride, x);
    }
};

/// y_i <- x_i
struct multidigit_copy {
    multidigit_operand x;
    multidigit_result y;

    RESIDUA_HD void operator()(index_t i) const
    {
        const std::uint32_t* const from = x.start.number(i * x.stride);
        std::uint32_t* const to = y.start.number(i * y.stride);
        for (int k = 0; k <= x.start.digits; ++k) {
            to[k * residua::detail::words_apart] = from[k * residua::detail::words_apart];
        }
    }
};

/// Whether |x_i| > |x_j|, or only x_i is NaN.
RESIDUA_HD bool is_larger(const multidigit_operand& x, index_t i, index_t j)
{
    using residua::detail::highest_bit;
    const std::uint32_t* const a = x.start.number(i * x.stride);
    const std::uint32_t* const b = x.start.number(j * x.stride);
    const int top = x.start.digits * residua::detail::words_apart;
    const auto exponent_a = static_cast<std::int32_t>(a[top] ^ highest_bit);
    const auto exponent_b = static_cast<std::int32_t>(b[top] ^ highest_bit);
    if (exponent_a != exponent_b) {
        return exponent_a > exponent_b;  // the code of NaN is above all others, the code of zero below
    }
    for (int k = top - residua::detail::words_apart; k >= 0; k -= residua::detail::words_apart) {
        const std::uint32_t sign = k == top - residua::detail::words_apart ? highest_bit : 0;
        if ((a[k] | sign) != (b[k] | sign)) {
            return (a[k] | sign) > (b[k] | sign);
        }
    }
    return false;
}

/// w_i <- a x_i, or a x_i + z_i, or a x_i - z_i
struct multidigit_axpy {
    int p = 0;
    bool multiplies = true;  ///< false for a power of two, whose product with x would need all digits to round
    multidigit_scalar a{};
    multidigit_operand x;
    bool adds = false;
    bool negates = false;  ///< z
    multidigit_operand z;
    multidigit_result w;

    template <class Digit, int N>
    RESIDUA_HD void operator()(index_t i) const
    {
        if (!multiplies) {
            w.store(i, scaled<Digit, N>(i));
            return;
        }
#if defined(__CUDA_ARCH__)
        bool decided = false;
        const auto r =
            residua::detail::usual_fma(factor<Digit, N>(), passing<Digit, N>(i), summand<Digit, N>(i), p, decided);
        if (decided) {
            w.store(i, r);
        } else {
            again<Digit, N>(i);
        }
#else
        const auto term = x.number<Digit, N>(i);
        w.store(i, adds ? fma(factor<Digit, N>(), term, summand<Digit, N>(i), p) : mul(factor<Digit, N>(), term, p));
#endif
    }

private:
    template <class Digit, int N>
    RESIDUA_HD multidigit_float<Digit, N> factor() const
    {
        return residua::detail::leading_digits<Digit, N>(a);
    }

    template <class Digit, int N>
    RESIDUA_HD multidigit_float<Digit, N> summand(index_t i) const
    {
        if (!adds) {
            return residua::detail::multidigit_special<Digit, N>(residua::detail::multidigit_zero_code);
        }
        const auto number = z.number<Digit, N>(i);
        return negates ? negated(number) : number;
    }

    template <class Digit, int N>
    RESIDUA_HD multidigit_float<Digit, N> scaled(index_t i) const
    {
        const auto number = x.number<Digit, N>(i);
        const auto term = a.negative ? negated(number) : number;
        const std::int64_t k = a.exponent - std::int64_t{1};
        return adds ? add_scaled(term, k, summand<Digit, N>(i), p) : ldexp(term, k);
    }

#if defined(__CUDACC__)
    /// x_i. If numbers are short, so that memory takes the time, x leaves the second cache first, so that z and w stay.
    template <class Digit, int N>
    __device__ multidigit_float<Digit, N> passing(index_t i) const
    {
        if constexpr (N <= 8) {
            return residua::detail::load_stored<Digit, N>(x.start.number(i * x.stride), x.start.digits,
                                                          passing_read<all_leaves_first>{})
                .number();
        } else {
            return x.number<Digit, N>(i);
        }
    }

    /// Reads the operands from memory once more: to keep them would take half of the registers of a thread.
    template <class Digit, int N>
    __device__ __noinline__ void again(index_t i) const
    {
        w.store(i, residua::detail::unusual_fma(factor<Digit, N>(), x.number<Digit, N>(i), summand<Digit, N>(i), p));
    }
#endif
};

/// y_i <- 2^e_i x_(source_i), or 2^e x_i
struct multidigit_scaling {
    const index_t* source = nullptr;  ///< null: i
    const double* factor = nullptr;   ///< 2^e_i; null: 2^exponent
    std::int64_t exponent = 0;
    multidigit_operand x;
    multidigit_result y;

    template <class Digit, int N>
    RESIDUA_HD void operator()(index_t i) const
    {
        const std::int64_t e =
            factor == nullptr ? exponent : to_multidigit<Digit, N>(factor[i]).exponent - std::int64_t{1};
        y.store(i, ldexp(x.number<Digit, N>(source == nullptr ? i : source[i]), e));
    }
};

/// The terms of long sums, one for each result j: x_ij y_i, or |x_ij|.
struct multidigit_terms {
    multidigit_operand x;
    index_t x_step = 0;  ///< the distance from result to result
    multidigit_operand y;
    bool magnitudes = false;

    RESIDUA_HD multidigit_terms of_result(index_t j) const
    {
        return {{x.start.from(j * x_step), x.stride}, 0, y, magnitudes};
    }

    /// sum <- sum + the i-th term
    template <class Digit, int N>
    RESIDUA_HD void add_to(multidigit_sum<Digit, N>& sum, index_t i, int p) const
    {
        const auto factor = x.number<Digit, N>(i);
        if (magnitudes) {
            sum.add(abs(factor), p);
        } else {
            sum.add_product(factor, y.number<Digit, N>(i), p);
        }
    }
};

/// A product of dense matrices, made row by row: x is a column of the second factor.
struct multidigit_rows {
    index_t rows = 0;
    index_t cols = 0;
    multidigit_tiles<true> a;
    index_t ld = 0;
    multidigit_operand x;
    index_t x_step = 0;  ///< the distance from column to column of the second factor
    multidigit_result y;
    index_t y_step = 0;
};

/// y_i <- s_i, a row of the product of a sparse matrix and x.
template <bool Binary64>
struct multidigit_spmv {
    int p = 0;
    stored_rows rows;
    const double* binary64 = nullptr;
    multidigit_operand value;
    multidigit_operand x;
    multidigit_result y;

    template <class Digit, int N>
    RESIDUA_HD void operator()(index_t i) const
    {
        constexpr bool by_pointers = sizeof(Digit) == 4 && N <= 8;  // longer numbers leave no registers for them
        multidigit_sum<Digit, N> sum;
        rows.walk_ahead<Binary64, by_pointers>(
            i, binary64, [&](index_t at, const stored_rows::entry& e) __attribute__((always_inline)) {
                const auto factor = x.number<Digit, N>(e.col);
                if constexpr (Binary64) {
                    sum.add_product(factor, e.binary64, p);
                } else {
                    sum.add_product(factor, value.number<Digit, N>(at), p);
                }
            });
        y.store(i, sum.result(p));
    }
};

/// x_i <- (b_i - sum of t_ij x_j) / t_ii, a row of a triangle of a sparse matrix, whose x_j are known.
struct multidigit_solve_row {
    int p = 0;
    bool lower = true;
    bool unit = false;
    compressed_rows rows;
    const double* value = nullptr;
    multidigit_operand b;
    multidigit_result x;

    template <class Digit, int N>
    RESIDUA_HD void operator()(index_t i) const
    {
        const multidigit_operand known{x.start, x.stride};
        multidigit_sum<Digit, N> sum;
        sum.add(b.number<Digit, N>(i), p);
        double pivot = 0.0;
        rows.walk_triangle(
            i, lower,
            [&](index_t at, index_t j)
                __attribute__((always_inline)) { sum.add_product(known.number<Digit, N>(j), -value[at], p); },
            [&](index_t at) __attribute__((always_inline)) { pivot = value[at]; });
        const auto rest = sum.result(p);
        x.store(i, unit ? rest : div(rest, to_multidigit<Digit, N>(pivot), p));
    }
};

}  // namespace residua::blas::detail
