#pragma once

#include <cstdint>

#include <residua/arith/multidigit/digits.hpp>
#include <residua/arith/slices/slices.hpp>

/// Sums of products of long integers, computed word by word, on host and device.
namespace residua::blas::detail {

/// An integer of words side by side, from `first` to `end` - 1; the words beside them are zero.
struct signed_words {
    const std::uint64_t* word;
    int first;
    int end;
    bool negative;
};

/// Replaces the words of x, which lie side by side, by those of |x|.
RESIDUA_HD signed_words to_signed_words(const long_integer& x)
{
    const long_magnitude m = x.absolute();
    for (int k = m.first; m.negative && k < x.words; ++k) {
        x.word[k] = ~x.word[k] + (k == m.first ? 1 : 0);
    }
    return {x.word, m.first, m.last + 1, m.negative};
}

/// sum += |x y|, which has room for it
RESIDUA_HD void add_product(const signed_words& x, const signed_words& y, std::uint64_t* sum)
{
    using two_words = residua::detail::two_digits_t<std::uint64_t>;
    for (int i = x.first; i < x.end; ++i) {
        std::uint64_t carry = 0;
        for (int j = y.first; j < y.end; ++j) {
            const two_words t = static_cast<two_words>(x.word[i]) * y.word[j] + sum[i + j] + carry;
            sum[i + j] = static_cast<std::uint64_t>(t);
            carry = static_cast<std::uint64_t>(t >> 64);
        }
        for (int k = i + y.end; carry != 0; ++k) {
            sum[k] += carry;
            carry = sum[k] < carry ? 1 : 0;
        }
    }
}

/// The sum of positive products and the sum of negative ones, of `words` words each.
struct two_sums {
    std::uint64_t* positive;
    std::uint64_t* negative;
    int words;

    RESIDUA_HD void add_product(const signed_words& x, const signed_words& y) const
    {
        detail::add_product(x, y, x.negative != y.negative ? negative : positive);
    }

    /// Adds the sums of other products, which have as many words.
    RESIDUA_HD void add(const two_sums& other) const
    {
        std::uint64_t carry[2] = {};
        for (int k = 0; k < words; ++k) {
            positive[k] = residua::detail::add_with_carry(positive[k], other.positive[k], carry[0]);
            negative[k] = residua::detail::add_with_carry(negative[k], other.negative[k], carry[1]);
        }
    }

    /// The first sum less the second, in the place of the first.
    RESIDUA_HD long_integer difference() const
    {
        std::uint64_t borrow = 0;
        for (int k = 0; k < words; ++k) {
            positive[k] = residua::detail::subtract_with_borrow(positive[k], negative[k], borrow);
        }
        return {positive, 1, words};
    }
};

}  // namespace residua::blas::detail
