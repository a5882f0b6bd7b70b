#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <residua/arith/multidigit/number.hpp>
#include <residua/arith/multidigit/sizes.hpp>
#include <residua/arith/multidigit/unroll.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/base/vector.hpp>

namespace residua {

/// The format of vectors of multi-digit floats: their precision is a run-time value, which they carry.
struct multidigit;

namespace detail {

/// Multi-digit floats in the memory of an executor, in digits of 32 bits; number i is the i-th after `first`.
///
/// A tile of 32 numbers lies together: digit 0 of each, the least, then digit 1, ..., then the exponents. A warp so
/// reads 128 bytes in a row, and a host's thread few pages. The highest bit of a number is set unless it is zero or
/// not finite; the sign takes its place. An exponent is stored with its highest bit inverted: zero is all zeros.
template <bool Const>
struct multidigit_tiles {
    using word_type = std::conditional_t<Const, const std::uint32_t, std::uint32_t>;
    static constexpr int tile_bits = 5;

    word_type* word = nullptr;
    index_t first = 0;
    int digits = 0;

    template <bool Other = true>
        requires(Other != Const)
    RESIDUA_HD operator multidigit_tiles<Other>() const
    {
        return {word, first, digits};
    }

    RESIDUA_HD multidigit_tiles from(index_t i) const { return {word, first + i, digits}; }

    /// The address of digit 0 of number i; the next digits follow 32 words apart.
    RESIDUA_HD word_type* number(index_t i) const
    {
        const index_t at = first + i;
#if defined(__CUDA_ARCH__)
        const auto tile = static_cast<std::uint32_t>(at >> tile_bits);  // no device has room for 2^32 of them
#else
        const index_t tile = at >> tile_bits;
#endif
        const auto words_of_tile = static_cast<std::uint32_t>((digits + 1) << tile_bits);
        constexpr index_t in_tile = (index_t{1} << tile_bits) - 1;
        return word + (std::uint64_t{words_of_tile} * static_cast<std::uint64_t>(tile)) + (at & in_tile);
    }
};

inline constexpr std::uint32_t highest_bit = std::uint32_t{1} << 31;
inline constexpr int words_apart = 32;

/// Whether every format whose numbers have N digits of type Digit has a 32-bit digit at place j from the top.
template <class Digit, int N>
RESIDUA_HD constexpr bool is_surely_there(int j)
{
    return sizeof(Digit) == 4 && j < N - spare_digits<N>;
}

/// A number of N digits as memory has it: the sign in place of the highest bit, the exponent's highest bit inverted.
template <class Digit, int N>
struct stored_multidigit {
    Digit d[N];
    std::uint32_t exponent;

    /// Whether the number is finite and not zero.
    RESIDUA_HD bool is_regular() const { return detail::is_regular(static_cast<std::int32_t>(exponent ^ highest_bit)); }

