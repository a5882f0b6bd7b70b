#pragma once

#include <cstdint>
#include <limits>

#include <residua/arith/slices/round.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/view.hpp>

/// The steps of an exact sum of products for one number, on host and device. Numbers of factors become integers, and
/// long integers become numbers of results.
namespace residua::blas::detail {

// These are variables, because kernels may not call the members of numeric_limits.
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Bounds of the finite numbers of a vector.
struct vector_extent {
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min() / 4;

    std::int64_t top = none;    ///< all terms are below 2^top
    std::int64_t last = -none;  ///< and multiples of 2^last
    bool special = false;       ///< something is not finite

    RESIDUA_HD void include(std::int64_t above, std::int64_t multiple_of)
    {
        top = above > top ? above : top;
        last = multiple_of < last ? multiple_of : last;
    }

    /// Whether the vector takes part in products: all numbers are finite, and some are not zero.
    RESIDUA_HD bool counts() const { return !special && top != none; }
};

/// Vectors of binary64 numbers or expansions: the rows of A or the columns of B. Term t of element l of vector i is
/// data[t * plane + l * along + i * across].
template <int Terms>
struct exact_terms {
    static constexpr int terms = Terms;

    const double* data = nullptr;
    index_t along = 1;
    index_t across = 0;
    index_t plane = 0;

    RESIDUA_HD const double* at(index_t l, index_t i) const { return data + l * along + i * across; }

    RESIDUA_HD void look(index_t l, index_t i, vector_extent& extent) const
    {
        const double* const x = at(l, i);
        for (int t = 0; t < Terms; ++t) {
            const double y = x[t * plane];
            if (!(y - y == 0.0)) {
                extent.special = true;
            } else if (y != 0.0) {
                extent.include(floor_log2(y) + 1, last_bit_exponent(y));
            }
        }
    }

    /// to += x 2^shift for the element x, which is finite; each of its terms is cut.
    RESIDUA_HD void add(index_t l, index_t i, std::int64_t shift, const long_integer& to) const
    {
        const double* const x = at(l, i);
        for (int t = 0; t < Terms; ++t) {
            to.add_cut(x[t * plane], shift);
        }
    }

    /// The element itself if it is zero, infinity or NaN, otherwise a finite number with its sign.
    RESIDUA_HD double kind(index_t l, index_t i) const
    {
        const double* const x = at(l, i);
        for (int t = 1; t < Terms; ++t) {
            if (!(x[t * plane] - x[t * plane] == 0.0)) {
                return *x - *x == 0.0 ? not_a_number : *x;
            }
        }
        return *x - *x == 0.0 && *x != 0.0 ? (*x < 0.0 ? -1.0 : 1.0) : *x;
    }
};

/// Vectors of multi-digit floats: element l of vector i is number l * along + i * across.
struct exact_digits {
    static constexpr int terms = 1;

    residua::detail::multidigit_tiles<true> start;
    index_t along = 1;
    index_t across = 0;

    /// The digits of a number in memory, with zeros beyond them.
    struct number {
        const std::uint32_t* word;
        int digits;

        RESIDUA_HD std::uint32_t operator[](int k) const
        {
            constexpr int apart = residua::detail::words_apart;
            if (static_cast<unsigned>(k) >= static_cast<unsigned>(digits)) {
                return 0;
            }
            return word[k * apart] | (k == digits - 1 ? residua::detail::highest_bit : 0);
        }
        RESIDUA_HD std::int32_t exponent() const
        {
            return static_cast<std::int32_t>(word[digits * residua::detail::words_apart] ^
                                             residua::detail::highest_bit);
        }
        RESIDUA_HD bool negative() const
        {
            return (word[(digits - 1) * residua::detail::words_apart] & residua::detail::highest_bit) != 0;
        }
    };

    RESIDUA_HD number at(index_t l, index_t i) const { return {start.number(l * along + i * across), start.digits}; }

    RESIDUA_HD void look(index_t l, index_t i, vector_extent& extent) const
    {
        const number x = at(l, i);
        const std::int64_t exponent = x.exponent();
        if (residua::detail::is_regular(x.exponent())) {
            int k = 0;  // the last digit that is not zero
            while (x[k] == 0) {
                ++k;
            }
            extent.include(exponent, exponent - 32 * (x.digits - k) + residua::detail::trailing_zeros(x[k]));
        } else if (exponent != residua::detail::multidigit_zero_code) {
            extent.special = true;
        }
    }

