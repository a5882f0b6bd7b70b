#pragma once

#include <cstdint>

#include <residua/arith/multidigit/digits.hpp>
#include <residua/blas/exact/parts.hpp>

/// Products of the terms of numbers, added to long integers at any place, on host and device.
namespace residua::blas::detail {

/// Adds to a sum, or subtracts from it, the words of a number from the least on.
class word_adder {
public:
    /// From word `first` on.
    RESIDUA_HD word_adder(const long_integer& sum, int first, bool negative)
        : sum_{sum}, next_{first}, mask_{negative ? ~std::uint64_t{0} : 0}, carry_{negative ? 1U : 0U}
    {}

    RESIDUA_HD void add(std::uint64_t word)
    {
        std::uint64_t& to = sum_.word[next_ * sum_.stride];
        const std::uint64_t with_carry = (word ^ mask_) + carry_;  // -t = ~t + 1
        const std::uint64_t total = to + with_carry;
        carry_ = (with_carry < carry_ ? 1 : 0) | (total < to ? 1 : 0);
        to = total;
        ++next_;
    }

    /// Adds the carry and the sign to the words above the number.
    RESIDUA_HD void finish()
    {
        while (next_ < sum_.words && carry_ != (mask_ & 1)) {
            add(0);
        }
    }

private:
    long_integer sum_;
    int next_;
    std::uint64_t mask_;
    std::uint64_t carry_;
};

/// sum <- sum +- a b 2^at, with a and b as integers. The sum has room for it.
template <class A, class B>
RESIDUA_HD void add_product(const long_integer& sum, const A& a, const B& b, std::int64_t at, bool negative)
{
    const int digits = a.digits + b.digits;
    residua::detail::column_sum<std::uint32_t> column;
    const auto digit = [&](int c) {
        RESIDUA_KEEP_LOOP
        for (int i = c < b.digits ? 0 : c - b.digits + 1; i <= c && i < a.digits; ++i) {
            column.add_product(a[i], b[c - i]);
        }
        return std::uint64_t{column.take_digit()};
    };
    word_adder to(sum, static_cast<int>(at / 64), negative);
    const auto up = static_cast<int>(at % 64);
    std::uint64_t before = 0;
    RESIDUA_KEEP_LOOP
    for (int c = 0; c < digits || (up != 0 && before != 0); c += 2) {
        const std::uint64_t low = digit(c);
        const std::uint64_t word = low | digit(c + 1) << 32;
        to.add(up == 0 ? word : word << up | before >> (64 - up));
        before = word;
    }
    to.finish();
}

RESIDUA_HD void add_product(const long_integer& sum, const binary64_part& a, const binary64_part& b, std::int64_t at,
                            bool negative)
{
    using two_words = residua::detail::two_digits_t<std::uint64_t>;
    const two_words product = static_cast<two_words>(a.significand) * b.significand;
    const auto low = static_cast<std::uint64_t>(product);
    const auto high = static_cast<std::uint64_t>(product >> 64);
    const auto up = static_cast<int>(at % 64);
    word_adder to(sum, static_cast<int>(at / 64), negative);
    to.add(low << up);
    to.add(up == 0 ? high : high << up | low >> (64 - up));
    to.add(up == 0 ? 0 : high >> (64 - up));
    to.finish();
}

/// x <- x 2^bits, for which x has room
RESIDUA_HD void shift_up(const long_integer& x, std::int64_t bits)
{
    const auto whole = static_cast<int>(bits / 64);
    const auto rest = static_cast<int>(bits % 64);
    const auto word = [&](int k) { return k < 0 ? std::uint64_t{0} : x.word[k * x.stride]; };
    RESIDUA_KEEP_LOOP
    for (int k = x.words - 1; k >= 0; --k) {
        const std::uint64_t high = word(k - whole);
        x.word[k * x.stride] = rest == 0 ? high : high << rest | word(k - whole - 1) >> (64 - rest);
    }
}

}  // namespace residua::blas::detail
