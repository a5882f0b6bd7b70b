#pragma once

#include <cstdint>
#include <utility>

#include <residua/arith/multidigit/digits.hpp>

#if defined(__CUDACC__)

/// Products of numbers of 32-bit digits on a device: few digits by its integer units, many by its binary64 units, which
/// multiply 52 bits by 52 where the integer units multiply 32 by 32.
namespace residua::detail {

inline constexpr int binary64_digit = 52;  // bits

/// The number of 52-bit digits that N digits of 32 bits take.
template <int N>
inline constexpr int binary64_digits = (32 * N + binary64_digit - 1) / binary64_digit;

/// Digit j from the top of x, an integer below 2^52; zeros follow the last bit of x.
template <int N>
__device__ __forceinline__ double binary64_digit_of(const std::uint32_t (&x)[N], int j)
{
    const int first = binary64_digit * j / 32;  // the word, counted from the top, in which the digit begins
    const int offset = binary64_digit * j % 32;
    const auto word = [&](int w) { return w < N ? x[w < N ? N - 1 - w : 0] : 0; };
    const std::uint32_t high = __funnelshift_l(word(first + 1), word(first), offset) >> 12;
    const int behind = offset + 20;
    const std::uint32_t low = behind < 32 ? __funnelshift_l(word(first + 1), word(first), behind)
                                          : __funnelshift_l(word(first + 2), word(first + 1), behind - 32);
    return __dsub_rn(__hiloint2double(static_cast<int>(0x43300000 | high), static_cast<int>(low)), 0x1p52);
}

/// Computes leading_product() of mul.hpp in binary64.
///
/// x y for digits x, y < 2^52 is H 2^52 + L: 2^104 + x y rounded towards zero is 2^104 + H 2^52, and then
/// x y + 2^52 - H 2^52 = 2^52 + L is exact. Their bits, as integers, are H and L above constants, and add up in
/// 64 bits over a column.
///
/// errors  less than 2 M + 1 units of the last column kept are left out, M = binary64_digits<N>, of which a bit or more lies
///         behind d: less than N in the last digit of d
/// cost    about 0.19 N^2 products of 52 bits, each two FMAs, a subtraction and two additions of 64 bits
/// from    [EZW18]
template <int Extra, int N>
__device__ __forceinline__ void leading_product_by_binary64(const std::uint32_t (&a)[N], const std::uint32_t (&b)[N],
                                                            std::uint32_t (&d)[N + Extra])
{
    constexpr int m = binary64_digits<N>;
    constexpr int wanted = (32 * (N + Extra) + binary64_digit) / binary64_digit;
    constexpr int kept = wanted < 2 * m ? wanted : 2 * m;             // columns
    constexpr int behind = binary64_digit * kept - 32 * (N + Extra);  // bits of them behind d
    constexpr std::uint64_t high_one = std::uint64_t{0x467} << 52;    // 2^104
    constexpr std::uint64_t low_one = std::uint64_t{0x433} << 52;     // 2^52
    constexpr std::uint64_t mask = (std::uint64_t{1} << binary64_digit) - 1;
    double x[m];
    double y[m];
    RESIDUA_UNROLL(N)
    for (int i = 0; i < m; ++i) {
        x[i] = binary64_digit_of(a, m - 1 - i);
        y[i] = binary64_digit_of(b, m - 1 - i);
    }
    std::uint64_t carried = 0;
    std::uint64_t before = 0;
    int k = 0;
    RESIDUA_UNROLL(N)
    for (int c = kept < 2 * m ? 2 * m - kept - 1 : 0; c < 2 * m; ++c) {
        const int q = c - (2 * m - kept);  // the column's index among those that are kept, or -1
        const int first = c < m ? 0 : c - m + 1;
        const int last = c < m ? c : m - 1;
        const auto count = static_cast<std::uint64_t>(last - first + 1);
        std::uint64_t low = carried - count * low_one;
        std::uint64_t high = 0 - count * high_one;
        RESIDUA_UNROLL(N)
        for (int i = 0; i < m; ++i) {
            if (i < first || i > last) {
                continue;
            }
            const double h = __fma_rz(x[i], y[c - i >= 0 && c - i < m ? c - i : 0], 0x1p104);
            high += static_cast<std::uint64_t>(__double_as_longlong(h));
            if (q >= 0) {
                const double l = __fma_rz(x[i], y[c - i >= 0 && c - i < m ? c - i : 0], __dsub_rn(0x1p104 + 0x1p52, h));
                low += static_cast<std::uint64_t>(__double_as_longlong(l));
            }
        }
        if (q < 0) {
            carried = high;
            continue;
        }
        const std::uint64_t digit = low & mask;
        carried = high + (low >> binary64_digit);
        RESIDUA_UNROLL(N)
        for (int w = 0; w < 2; ++w) {
            const int r = behind + 32 * k - binary64_digit * q;  // the bit of this digit at which word k begins
            if (k < N + Extra && r + 32 <= binary64_digit) {
                d[k < N + Extra ? k : 0] = static_cast<std::uint32_t>(
                    r >= 0 ? digit >> (r >= 0 ? r : 0)
                           : before >> (r < 0 ? binary64_digit + r : 0) | digit << (r < 0 ? -r : 0));
                ++k;
            }
        }
        before = digit;
    }
}

/// s <- s + (a[0] + a[2] B^2 + ... + a[2 Count - 2] B^(2 Count - 2)) b, B = 2^32, in 2 Count digits of s; `carried` takes
/// the carry. Each product is one instruction, which hands its carry on to the next one.
template <int Count>
__device__ __forceinline__ void add_every_other(std::uint32_t* s, std::uint32_t& carried, const std::uint32_t* a,
                                                std::uint32_t b)
{
    static_assert(Count >= 1 && Count <= 4);
    if constexpr (Count == 1) {
        asm("mad.lo.cc.u32 %0, %3, %4, %0; madc.hi.cc.u32 %1, %3, %4, %1; "
            "addc.u32 %2, %2, 0;"
            : "+&r"(s[0]), "+&r"(s[1]), "+&r"(carried)
            : "r"(a[0]), "r"(b));
    } else if constexpr (Count == 2) {
        asm("mad.lo.cc.u32 %0, %5, %7, %0; madc.hi.cc.u32 %1, %5, %7, %1; "
            "madc.lo.cc.u32 %2, %6, %7, %2; madc.hi.cc.u32 %3, %6, %7, %3; "
            "addc.u32 %4, %4, 0;"
            : "+&r"(s[0]), "+&r"(s[1]), "+&r"(s[2]), "+&r"(s[3]), "+&r"(carried)
            : "r"(a[0]), "r"(a[2]), "r"(b));
    } else if constexpr (Count == 3) {
        asm("mad.lo.cc.u32 %0, %7, %10, %0; madc.hi.cc.u32 %1, %7, %10, %1; "
            "madc.lo.cc.u32 %2, %8, %10, %2; madc.hi.cc.u32 %3, %8, %10, %3; "
            "madc.lo.cc.u32 %4, %9, %10, %4; madc.hi.cc.u32 %5, %9, %10, %5; "
            "addc.u32 %6, %6, 0;"
            : "+&r"(s[0]), "+&r"(s[1]), "+&r"(s[2]), "+&r"(s[3]), "+&r"(s[4]), "+&r"(s[5]), "+&r"(carried)
            : "r"(a[0]), "r"(a[2]), "r"(a[4]), "r"(b));
    } else if constexpr (Count == 4) {
        asm("mad.lo.cc.u32 %0, %9, %13, %0; madc.hi.cc.u32 %1, %9, %13, %1; "
            "madc.lo.cc.u32 %2, %10, %13, %2; madc.hi.cc.u32 %3, %10, %13, %3; "
            "madc.lo.cc.u32 %4, %11, %13, %4; madc.hi.cc.u32 %5, %11, %13, %5; "
            "madc.lo.cc.u32 %6, %12, %13, %6; madc.hi.cc.u32 %7, %12, %13, %7; "
            "addc.u32 %8, %8, 0;"
            : "+&r"(s[0]), "+&r"(s[1]), "+&r"(s[2]), "+&r"(s[3]), "+&r"(s[4]), "+&r"(s[5]), "+&r"(s[6]), "+&r"(s[7]),
              "+&r"(carried)
            : "r"(a[0]), "r"(a[2]), "r"(a[4]), "r"(a[6]), "r"(b));
    }
}

/// leading_product() of mul.hpp, row by row: the products of a digit of b with every other digit of a lie side by side.
///
/// cost  a product of digits each, and for each row and each digit of d an addition
template <int Extra, int N>
__device__ __forceinline__ void leading_product_by_rows(const std::uint32_t (&a)[N], const std::uint32_t (&b)[N],
                                                        std::uint32_t (&d)[N + Extra])
{
    constexpr int least = Extra < N ? N - Extra - 1 : 0;  // the column of the first products
    constexpr int columns = 2 * N - least;
    std::uint32_t s[2][columns + 1] = {};  // the sums of even and of odd columns
    const auto add_row = [&]<int J, int I>() {
        if constexpr (I < N) {
            constexpr int count = (N - I + 1) / 2;
            constexpr int end = I + J + 2 * count;  // column
            constexpr bool carries = end <= N + J;  // the sum of J + 1 rows has N + J + 1 digits
            constexpr int first = I + J - least;
            std::uint32_t none = 0;
            add_every_other<count>(s[first % 2] + first, carries ? s[first % 2][end - least] : none, a + I, b[J]);
        }
    };
    [&]<int... J>(std::integer_sequence<int, J...>) {
        ((add_row.template operator()<J, (J < least ? least - J : 0)>(),
          add_row.template operator()<J, (J < least ? least - J : 0) + 1>()),
         ...);
    }(std::make_integer_sequence<int, N>{});
    std::uint32_t other[N + Extra];
    RESIDUA_UNROLL(N)
    for (int k = 0; k < N + Extra; ++k) {
        d[k] = s[0][columns - N - Extra + k];
        other[k] = s[1][columns - N - Extra + k];
    }
    add_digits(d, other, 0U);
}

}  // namespace residua::detail

#endif