    /// to <- x 2^shift, cut, for the element x, which is finite. `to` is zero before.
    RESIDUA_HD void add(index_t l, index_t i, std::int64_t shift, const long_integer& to) const
    {
        const number x = at(l, i);
        const std::int64_t bits = x.exponent() + shift;
        if (!residua::detail::is_regular(x.exponent()) || bits <= 0) {
            return;
        }
        const std::uint64_t sign = x.negative() ? ~std::uint64_t{0} : 0;
        std::uint64_t carry = sign & 1;
        const std::int64_t place = bits - 32 * x.digits;  // of bit 0 of digit 0
        auto k = static_cast<int>(place > 0 ? place / 64 : 0);
        const std::int64_t from = 64 * std::int64_t{k} - place;  // -63 at least
        auto d = static_cast<int>(from >> 5);
        const auto rest = static_cast<int>(from & 31);
        const auto joined = [&](std::uint32_t high, std::uint32_t low) {
            return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> rest);
        };
        const auto end = static_cast<int>((bits + 63) / 64);
        std::uint64_t* word = to.word + k * to.stride;
        for (std::uint32_t low = x[d]; k < end; ++k, d += 2, word += to.stride) {
            const std::uint32_t middle = x[d + 1];
            const std::uint32_t high = x[d + 2];
            const std::uint64_t w = (std::uint64_t{joined(high, middle)} << 32 | joined(middle, low)) ^ sign;
            *word = w + carry;
            carry = w + carry == 0 ? carry : 0;
            low = high;
        }
        for (; sign != 0 && k < to.words; ++k, word += to.stride) {
            *word = sign;
        }
    }

    RESIDUA_HD double kind(index_t l, index_t i) const
    {
        const number x = at(l, i);
        const std::int32_t e = x.exponent();
        const double magnitude = residua::detail::is_regular(e)                   ? 1.0
                                 : e == residua::detail::multidigit_zero_code     ? 0.0
                                 : e == residua::detail::multidigit_infinity_code ? infinity
                                                                                  : not_a_number;
        return magnitude != 0.0 && x.negative() ? -magnitude : magnitude;
    }
};

/// The sum of the products of row i and column j in which something is not finite: infinity or NaN.
template <class A, class B>
RESIDUA_HD double special_sum(const A& a, const B& b, index_t terms, index_t i, index_t j)
{
    double sum = 0.0;
    for (index_t l = 0; l < terms; ++l) {
        const double x = a.kind(l, i);
        const double y = b.kind(l, j);
        if (!(x - x == 0.0) || !(y - y == 0.0)) {
            sum += x * y;
        }
    }
    return sum;
}

/// A result of binary64 numbers or expansions: term t of number k is data[t * plane + k].
template <int Terms>
struct exact_terms_result {
    double* data = nullptr;
    index_t plane = 0;

    /// Number k <- x 2^scale, rounded once; x is lost.
    RESIDUA_HD void store(index_t k, const long_integer& x, std::int64_t scale) const
    {
        if constexpr (Terms == 1) {
            data[k] = x.rounded(scale);
        } else {
            const auto r = rounded_to_expansion<Terms>(x, scale);
            for (int t = 0; t < Terms; ++t) {
                data[t * plane + k] = r.t[t];
            }
        }
    }

    /// Number k <- x, which is zero or not finite
    RESIDUA_HD void store_special(index_t k, double x) const
    {
        for (int t = 0; t < Terms; ++t) {
            data[t * plane + k] = t > 0 ? 0.0 : x != x ? not_a_number : x;
        }
    }
};

/// A result of multi-digit floats of p bits.
struct exact_digits_result {
    residua::detail::multidigit_tiles<false> start;
    int p = 0;

    RESIDUA_HD void store(index_t k, const long_integer& x, std::int64_t scale) const
    {
        using namespace residua::detail;
        const long_magnitude magnitude = x.absolute();
        if (magnitude.is_zero()) {
            return put(k, multidigit_zero_code, false);
        }
        std::uint32_t* const word = start.number(k);
        const int digits = start.digits;
        const std::int64_t e = scale + round_to_digits(magnitude, p, [&](int j, std::uint32_t d) {
                                   const bool replaced = j == digits - 1 && !magnitude.negative;
                                   word[j * words_apart] = replaced ? d & ~highest_bit : d;
                               });
        word[digits * words_apart] = static_cast<std::uint32_t>(e) ^ highest_bit;
        if (e > multidigit_most_exponent) {
            put(k, multidigit_infinity_code, magnitude.negative);
        } else if (e < multidigit_least_exponent) {
            const bool is_zero = scale + magnitude.bits() < multidigit_least_exponent - 1 ||
                                 magnitude.is_power_of_two();  // at most half of the least number
            put(k, is_zero ? multidigit_zero_code : multidigit_least_exponent, !is_zero && magnitude.negative);
        }
    }

    RESIDUA_HD void store_special(index_t k, double x) const
    {
        using namespace residua::detail;
        put(k, x == 0.0 ? multidigit_zero_code : x != x ? multidigit_nan_code : multidigit_infinity_code, x < 0.0);
    }

private:
    /// Number k <- a special number, or the least power of two with this exponent.
    RESIDUA_HD void put(index_t k, std::int32_t exponent, bool negative) const
    {
        using namespace residua::detail;
        std::uint32_t* const word = start.number(k);
        for (int j = 0; j < start.digits; ++j) {
            word[j * words_apart] = j == start.digits - 1 && negative ? highest_bit : 0;
        }
        word[start.digits * words_apart] = static_cast<std::uint32_t>(exponent) ^ highest_bit;
    }
};

}  // namespace residua::blas::detail
