#pragma once

#include <cmath>
#include <concepts>
#include <string_view>
#include <type_traits>

#include <residua/arith/base/eft.hpp>
#include <residua/arith/base/host_device.hpp>
#include <residua/arith/base/number_traits.hpp>

namespace residua {

template <class Term, int N>
class expansion;

template <int M, int N>
RESIDUA_HD expansion<double, M> resized(const expansion<double, N>& x);  // resize.hpp

/// A floating-point expansion: the unevaluated sum t[0] + t[1] + ... + t[N-1].
///
/// invariant  ulp-nonoverlapping: |t[i+1]| <= ulp(t[i]), where ulp(a) = 2^(e-52) for
///            2^e <= |a| < 2^(e+1), and t[i] == 0 makes all later terms 0. Hence
///            |x - t[0]| <= ulp(t[0]) (1 + 2^-51) and the terms fall by a factor 2^-52 each
/// digits     52 N bits at least, 53 N + gaps in general; range as binary64: a term below
///            2^-1074 is lost, so all N terms hold full precision above |x| = 2^(-1022 + 53 (N-1))
/// specials   a result that is not finite has a leading term that is not finite (NaN or
///            infinity); its other terms are unspecified. Zero is N zeros
/// from       [JMMP16, Def. 2.4]
template <class Term, int N>
class expansion {
    static_assert(std::is_same_v<Term, double>, "the terms of an expansion are binary64");
    static_assert(N >= 2 && N <= 39, "binary64 has the exponent range for 2 to 39 terms");

public:
    Term t[N] = {};

    constexpr expansion() = default;

    /// Exact.
    RESIDUA_HD constexpr expansion(double x) { t[0] = x; }

    /// Exact, 64 bits too.
    template <std::integral I>
    RESIDUA_HD constexpr expansion(I n)
    {
        if constexpr (sizeof(I) <= 4) {
            t[0] = static_cast<double>(n);
        } else {
            const double high = static_cast<double>(n >> 32) * 0x1p32;
            const double low = static_cast<double>(n & static_cast<I>(0xffffffff));
            t[0] = high + low;
            t[1] = low - (t[0] - high);
        }
    }

    /// It can hold more than one term, and its format depends on the machine.
    template <std::same_as<long double> F>
    expansion(F) = delete;

    /// Exact from fewer terms; from more as resized() of resize.hpp, and only explicitly.
    template <int M>
        requires(M != N)
    RESIDUA_HD constexpr explicit(M > N) expansion(const expansion<Term, M>& x)
    {
        if constexpr (M < N) {
            for (int k = 0; k < M; ++k) {
                t[k] = x.t[k];
            }
        } else {
            *this = resized<N>(x);
        }
    }

    /// The decimal, as from_string() of convert.hpp; host only.
    explicit expansion(std::string_view decimal) { read_decimal_into(*this, decimal); }

    /// RN(x), to_double() of functions.hpp.
    RESIDUA_HD explicit operator double() const { return to_double(*this); }

    RESIDUA_HD constexpr double& operator[](int i) { return t[i]; }

    RESIDUA_HD constexpr const double& operator[](int i) const { return t[i]; }
};

namespace detail {

/// "expansion<12>" as static storage.
template <int N>
struct expansion_name {
    static constexpr int digits = N < 10 ? 1 : 2;
    char text[12 + digits] = {};

    constexpr expansion_name()
    {
        constexpr std::string_view head = "expansion<";
        for (int i = 0; i < 10; ++i) {
            text[i] = head[static_cast<std::size_t>(i)];
        }
        if (digits == 2) {
            text[10] = static_cast<char>('0' + N / 10);
        }
        text[9 + digits] = static_cast<char>('0' + N % 10);
        text[10 + digits] = '>';
    }
};

template <int N>
inline constexpr expansion_name<N> expansion_name_of{};

}  // namespace detail

template <int N>
struct number_traits<expansion<double, N>> {
    static constexpr std::string_view name{detail::expansion_name_of<N>.text};
    static constexpr int precision_bits = 53 * N;
    static constexpr int terms = N;
    using word = double;
};

}  // namespace residua