    RESIDUA_HD multidigit_float<Digit, N> number() const
    {
        constexpr Digit sign = Digit{1} << ((8 * sizeof(Digit)) - 1);
        multidigit_float<Digit, N> x;
        x.exponent = static_cast<std::int32_t>(exponent ^ highest_bit);
        RESIDUA_UNROLL(N)
        for (int k = 0; k < N; ++k) {
            x.d[k] = d[k];
        }
        x.negative = (x.d[N - 1] & sign) != 0;
        x.d[N - 1] = is_regular() ? x.d[N - 1] | sign : 0;
        return x;
    }
};

struct plain_read {
    RESIDUA_HD std::uint32_t operator()(const std::uint32_t* word) const { return *word; }
};

/// The number whose digit 0 is at `word`, with N digits of type Digit; in memory it has `count` digits of 32 bits.
///
/// TestsAll: every digit is tested for being there, even if it surely is, so that digits are read one by one when they
/// are needed. Two numbers at once are read faster that way (gemv of 14 digits by 15 %).
template <class Digit, int N, bool TestsAll = false, class Read = plain_read>
RESIDUA_HD stored_multidigit<Digit, N> load_stored(const std::uint32_t* word, int count, const Read& read = {})
{
    constexpr int each = sizeof(Digit) / 4;
    const int digits = each == 1 && spare_digits<N> == 0 ? N : count;  // no test where every digit is there
    const auto digit_from_top = [&](int j) {
        return (!TestsAll && is_surely_there<Digit, N>(j)) || j < digits ? read(word + (digits - 1 - j) * words_apart)
                                                                         : 0;
    };
    stored_multidigit<Digit, N> x;
    x.exponent = read(word + digits * words_apart);
    RESIDUA_UNROLL(N)
    for (int k = 0; k < N; ++k) {
        if constexpr (each == 2 && N > 32) {  // few of the digits that a multidigit_number has
            if (2 * k >= digits) {
                for (int rest = 0; rest < N - k; ++rest) {
                    x.d[rest] = 0;
                }
                break;
            }
        }
        if constexpr (each == 2) {
            x.d[N - 1 - k] = static_cast<Digit>(digit_from_top(2 * k)) << 32 | digit_from_top(2 * k + 1);
        } else {
            x.d[N - 1 - k] = digit_from_top(k);
        }
    }
    return x;
}

template <class Digit, int N, bool TestsAll = false>
RESIDUA_HD multidigit_float<Digit, N> load(const std::uint32_t* word, int count)
{
    return load_stored<Digit, N, TestsAll>(word, count).number();
}

/// Number i.
template <class Digit, int N, bool Const>
RESIDUA_HD multidigit_float<Digit, N> load(const multidigit_tiles<Const>& a, index_t i)
{
    return load<Digit, N>(a.number(i), a.digits);
}

template <class Digit, int N>
RESIDUA_HD void store(const multidigit_tiles<false>& a, index_t i, const multidigit_float<Digit, N>& x)
{
    constexpr int each = sizeof(Digit) / 4;
    const int digits = each == 1 && spare_digits<N> == 0 ? N : a.digits;
    std::uint32_t* const word = a.number(i);
    word[digits * words_apart] = static_cast<std::uint32_t>(x.exponent) ^ highest_bit;
    RESIDUA_UNROLL(N)
    for (int k = 0; k < N; ++k) {
        constexpr Digit sign = Digit{1} << ((8 * sizeof(Digit)) - 1);
        const Digit d = k > 0 ? x.d[N - 1 - k] : static_cast<Digit>((x.d[N - 1] & ~sign) | (x.negative ? sign : 0));
        const int top = each * k;
        if constexpr (each == 2 && N > 32) {
            if (top >= digits) {
                break;
            }
        }
        if (is_surely_there<Digit, N>(top) || top < digits) {
            word[(digits - 1 - top) * words_apart] = static_cast<std::uint32_t>(d >> (32 * (each - 1)));
        }
        if (each == 2 && top + 1 < digits) {
            word[(digits - 2 - top) * words_apart] = static_cast<std::uint32_t>(d);
        }
    }
}

/// The first N digits of a number of the highest precision.
template <class Digit, int N>
RESIDUA_HD multidigit_float<Digit, N> leading_digits(const multidigit_number::value_type& x)
{
    constexpr int most = multidigit_number::value_type::digits;
    multidigit_float<Digit, N> r{{}, x.exponent, x.negative};
    for (int k = 0; k < N; ++k) {
        if constexpr (sizeof(Digit) == 8) {
            r.d[N - 1 - k] = x.d[most - 1 - k];
        } else {
            r.d[N - 1 - k] = static_cast<Digit>(x.d[most - 1 - k / 2] >> (k % 2 == 0 ? 32 : 0));
        }
    }
    return r;
}

/// The number with the digits of the highest precision.
template <int N>
multidigit_number::value_type widest(const multidigit_float<std::uint64_t, N>& x)
{
    constexpr int most = multidigit_number::value_type::digits;
    multidigit_number::value_type r{{}, x.exponent, x.negative};
    for (int k = 0; k < N; ++k) {
        r.d[most - N + k] = x.d[k];
    }
    return r;
}

/// The memory of n multi-digit floats, in whole tiles. Zeros at first.
template <class Exec>
class multidigit_storage {
public:
    multidigit_storage(multidigit_format format, index_t n, const Exec& exec)
        : format_(format), words_((n + words_apart - 1) / words_apart * words_apart * (format.digits() + 1), exec)
    {}

    /// Takes the words of another one, moved to this executor by `move`.
    template <class Other, class Move>
    multidigit_storage(const multidigit_storage<Other>& other, const Move& move)
        : format_(other.format()), words_(move(other.words()))
    {}

    multidigit_format format() const { return format_; }
    multidigit_tiles<false> start() { return {words_.data(), 0, format_.digits()}; }
    multidigit_tiles<true> start() const { return {words_.data(), 0, format_.digits()}; }
    const buffer<Exec, std::uint32_t>& words() const { return words_; }

    template <class F>
    void for_each_buffer(const F& f)
    {
        f(words_);
    }

private:
    multidigit_format format_;
    buffer<Exec, std::uint32_t> words_;
};

}  // namespace detail

template <>
struct array_traits<multidigit> {
    using format = multidigit_format;
    using number = multidigit_number;
    using word = std::uint32_t;
    static constexpr const char* name = "multi-digit floats";
    static constexpr int terms = 0;
    template <bool Const>
    using start = detail::multidigit_tiles<Const>;
    using stride = index_t;
    template <class Exec>
    using storage = detail::multidigit_storage<Exec>;

    static constexpr index_t padded(index_t n) { return n > 0 ? column(n) : 0; }
    static constexpr index_t column(index_t rows) { return detail::whole_tiles<detail::words_apart>(rows); }
    static number constant(const format& f, double x) { return number(f, x); }
    static double operations(const format& f)
    {
        const double n = multidigit_count<std::uint64_t>(f.bits());
        return 2.0 * n * n + 20.0 * n + 40.0;
    }
    static std::string described(const format& f)
    {
        return std::string(name) + " of " + std::to_string(f.precision_bits()) + " bits";
    }

    static number load(const format& f, const start<true>& a, index_t i)
    {
        return {f, detail::load<std::uint64_t, number::value_type::digits>(a, i)};
    }
    static void store(const format&, const start<false>& a, index_t i, const number& x)
    {
        detail::store(a, i, x.value());
    }
};

}  // namespace residua
