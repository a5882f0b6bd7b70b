#pragma once

#include <cstdint>
#include <type_traits>

#include <residua/arith/base/host_device.hpp>
#include <residua/arith/rns/type.hpp>
#include <residua/io/error.hpp>

namespace residua {

/// The format of vectors and matrices of RNS floats: their precision is a run-time value, which they carry.
struct rns;

namespace detail {

/// RNS floats as a structure of arrays, on whatever executor: residue k of number i is digit[k * plane + i],
/// beside its exponent with the sign in bit 0, and its range in one word.
///
/// [IKK20] keeps the residues of a number together; in planes, threads of one residue each and threads
/// of one number each both read neighbours.
template <bool Const>
struct rns_planes {
    template <class Word>
    using pointer = std::conditional_t<Const, const Word*, Word*>;

    pointer<std::uint32_t> digit = nullptr;
    pointer<std::int64_t> exponent = nullptr;
    pointer<std::uint64_t> range = nullptr;
    index_t plane = 0;

    template <bool Other = true>
        requires(Other != Const)
    operator rns_planes<Other>() const
    {
        return {digit, exponent, range, plane};
    }

    RESIDUA_HD rns_planes from(index_t i) const { return {digit + i, exponent + i, range + i, plane}; }
};

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
RESIDUA_HD rns_head load_head(const rns_planes<Const>& a, index_t i)
{
    rns_head x;
    const std::int64_t exponent = a.exponent[i];
    x.range = unpack(a.range[i]);
    x.exponent = exponent >> 1;
    x.negative = (exponent & 1) != 0;
    return x;
}

RESIDUA_HD void store_head(const rns_planes<false>& a, index_t i, const rns_head& x)
{
    const bool special = is_zero(x) || !is_finite(x);
    a.exponent[i] = special ? 0 : x.exponent * 2 + (x.negative ? 1 : 0);
    a.range[i] = special ? static_cast<std::uint64_t>(x.range.high) << 32 : pack(x.range);
}

/// Number i, as far as this thread holds it.
template <class Set, bool Const>
RESIDUA_HD rns_float<Set::capacity> load(const Set& set, const rns_planes<Const>& a, index_t i)
{
    rns_float<Set::capacity> x;
    static_cast<rns_head&>(x) = load_head(a, i);
    for_residues(set, [&](int k) __attribute__((always_inline)) {
        x.digit[k] = set.present(k) ? a.digit[set.index(k) * a.plane + i] : 0;
    });
    return x;
}

/// Zeros and what is not finite get digits of zero: equal numbers are equal words.
template <class Set>
RESIDUA_HD void store(const Set& set, const rns_planes<false>& a, index_t i,
                      const rns_float<Set::capacity>& x)
{
    const bool special = is_zero(x) || !is_finite(x);
    set.meet();  // an operand in the same place has been read by all
    if (set.leads()) {
        store_head(a, i, x);
    }
    for_residues(set, [&](int k) __attribute__((always_inline)) {
        if (set.present(k)) {
            a.digit[set.index(k) * a.plane + i] = special ? 0 : x.digit[k];
        }
    });
}

}  // namespace detail
}  // namespace residua
