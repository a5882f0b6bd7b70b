#pragma once

#include <cstdint>
#include <type_traits>

#include <residua/arith/base/host_device.hpp>
#include <residua/arith/rns/number.hpp>
#include <residua/arith/rns/type.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/base/vector.hpp>

namespace residua {

/// The format of vectors and matrices of RNS floats: their precision is a run-time value, which they carry.
struct rns;

namespace detail {

/// The most numbers of a tile, which it has if one thread holds a number.
inline constexpr index_t rns_longest_tile = 32;

/// The most residues that one thread of a GPU holds, in registers: with 31 bits each, 7 are the 106 bits of two
/// doubles.
inline constexpr int residues_each = 7;

/// The threads of a warp that share a number of `count` residues: 1, 2, 4, 8 or 16.
constexpr int rns_threads(int count)
{
    int threads = 1;
    while (threads * residues_each < count) {
        threads *= 2;
    }
    return threads;
}

/// The binary logarithm of the numbers that a warp holds.
constexpr int rns_tile_bits(int threads) { return threads == 1 ? 5 : rns_tile_bits(threads / 2) - 1; }

/// RNS floats as a structure of arrays, on any executor: residues, exponents with the sign in bit 0, and ranges in
/// one word each. Number i is the i-th after `first`.
///
/// The residues of as many numbers as a warp holds lie together, a tile: residue 0 of each, then residue 1, and so on.
/// Whether a thread has all residues of a number or threads share them, a warp so reads 128 bytes in a row.
template <bool Const>
struct rns_tiles {
    template <class Word>
    using pointer = std::conditional_t<Const, const Word*, Word*>;

    pointer<std::uint32_t> digit = nullptr;
    pointer<std::int64_t> exponent = nullptr;
    pointer<std::uint64_t> range = nullptr;
    index_t first = 0;
    int tile_bits = 0;

    template <bool Other = true>
        requires(Other != Const)
    operator rns_tiles<Other>() const
    {
        return {digit, exponent, range, first, tile_bits};
    }

    RESIDUA_HD rns_tiles from(index_t i) const { return {digit, exponent, range, first + i, tile_bits}; }
};

/// The index of residue k of number i, where numbers have `count` residues and tiles 2^bits numbers.
RESIDUA_HD index_t digit_at(index_t i, int k, int count, int bits)
{
    return (((i >> bits) * count + k) << bits) + (i & ((index_t{1} << bits) - 1));
}

/// tile_bits, as a constant if the type of the set has it.
template <class Set, bool Const>
RESIDUA_HD int tile_bits_of(const rns_tiles<Const>& a)
{
    if constexpr (Set::tile_bits >= 0) {
        return Set::tile_bits;
    } else {
        return a.tile_bits;
    }
}

/// 32 bits of high, 16 of high - low, 16 of the exponent: exact for ranges that are not wide.
RESIDUA_HD std::uint64_t pack(const rns_range& x)
{
    return static_cast<std::uint64_t>(x.high) << 32 | static_cast<std::uint64_t>(x.high - x.low) << 16 |
           static_cast<std::uint16_t>(x.exponent);
}

RESIDUA_HD rns_range unpack(std::uint64_t word)
{
    rns_range x;
    x.high = static_cast<std::uint32_t>(word >> 32);
    x.low = x.high - static_cast<std::uint32_t>(word >> 16 & 0xffff);
    x.exponent = static_cast<std::int16_t>(word & 0xffff);
    return x;
}

template <bool Const>
RESIDUA_HD rns_head load_head(const rns_tiles<Const>& a, index_t i)
{
    rns_head x;
    const std::int64_t exponent = a.exponent[a.first + i];
    x.range = unpack(a.range[a.first + i]);
    x.exponent = exponent >> 1;
    x.negative = (exponent & 1) != 0;
    return x;
}

RESIDUA_HD void store_head(const rns_tiles<false>& a, index_t i, const rns_head& x)
{
    const bool special = is_zero(x) || !is_finite(x);
    a.exponent[a.first + i] = special ? 0 : x.exponent * 2 + (x.negative ? 1 : 0);
    a.range[a.first + i] = special ? static_cast<std::uint64_t>(x.range.high) << 32 : pack(x.range);
}

/// Number i, as far as this thread holds it.
template <class Set, bool Const>
RESIDUA_HD rns_float<Set::capacity> load(const Set& set, const rns_tiles<Const>& a, index_t i)
{
    rns_float<Set::capacity> x;
    static_cast<rns_head&>(x) = load_head(a, i);
    const int bits = tile_bits_of<Set>(a);
    const std::uint32_t* const digit = a.digit + digit_at(a.first + i, set.index(0), set.scalars().count, bits);
    const int step = (set.index(1) - set.index(0)) << bits;
    for_residues(
        set, [&](int k) __attribute__((always_inline)) { x.digit[k] = set.present(k) ? digit[k * step] : 0; });
    return x;
}

/// Zeros and what is not finite get residues of zero: equal numbers are equal words.
template <class Set>
RESIDUA_HD void store(const Set& set, const rns_tiles<false>& a, index_t i, const rns_float<Set::capacity>& x)
{
    const bool special = is_zero(x) || !is_finite(x);
    set.meet();  // all threads have read an operand in the same place
    if (set.leads()) {
        store_head(a, i, x);
    }
    const int bits = tile_bits_of<Set>(a);
    std::uint32_t* const digit = a.digit + digit_at(a.first + i, set.index(0), set.scalars().count, bits);
    const int step = (set.index(1) - set.index(0)) << bits;
    for_residues(
        set, [&](int k) __attribute__((always_inline)) {
            if (set.present(k)) {
                digit[k * step] = special ? 0 : x.digit[k];
            }
        });
}

/// The memory of n RNS floats, in whole tiles. Zeros at first.
template <class Exec>
class rns_storage {
public:
    rns_storage(rns_format format, index_t n, const Exec& exec)
        : format_(format),
          size_((n + rns_longest_tile - 1) / rns_longest_tile * rns_longest_tile),
          digit_(size_ * format.count(), exec),
          exponent_(size_, exec),
          range_(size_, exec)
    {}

