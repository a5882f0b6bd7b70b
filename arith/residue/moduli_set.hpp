#pragma once

#include <cstdint>
#include <vector>

/// Sets of moduli that are chosen at run time, for integers of any length. Exact products are computed with their
/// residues, by arithmetic that is exact for a few bits only.
namespace residua {

struct modulus_range {
    std::int64_t most;
    std::int64_t least;
};

/// Pairwise coprime moduli, the largest there are, with a product of at least product_bits bits.
///
/// An integer X with |X| < M / 4, M the product, is determined by its residues, -m_i / 2 <= r_i < m_i / 2.
///
/// from  the Chinese remainder theorem; [Knuth98, 4.3.2]
class moduli_set {
public:
    /// Moduli up to 2^word_bits.
    ///
    /// throws  dimension_error unless 3 <= word_bits <= 31 and 1 <= product_bits, unsupported_error if there are not
    ///         enough moduli
    moduli_set(int word_bits, long product_bits);

    /// Moduli of one range, all that there are if need be, and then of another.
    ///
    /// throws  dimension_error unless 2 <= least <= most <= 2^31 in both and 1 <= product_bits, unsupported_error if
    ///         there are not enough moduli
    moduli_set(modulus_range narrow, modulus_range next, long product_bits);

    int size() const { return static_cast<int>(modulus_.size()); }
    std::int64_t modulus(int i) const { return modulus_[static_cast<std::size_t>(i)]; }

    /// How many are of the first range: they come first.
    int narrow() const { return narrow_; }

    /// floor(log2 M)
    long product_bits() const { return product_bits_; }

    /// 2^k mod m_i, centred; k >= 0
    std::int64_t power_of_two(int i, long k) const;

    /// The centred w_i with w_i M / m_i = 1 mod m_i: X = sum_i (w_i r_i mod m_i) M / m_i - k M for some k.
    std::int64_t weight(int i) const { return weight_[static_cast<std::size_t>(i)]; }

    /// Digits of `bits` bits, the least first, -2^(bits - 1) <= d < 2^(bits - 1), of M / m_i, or of M for i = size().
    std::vector<std::int64_t> digits(int i, int bits) const;

private:
    int narrow_ = 0;
    long product_bits_ = 0;
    std::vector<std::int64_t> modulus_;
    std::vector<std::int64_t> weight_;
    std::vector<std::uint64_t> product_;  // the words of M, the least first
};

/// r mod m, -m / 2 <= result < m / 2.
constexpr std::int64_t centred_residue(std::int64_t r, std::int64_t m)
{
    const std::int64_t rest = (r % m + m) % m;
    return rest - (2 * rest >= m ? m : 0);
}

}  // namespace residua
