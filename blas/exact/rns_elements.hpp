#pragma once

#include <cstdint>

#include <residua/arith/rns/rns_float.hpp>
#include <residua/arith/slices/round.hpp>
#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/exact/elements.hpp>

/// The steps of an exact sum of products for one RNS float, on host and device. Operands become multi-digit floats of
/// the same values, and long integers become RNS floats. One thread has all residues of a number in its memory.
namespace residua::blas::detail {

using exact_rns_set = rns_format::set_type;

/// Operands X 2^e have |e| up to here, since multi-digit floats have exponents of 32 bits.
inline constexpr std::int64_t most_exact_exponent = 0x7ffff000;

/// The memory of the longest significand.
struct exact_rns_size {
    static constexpr int width = rns_precision(rns_most_moduli) + 1;
    static constexpr int words = (width + 2) / 64 + 1;  // X <= 2^width, bounded by twice that, and a sign
    static constexpr int digits = (width + 31) / 32;
};

/// RNS floats that become multi-digit floats: number q of `to` is number q % rows + q / rows * ld of `from`.
struct exact_rns_digits {
    const exact_rns_set* set;
    residua::detail::rns_tiles<true> from;
    index_t rows;
    index_t ld;
    exact_digits_result to;

    /// Makes number q. Returns its exponent if that is above most_exact_exponent in size, otherwise 0.
    ///
    /// cost  L^2 3/4 reductions for L moduli
    RESIDUA_HD_LONG std::int64_t make(index_t q) const
    {
        auto x = residua::detail::load(*set, from, q % rows + q / rows * ld);
        if (is_zero(x) || !is_finite(x)) {
            to.store_special(q, is_zero(x) ? 0.0 : not_a_number);
        } else if (x.exponent < -most_exact_exponent || x.exponent > most_exact_exponent) {
            return x.exponent;
        } else {
            std::uint64_t word[exact_rns_size::words];
            to.store(q, significand(x, word), x.exponent);
        }
        return 0;
    }

private:
    /// X, or -X if x is negative; the residues of x are lost.
    RESIDUA_HD_LONG long_integer significand(rns_float<rns_most_moduli>& x, std::uint64_t* word) const
    {
        using namespace residua::detail;
        const int words = (bound_bits(x.range) + 1) / 64 + 1;  // X <= 2^bound_bits, and a sign
        RESIDUA_KEEP_LOOP
        for (int w = 0; w < words; ++w) {
            const std::uint64_t low = low_bits<std::uint64_t>(*set, x.digit);
            for_residues(*set, [&](int k) { x.digit[k] = drop_long(x.digit[k], low, 64, set->modulus(k)); });
            word[w] = low;
        }
        std::uint64_t carry = 1;
        RESIDUA_KEEP_LOOP
        for (int w = 0; x.negative && w < words; ++w) {
            word[w] = ~word[w] + carry;
            carry = carry != 0 && word[w] == 0 ? 1 : 0;
        }
        return {word, 1, words};
    }
};

/// A result of RNS floats.
struct exact_rns_result {
    const exact_rns_set* set;
    residua::detail::rns_tiles<false> start;

    /// Number k <- x 2^scale, rounded once to nearest even with rns_constants::width bits, as by from_real(). Beyond
    /// the range it is not finite, or zero.
    ///
    /// cost  L^2 / 2 reductions for L moduli
    RESIDUA_HD_LONG void store(index_t k, const long_integer& x, std::int64_t scale) const
    {
        using namespace residua::detail;
        const long_magnitude magnitude = x.absolute();
        if (magnitude.is_zero()) {
            return store_special(k, 0.0);
        }
        // 0.d_{n-1} ... d_0 2^e, whose digits without the zeros at their end are those of X
        const int width = set->constants.width;
        const int n = (width + 31) / 32;
        std::uint32_t d[exact_rns_size::digits + 2];
        const std::int64_t e =
            scale + round_to_digits(magnitude, width, [&](int j, std::uint32_t digit) { d[j] = digit; });
        d[n] = d[n + 1] = 0;
        int zeros = 0;
        while (d[zeros / 32] == 0) {
            zeros += 32;
        }
        zeros += trailing_zeros(d[zeros / 32]);
        const auto digit_at = [&](int place) {
            const std::uint64_t pair = static_cast<std::uint64_t>(d[place / 32 + 1]) << 32 | d[place / 32];
            return static_cast<std::uint32_t>(pair >> (place % 32));
        };
        rns_float<rns_most_moduli> r;
        const int bits = 32 * n - zeros;
        const int below = bits > 60 ? bits - 60 : 0;
        const std::uint64_t top =
            static_cast<std::uint64_t>(digit_at(zeros + below + 32)) << 32 | digit_at(zeros + below);
        r.range = make_range(top, top + (below > 0 ? 1 : 0), below);
        r.negative = magnitude.negative;
        r.exponent = e - bits;
        head(r) = checked(r);

        // Montgomery's reduction removes a digit at a time from the end, and leaves 2^(-32 digits) X
        const int digits = (bits + 31) / 32;
        for_residues(*set, [&](int i) {
            const rns_modulus& q = set->modulus(i);
            std::uint32_t rest = 0;
            RESIDUA_KEEP_LOOP
            for (int j = 0; j < digits; ++j) {
                rest = reduce(static_cast<std::uint64_t>(rest) + digit_at(zeros + 32 * j), q.m, q.inverse);
            }
            r.digit[i] = montgomery(rest, set->power(digits - 1, i), q.m, q.inverse);
        });
        residua::detail::store(*set, start, k, r);
    }

    /// Number k <- x, which is zero or not finite
    RESIDUA_HD_LONG void store_special(index_t k, double x) const
    {
        residua::detail::store(*set, start, k,
                               x == 0.0 ? rns_zero<rns_most_moduli>() : rns_not_finite<rns_most_moduli>());
    }
};

}  // namespace residua::blas::detail
