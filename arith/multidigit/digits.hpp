#pragma once

#include <bit>
#include <cstdint>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/multidigit/type.hpp>
#include <residua/arith/multidigit/unroll.hpp>

/// Integers of M digits, d[0] the least.
namespace residua::detail {

template <class Digit>
struct two_digits;
template <>
struct two_digits<std::uint32_t> {
    using type = std::uint64_t;
};
template <>
struct two_digits<std::uint64_t> {
    __extension__ using type = unsigned __int128;
};

/// Holds the product of two digits and two more digits.
template <class Digit>
using two_digits_t = typename two_digits<Digit>::type;

template <class Digit>
inline constexpr int bits_of = 8 * sizeof(Digit);

/// a + b + carry; carry becomes the carry out.
template <class Digit>
RESIDUA_HD Digit add_with_carry(Digit a, Digit b, Digit& carry)
{
    const auto s = static_cast<two_digits_t<Digit>>(a) + b + carry;
    carry = static_cast<Digit>(s >> bits_of<Digit>);
    return static_cast<Digit>(s);
}

/// a - b - borrow; borrow becomes the borrow out.
template <class Digit>
RESIDUA_HD Digit subtract_with_borrow(Digit a, Digit b, Digit& borrow)
{
    const auto s = static_cast<two_digits_t<Digit>>(a) - b - borrow;
    borrow = static_cast<Digit>(s >> bits_of<Digit>) & 1;
    return static_cast<Digit>(s);
}

/// a <- a + b + carry; carry becomes the carry out.
template <int M, class Digit>
RESIDUA_HD Digit add_digits(Digit (&a)[M], const Digit (&b)[M], Digit carry)
{
    int first = 0;
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(Digit) == 4) {
        RESIDUA_UNROLL(M)
        for (int k = 0; k + 4 <= M; k += 4) {
            asm("add.cc.u32 %4, %4, 0xffffffff; "
                "addc.cc.u32 %0, %0, %5; addc.cc.u32 %1, %1, %6; addc.cc.u32 %2, %2, %7; addc.cc.u32 %3, %3, %8; "
                "addc.u32 %4, 0, 0;"
                : "+&r"(a[k]), "+&r"(a[k + 1]), "+&r"(a[k + 2]), "+&r"(a[k + 3]), "+&r"(carry)
                : "r"(b[k]), "r"(b[k + 1]), "r"(b[k + 2]), "r"(b[k + 3]));
        }
        first = M / 4 * 4;
    }
#endif
    RESIDUA_UNROLL(M)
    for (int k = first; k < M; ++k) {
        a[k] = add_with_carry(a[k], b[k], carry);
    }
    return carry;
}

/// A sum of products of two digits.
template <class Digit>
struct column_sum {
    Digit low = 0, middle = 0, high = 0;

    RESIDUA_HD void add_product(Digit a, Digit b)
    {
#if defined(__CUDA_ARCH__)
        if constexpr (sizeof(Digit) == 4) {
            asm("mad.lo.cc.u32 %0, %3, %4, %0; madc.hi.cc.u32 %1, %3, %4, %1; addc.u32 %2, %2, 0;"
                : "+&r"(low), "+&r"(middle), "+&r"(high)
                : "r"(a), "r"(b));
            return;
        }
#endif
        const auto product = static_cast<two_digits_t<Digit>>(a) * b;
        const auto upper = static_cast<Digit>(product >> bits_of<Digit>);  // base - 2 at most
        const auto lower = static_cast<Digit>(product);
        low += lower;
        const Digit carried = upper + (low < lower ? 1 : 0);
        middle += carried;
        high += middle < carried ? 1 : 0;
    }

    /// Divides the sum by the base: it becomes the integer quotient, and the remainder is the digit.
    RESIDUA_HD Digit take_digit()
    {
        const Digit digit = low;
        low = middle;
        middle = high;
        high = 0;
        return digit;
    }
};

/// The greatest power of two <= M.
template <int M>
inline constexpr int greatest_power_of_two = static_cast<int>(std::bit_floor(static_cast<unsigned>(M)));

/// Whether a thread has M digits in registers, where they cannot be indexed.
template <int M>
RESIDUA_HD constexpr bool is_in_registers()
{
#if defined(__CUDA_ARCH__)
    return M <= most_in_registers;
#else
    return false;
#endif
}

/// d <- floor(d / base^(count % 2 Step)), Step a power of two, Step by Step; adds the bits of what is lost to `lost`.
template <int Step, int Least, int M, class Digit>
RESIDUA_HD void move_down_by(Digit (&d)[M], int count, Digit& lost)
{
    if constexpr (Step >= Least) {
        const bool moves = (count & Step) != 0;
        Digit leaving = 0;
        RESIDUA_UNROLL(M)
        for (int k = 0; k < M; ++k) {
            leaving |= k < Step ? d[k] : 0;
            d[k] = !moves ? d[k] : k + Step < M ? d[k + Step < M ? k + Step : 0] : 0;
        }
        lost |= moves ? leaving : 0;
        move_down_by<Step / 2, Least>(d, count, lost);
    }
}

/// d <- floor(d / base^count), count <= M, in registers; the bits of what is lost.
template <int M, class Digit>
RESIDUA_HD Digit move_down(Digit (&d)[M], int count)
{
    Digit lost = 0;
    if (count >= 4) {  // seldom
        move_down_by<greatest_power_of_two<M>, 4>(d, count, lost);
    }
    move_down_by<2, 1>(d, count, lost);
    return lost;
}

/// The lower digit of (high base + low) / 2^s, 0 <= s < bits_of<Digit>.
template <class Digit>
RESIDUA_HD Digit digit_shifted_down(Digit high, Digit low, int s)
{
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(Digit) == 4) {
        return __funnelshift_r(low, high, static_cast<unsigned>(s));
    }
