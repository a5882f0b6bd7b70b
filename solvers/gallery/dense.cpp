// Dense kinds, with indices i, j from 0. The entries of all but kahan are ratios of integers:
// numerator and denominator are exact, and their quotient has enough bits beyond the wanted digits.
// Rounding it to these digits is then the correct rounding of the ratio itself. (A ratio with a
// denominator of d bits that is no decimal of that length misses every rounding boundary by more
// than 2^-(d+1) units of its last digit.)

#include <algorithm>
#include <cmath>

#include <mpfr.h>

#include <residua/solvers/gallery/kinds.hpp>

namespace residua::detail {
namespace {

/// The bits of a value that is rounded to `digits` decimals afterwards.
long bits_for(int digits, long denominator_bits)
{
    constexpr double bits_per_digit = 3.33;  // log2(10) = 3.3219...
    return static_cast<long>(bits_per_digit * digits) + denominator_bits + 64;
}

long bits_of(index_t n) { return exponent(real(n)); }

/// Rows j to n-1 of each column if symmetric, all rows otherwise.
template <class Entry>
gallery_matrix dense(index_t n, bool symmetric, Entry entry)
{
    const double size = static_cast<double>(n);
    return {.order = n,
            .entries = symmetric ? size * (size + 1.0) / 2.0 : size * size,
            .symmetric = symmetric,
            .dense = true,
            .column = [=](index_t j, std::vector<gallery_entry>& entries) {
                for (index_t i = symmetric ? j : 0; i < n; ++i) {
                    entries.push_back({i, entry(i, j)});
                }
            }};
}

real hilbert_entry(index_t i, index_t j, long bits) { return real(1, bits) / real(i + j + 1); }

}  // namespace

gallery_matrix make_hilbert(const gallery_options& options)
{
    const index_t n = gallery_order(options.n);
    const long bits = bits_for(options.digits, bits_of(2 * n));
    return dense(n, true, [bits](index_t i, index_t j) { return hilbert_entry(i, j, bits); });
}

gallery_matrix make_lotkin(const gallery_options& options)
{
    const index_t n = gallery_order(options.n);
    const long bits = bits_for(options.digits, bits_of(2 * n));
    return dense(n, false, [bits](index_t i, index_t j) { return i == 0 ? real(1) : hilbert_entry(i, j, bits); });
}

/// (-1)^(i+j) p_i p_j / (i+j+1) with p_0 = n, p_i = p_(i-1) (n-i)(n+i)/i^2, all integers below
/// 2^(3n) and log n, since p_i = (n+i)! / (i!^2 (n-i-1)!).
gallery_matrix make_invhilbert(const gallery_options& options)
{
    const index_t n = gallery_order(options.n);
    const long bits = static_cast<long>(8 * n) + 256;
    auto p = [n, bits](index_t i) {
        real value(n, bits);
        for (index_t k = 1; k <= i; ++k) {
            value = value * real(n - k) * real(n + k) / (real(k) * real(k));
        }
        return value;
    };
    gallery_matrix result = dense(n, true, [](index_t, index_t) { return real(); });
    result.column = [n, p](index_t j, std::vector<gallery_entry>& entries) {
        const real first = p(j);
        real value = first;
        for (index_t i = j; i < n; ++i) {
            if (i > j) {
                value = -(value * real(n - i) * real(n + i) / (real(i) * real(i)));
            }
            entries.push_back({i, first * value / real(i + j + 1)});
        }
    };
    return result;
}

/// a_ij = t_j^i with t_j = j/(n-1).
gallery_matrix make_vandermonde(const gallery_options& options)
{
    const index_t n = gallery_order(options.n);
    const long power_bits = static_cast<long>(n) * bits_of(n);
    const long bits = bits_for(options.digits, power_bits);
    return dense(n, false, [n, bits, power_bits](index_t i, index_t j) {
        const long power = static_cast<long>(i);
        return real(1, bits) * pow(real(j, power_bits), power) /
               pow(real(std::max<index_t>(n - 1, 1), power_bits), power);
    });
}

/// C(i+j, i), down each column by C(i+j, i) = C(i-1+j, i-1) (i+j)/i from C(2j, j).
gallery_matrix make_pascal(const gallery_options& options)
{
    const index_t n = gallery_order(options.n);
    const long bits = static_cast<long>(2 * n) + 128;
    gallery_matrix result = dense(n, true, [](index_t, index_t) { return real(); });
    result.column = [n, bits](index_t j, std::vector<gallery_entry>& entries) {
        real value(1, bits);
        for (index_t i = 1; i < n; ++i) {
            if (i - 1 >= j) {
                entries.push_back({i - 1, value});
            }
            value = value * real(i + j) / real(i);
        }
        entries.push_back({n - 1, value});
    };
    return result;
}

/// n - max(i, j) on and above the first subdiagonal.
gallery_matrix make_frank(const gallery_options& options)
{
    const index_t n = gallery_order(options.n);
    return dense(n, false, [n](index_t i, index_t j) { return i > j + 1 ? real() : real(n - std::max(i, j)); });
}

/// s^i on the diagonal, -c s^i above it, with s = sin(theta), c = cos(theta).
gallery_matrix make_kahan(const gallery_options& options)
{
    const index_t n = gallery_order(options.n);
    const long bits = bits_for(options.digits, 2 * bits_of(n));
    real s(0.0, bits);
    real c(0.0, bits);
    mpfr_sin_cos(s.mpfr(), c.mpfr(), options.angle.mpfr(), MPFR_RNDN);
    return dense(n, false, [s, c](index_t i, index_t j) {
        if (i > j) {
            return real();
        }
        const real power = pow(s, static_cast<long>(i));
        return i == j ? power : -(c * power);
    });
}

}  // namespace residua::detail