    /// Takes the words of another one, moved to this executor by `move`, buffer by buffer.
    template <class Other, class Move>
    rns_storage(const rns_storage<Other>& other, const Move& move)
        : format_(other.format()),
          size_(other.size()),
          digit_(move(other.digit())),
          exponent_(move(other.exponent())),
          range_(move(other.range()))
    {}

    rns_format format() const { return format_; }
    /// Whole tiles.
    index_t size() const { return size_; }
    rns_tiles<false> start() { return {digit_.data(), exponent_.data(), range_.data(), 0, tile_bits()}; }
    rns_tiles<true> start() const { return {digit_.data(), exponent_.data(), range_.data(), 0, tile_bits()}; }

    const buffer<Exec, std::uint32_t>& digit() const { return digit_; }
    const buffer<Exec, std::int64_t>& exponent() const { return exponent_; }
    const buffer<Exec, std::uint64_t>& range() const { return range_; }

    template <class F>
    void for_each_buffer(const F& f)
    {
        f(digit_);
        f(exponent_);
        f(range_);
    }

private:
    int tile_bits() const { return rns_tile_bits(rns_threads(format_.count())); }

    rns_format format_;
    index_t size_ = 0;
    buffer<Exec, std::uint32_t> digit_;
    buffer<Exec, std::int64_t> exponent_;
    buffer<Exec, std::uint64_t> range_;
};

}  // namespace detail

template <>
struct array_traits<rns> {
    using format = rns_format;
    using number = rns_number;
    using word = std::uint32_t;
    static constexpr const char* name = "RNS floats";
    static constexpr int terms = 0;
    template <bool Const>
    using start = detail::rns_tiles<Const>;
    using stride = index_t;
    template <class Exec>
    using storage = detail::rns_storage<Exec>;

    static constexpr index_t padded(index_t n) { return n > 0 ? column(n) : 0; }
    static constexpr index_t column(index_t rows) { return detail::whole_tiles<detail::rns_longest_tile>(rows); }
    static number constant(const format& f, double x) { return number(f, x); }
    static double operations(const format& f)
    {
        const double residues = f.count();
        return 12.0 * residues * (residues / 4.0 + 4.0);
    }
    static std::string described(const format& f)
    {
        return std::string(name) + " of " + std::to_string(f.precision_bits()) + " bits";
    }

    static number load(const format& f, const start<true>& a, index_t i) { return {f, detail::load(f.set(), a, i)}; }
    static void store(const format& f, const start<false>& a, index_t i, const number& x)
    {
        detail::store(f.set(), a, i, x.value());
    }
};

}  // namespace residua