#endif
    return static_cast<Digit>(((static_cast<two_digits_t<Digit>>(high) << bits_of<Digit>) | low) >> s);
}

/// The higher digit of (high base + low) 2^s, 0 <= s < bits_of<Digit>.
template <class Digit>
RESIDUA_HD Digit digit_shifted_up(Digit high, Digit low, int s)
{
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(Digit) == 4) {
        return __funnelshift_l(low, high, static_cast<unsigned>(s));
    }
#endif
    return static_cast<Digit>(((static_cast<two_digits_t<Digit>>(high) << bits_of<Digit> | low) << s) >>
                              bits_of<Digit>);
}

/// d <- floor(d / (base^Count 2^s)), 0 <= s < bits_of<Digit>, in registers; the bits of what is lost.
template <int Count, int M, class Digit>
RESIDUA_HD Digit move_down_by_bits(Digit (&d)[M], int s)
{
    Digit lost = Count < M ? d[Count < M ? Count : 0] & ((Digit{1} << s) - 1) : 0;
    RESIDUA_UNROLL(M)
    for (int k = 0; k < M; ++k) {
        lost |= k < Count ? d[k] : 0;
        const Digit low = k + Count < M ? d[k + Count < M ? k + Count : 0] : Digit{0};
        const Digit high = k + Count + 1 < M ? d[k + Count + 1 < M ? k + Count + 1 : 0] : Digit{0};
        d[k] = digit_shifted_down(high, low, s);
    }
    return lost;
}

/// d <- floor(d / 2^s), 0 <= s <= bits_of<Digit> M; whether what is lost was not zero.
template <int M, class Digit>
RESIDUA_HD bool shift_down_by(Digit (&d)[M], unsigned s)
{
    constexpr int bits = bits_of<Digit>;
    const int rest = static_cast<int>(s % bits);
    const int count = static_cast<int>(s / bits);
    Digit lost = 0;
    if constexpr (is_in_registers<M>()) {
        if (count == 1) {
            lost = move_down_by_bits<1>(d, rest);
        } else {
            if (count > 1) {  // seldom
                lost = count == 2 ? move_down_by_bits<2>(d, 0) : move_down(d, count);
            }
            lost |= move_down_by_bits<0>(d, rest);
        }
    } else {
        for (int k = 0; k < count; ++k) {
            lost |= d[k];
        }
        if (count < M) {
            lost |= d[count] & ((Digit{1} << rest) - 1);
            for (int k = count; k < M - 1; ++k) {
                d[k - count] = digit_shifted_down(d[k + 1], d[k], rest);
            }
            d[M - 1 - count] = static_cast<Digit>(d[M - 1] >> rest);
        }
        for (int k = M - count; k < M; ++k) {
            d[k] = 0;
        }
    }
    return lost != 0;
}

/// d <- floor(d / 2^shift), shift >= 0; whether what is lost was not zero.
template <int M, class Digit>
RESIDUA_HD bool shift_down(Digit (&d)[M], std::int64_t shift)
{
    constexpr int most = bits_of<Digit> * M;
    return shift_down_by(d, static_cast<unsigned>(shift < most ? shift : most));
}

/// d <- d base^s with s < 2 Step a multiple of Least, both powers of two, until the highest Least digits are not all
/// zero or s is reached; returns s.
template <int Step, int Least, int M, class Digit>
RESIDUA_HD int move_up_by(Digit (&d)[M])
{
    if constexpr (Step < Least) {
        return 0;
    } else {
        Digit top = 0;
        RESIDUA_UNROLL(M)
        for (int k = M - Step; k < M; ++k) {
            top |= d[k];
        }
        const bool moves = top == 0;
        RESIDUA_UNROLL(M)
        for (int k = M - 1; k >= 0; --k) {
            d[k] = !moves ? d[k] : k >= Step ? d[k >= Step ? k - Step : 0] : 0;
        }
        return (moves ? Step : 0) + move_up_by<Step / 2, Least>(d);
    }
}

/// d <- d base^s with the highest digit other than zero; returns s, or anything for zero.
template <int M, class Digit>
RESIDUA_HD int move_up(Digit (&d)[M])
{
    if constexpr (is_in_registers<M>()) {
        int count = 0;
        if (M >= 4 && (d[M - 1] | d[M >= 4 ? M - 2 : 0] | d[M >= 4 ? M - 3 : 0] | d[M >= 4 ? M - 4 : 0]) == 0) {
            count = move_up_by<greatest_power_of_two<M>, 4>(d);  // seldom
        }
        return count + move_up_by<2, 1>(d);
    } else {
        int count = 0;
        while (count < M && d[M - 1 - count] == 0) {
            ++count;
        }
        for (int k = M - 1; k >= 0; --k) {
            d[k] = k >= count ? d[k - count] : 0;
        }
        return count;
    }
}

/// d <- d 2^s with the highest bit set; returns s, which is bits_of<Digit> M or more for zero.
template <int M, class Digit>
RESIDUA_HD int normalize(Digit (&d)[M])
{
    constexpr int bits = bits_of<Digit>;
    int count = 0;
    if (d[M - 1] == 0) {
        count = move_up(d);
        if (d[M - 1] == 0) {
            return bits * M;
        }
    }
    const int rest = leading_zeros(d[M - 1]);
    RESIDUA_UNROLL(M)
    for (int k = M - 1; k >= 0; --k) {
        d[k] = digit_shifted_up(d[k], k > 0 ? d[k > 0 ? k - 1 : 0] : Digit{0}, rest);
    }
    return bits * count + rest;
}

}  // namespace residua::detail
