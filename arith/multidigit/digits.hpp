#pragma once

#include <bit>
#include <cstdint>

#include <residua/arith/multidigit/type.hpp>

/// Whole numbers of M digits, d[0] the least.
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

RESIDUA_HD int leading_zeros(std::uint32_t x)
{
#if defined(__CUDA_ARCH__)
    return __clz(static_cast<int>(x));
#else
    return std::countl_zero(x);
#endif
}

RESIDUA_HD int leading_zeros(std::uint64_t x)
{
#if defined(__CUDA_ARCH__)
    return __clzll(static_cast<long long>(x));
#else
    return std::countl_zero(x);
#endif
}

/// a + b + carry, and the carry of it.
template <class Digit>
RESIDUA_HD Digit add_with_carry(Digit a, Digit b, Digit& carry)
{
    const auto s = static_cast<two_digits_t<Digit>>(a) + b + carry;
    carry = static_cast<Digit>(s >> bits_of<Digit>);
    return static_cast<Digit>(s);
}

/// a - b - borrow, and the borrow of it.
template <class Digit>
RESIDUA_HD Digit subtract_with_borrow(Digit a, Digit b, Digit& borrow)
{
    const auto s = static_cast<two_digits_t<Digit>>(a) - b - borrow;
    borrow = static_cast<Digit>(s >> bits_of<Digit>) & 1;
    return static_cast<Digit>(s);
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
                : "+r"(low), "+r"(middle), "+r"(high)
                : "r"(a), "r"(b));
            return;
        }
#endif
        using two = two_digits_t<Digit>;
        const two sum = (static_cast<two>(middle) << bits_of<Digit> | low) + static_cast<two>(a) * b;
        const auto top = static_cast<Digit>(sum >> bits_of<Digit>);
        // the sum is less than the product only if it overflowed
        high += sum < static_cast<two>(a) * b;
        middle = top;
        low = static_cast<Digit>(sum);
    }

    /// The sum becomes its whole part after division by the base; what it leaves is the digit.
    RESIDUA_HD Digit take_digit()
    {
        const Digit digit = low;
        low = middle;
        middle = high;
        high = 0;
        return digit;
    }
};

/// The least power of two >= M.
template <int M>
inline constexpr int least_power_of_two = static_cast<int>(std::bit_ceil(static_cast<unsigned>(M)));

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

/// d <- floor(d / base^count), count <= M; whether what is lost was not zero.
template <int M, class Digit>
RESIDUA_HD bool move_down(Digit (&d)[M], int count)
{
    Digit lost = 0;
    if constexpr (is_in_registers<M>()) {
        RESIDUA_UNROLL(M)
        for (int step = least_power_of_two<M>; step > 0; step /= 2) {
            const bool moves = (count & step) != 0;
            RESIDUA_UNROLL(M)
            for (int k = 0; k < M; ++k) {
                lost |= moves && k < step ? d[k] : 0;
                d[k] = !moves ? d[k] : k + step < M ? d[k + step < M ? k + step : 0] : 0;
            }
        }
    } else {
        for (int k = 0; k < M; ++k) {
            lost |= k < count ? d[k] : 0;
            d[k] = k + count < M ? d[k + count] : 0;
        }
    }
    return lost != 0;
}

/// d <- floor(d / 2^shift), shift >= 0; whether what is lost was not zero.
template <int M, class Digit>
RESIDUA_HD bool shift_down(Digit (&d)[M], std::int64_t shift)
{
    constexpr int bits = bits_of<Digit>;
    const int most = bits * M;
    const int s = shift < most ? static_cast<int>(shift) : most;
    bool lost = move_down(d, s / bits);
    const int rest = s % bits;
    if (rest != 0) {
        lost |= static_cast<Digit>(d[0] << (bits - rest)) != 0;
        RESIDUA_UNROLL(M)
        for (int k = 0; k < M; ++k) {
            const Digit above = k + 1 < M ? d[k + 1 < M ? k + 1 : 0] : 0;
            d[k] = static_cast<Digit>(d[k] >> rest | above << (bits - rest));
        }
    }
    return lost;
}

/// d <- d 2^s with the highest bit set; returns s, which is bits_of<Digit> M or more for zero.
template <int M, class Digit>
RESIDUA_HD int normalize(Digit (&d)[M])
{
    constexpr int bits = bits_of<Digit>;
    int count = 0;
    if constexpr (is_in_registers<M>()) {
        RESIDUA_UNROLL(M)
        for (int step = least_power_of_two<M>; step > 0; step /= 2) {
            Digit top = 0;
            RESIDUA_UNROLL(M)
            for (int k = 0; k < M; ++k) {
                top |= k + step >= M ? d[k] : 0;
            }
            const bool moves = top == 0;
            count += moves ? step : 0;
            RESIDUA_UNROLL(M)
            for (int k = M - 1; k >= 0; --k) {
                d[k] = !moves ? d[k] : k >= step ? d[k >= step ? k - step : 0] : 0;
            }
        }
    } else {
        while (count < M && d[M - 1 - count] == 0) {
            ++count;
        }
        if (count > 0) {
            for (int k = M - 1; k >= 0; --k) {
                d[k] = k >= count ? d[k - count] : 0;
            }
        }
    }
    if (d[M - 1] == 0) {
        return bits * M;
    }
    const int rest = leading_zeros(d[M - 1]);
    if (rest != 0) {
        RESIDUA_UNROLL(M)
        for (int k = M - 1; k >= 0; --k) {
            const Digit below = k > 0 ? d[k > 0 ? k - 1 : 0] : 0;
            d[k] = static_cast<Digit>(d[k] << rest | below >> (bits - rest));
        }
    }
    return bits * count + rest;
}

}  // namespace residua::detail
