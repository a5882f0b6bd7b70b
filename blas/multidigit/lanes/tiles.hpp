#pragma once

#if defined(__x86_64__)

#include <cstddef>
#include <type_traits>

#include <residua/arith/multidigit/lanes/round.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/simd.hpp>

/// Moves numbers between memory and the lanes of registers.
namespace RESIDUA_LANES_NAMESPACE {

using this_set = std::integral_constant<blas::isa, count == 8 ? blas::isa::avx512 : blas::isa::avx2>;

/// 8 digits of 52 bits have as many bits as 13 words of 32 bits: after such a group the pattern of shifts repeats.
inline constexpr int digits_together = 8;
inline constexpr int words_together = 13;
constexpr int groups_of(int digits) { return (digits + digits_together - 1) / digits_together; }

/// f(group) for all groups of digits, in a loop for long numbers: straight-line code would fill the instruction cache.
template <int M, class F>
RESIDUA_LANES inline void each_group(int digits, const F& f)
{
    if constexpr (M > 0) {
        each<groups_of(M)>(0, groups_of(M), f);
    } else {
        for (int group = 0; group < groups_of(digits); ++group) {
            f(group);
        }
    }
}

/// Words of numbers that lie side by side in a tile: numbers i, i + 1, ...
struct neighbours {
    const std::uint32_t* word;
    std::ptrdiff_t first = 0;  ///< the distance of word 0 from `word`, in words

    template <bool Const>
    RESIDUA_LANES neighbours(const multidigit_tiles<Const>& a, index_t i) : word(a.number(i))
    {}

    RESIDUA_LANES lane operator()(int k) const { return load_words(word + (first + std::ptrdiff_t{k} * words_apart)); }

    /// The numbers with word k as word 0. Words at constant distances from it are read without computing an address.
    RESIDUA_LANES neighbours from(int k) const
    {
        neighbours moved = *this;
        moved.first += std::ptrdiff_t{k} * words_apart;
        return moved;
    }
};

/// Words of numbers that lie side by side, in some lanes. Others, which threads may be writing, are not read, and zero.
struct neighbours_in {
    neighbours of;
    word_mask in;

    template <bool Const>
    RESIDUA_LANES neighbours_in(const multidigit_tiles<Const>& a, index_t i, lane_mask lanes)
        : of(a, i), in(words_of(lanes))
    {}

    RESIDUA_LANES lane operator()(int k) const
    {
        return load_words(of.word + (of.first + std::ptrdiff_t{k} * words_apart), in);
    }

    RESIDUA_LANES neighbours_in from(int k) const
    {
        neighbours_in moved = *this;
        moved.of = of.from(k);
        return moved;
    }
};

/// For long numbers: prefetches a share of the next tile, namely the cache lines of every second or fourth word that
/// lie a tile behind numbers i, i + 1, ... So a pass over a tile fetches all of the next one, some lines at a time, as
/// many as can be under way. For vectors longer than the caches, this saves a tenth or more, at 848 bits with AVX2.
template <int M, bool Const>
RESIDUA_LANES inline void fetch_next_tile(const multidigit_tiles<Const>& a, index_t i)
{
    if constexpr (M == 0) {
        constexpr int words_of_line = 16;
        constexpr int parts = words_of_line / count;
        const std::uint32_t* const word = a.number(i) + std::ptrdiff_t{words_apart} * (a.digits + 1);
        for (auto k = static_cast<int>((a.first + i) % words_of_line / count); k <= a.digits; k += parts) {
            __builtin_prefetch(word + std::ptrdiff_t{k} * words_apart);
        }
    }
}

/// Whether each group of numbers k count, ..., k count + count - 1 lies side by side in a tile.
template <bool Const>
bool are_neighbours(const multidigit_tiles<Const>& a, index_t stride)
{
    return stride == 1 && a.first % count == 0;
}

/// Words of numbers that lie anywhere, one in each lane.
struct scattered {
    word_places digit_0;
    std::ptrdiff_t first = 0;  ///< the distance of word 0 from digit 0, in words

    /// Numbers index_0, index_1, ..., of `a`.
    RESIDUA_LANES scattered(const multidigit_tiles<true>& a, lane index) : digit_0(address(a, index + all(a.first))) {}

    RESIDUA_LANES lane operator()(int k) const { return digit_0(4 * (first + std::ptrdiff_t{k} * words_apart)); }

    RESIDUA_LANES scattered from(int k) const
    {
        scattered moved = *this;
        moved.first += std::ptrdiff_t{k} * words_apart;
        return moved;
    }

    RESIDUA_LANES static lane address(const multidigit_tiles<true>& a, lane i)
    {
        const lane tile = floor_shifted(i, multidigit_tiles<true>::tile_bits);
        const lane words = product(tile, all(std::int64_t{words_apart} * (a.digits + 1))) + (i & all(words_apart - 1));
        return all(reinterpret_cast<std::int64_t>(a.word)) + shifted_left(words, 2);
    }
};

/// Loads numbers of `words` words from a source, as 52-bit digits. The digits of numbers that are not regular are zero.
template <int M, class Words>
RESIDUA_LANES inline numbers<M> load(const Words& source, int words, size_of_numbers<M> m)
{
    numbers<M> x;
    constexpr std::uint32_t zero = 0x80000000;  // exponents are stored with this added
    constexpr auto least = static_cast<std::int64_t>(multidigit_least_exponent) + zero;
    const lane stored = source(words);
    x.exponent = stored - all(zero);
    constexpr std::int64_t range = std::int64_t{multidigit_most_exponent} + zero - least;
    x.regular = is_at_most(stored - all(least), all(range));
    x.not_finite = static_cast<lane_mask>(~x.regular & has_any(stored, stored));
    x.nan = equal(stored, all(std::int64_t{multidigit_nan_code} + zero));
    x.negative = has_any(source(words - 1), all(std::int64_t{highest_bit}));

    // for M > 0: the words of the fewest bits that digits_for() gives M digits
    constexpr int least_words = (digit_bits * M - 93 + 31) / 32;
    const auto digits_of = [&]<bool Whole>(int group) RESIDUA_LANES {
        const int before = words_together * group;
        const Words word = source.from(words - 1 - before);
        lane* const digit = x.d + (m - 1 - digits_together * group);
        each<digits_together>(0, digits_together, [&](int i) RESIDUA_LANES {
            if (!Whole && digits_together * group + i >= m) {
                return;
            }
            const int begin = digit_bits * i - 1;  // the place of its first bit from the top of the group
            lane d = zeros();
            each<3>(0, 3, [&](int k) RESIDUA_LANES {
                const int j = (begin + 32) / 32 - 1 + k;
                const int up = 20 - 32 * j + begin;
                const bool there = before + j >= 0 && (before + j < least_words || before + j < words);
                if (32 * j < begin + digit_bits && (Whole || there)) {
                    const lane w = word(-j);
                    d = d | (up >= 0 ? shifted_left(w, up >= 0 ? up : 0) : shifted_right(w, up < 0 ? -up : 0));
                }
            });
            digit[-i] = d & all(digit_mask);
        });
    };
    each_group<M>(m, [&](int group) RESIDUA_LANES {
        if (M == 0 && words_together * (group + 1) <= words) {
            digits_of.template operator()<true>(group);
        } else {
            digits_of.template operator()<false>(group);
        }
    });
    // the highest bit is not stored: the sign has its place; the digit also has a bit of the exponent's word before it
    constexpr std::int64_t highest = std::int64_t{1} << (digit_bits - 2);
    x.d[m - 1] = or_where(x.regular, x.d[m - 1] & all(highest - 1), all(highest));
    return x;
}

/// Stores x in these lanes, as numbers that lie as `neighbours` do.
template <int M>
RESIDUA_LANES inline void store(const multidigit_tiles<false>& to, index_t i, size_of_numbers<M> m, const results<M>& x,
                                lane_mask in)
{
    std::uint32_t* const exponent = to.number(i) + std::ptrdiff_t{words_apart} * to.digits;
    const auto not_zero = static_cast<lane_mask>(~x.zero);  // digits of zero are zero
    const lane_mask negative = x.negative & not_zero;
    store_words(exponent, in, only(not_zero, x.exponent + all(std::int64_t{highest_bit})));
    const auto words_of = [&]<bool Whole>(int group) RESIDUA_LANES {
        const int before = words_together * group;
        const int top = m - 1 - digits_together * group;
        const lane* const digits = x.d + top;
        const std::ptrdiff_t first_word = std::ptrdiff_t{before} + 1;  // before the exponent
        const auto digit = [&](int j) RESIDUA_LANES { return Whole || j <= top ? *(digits - j) : zeros(); };
        const auto at = [&](int j) RESIDUA_LANES { return exponent - words_apart * (first_word + j); };
        each<words_together / 2>(0, words_together / 2, [&](int pair) RESIDUA_LANES {
            const int j = 2 * pair;  // words j and j + 1
            const int first = 32 * j / digit_bits;
            const int up = 64 - digit_bits + 32 * j % digit_bits;  // the bits above leave the lane
            if (!Whole && before + j >= to.digits) {
                return;
            }
            lane w = shifted_left(digit(first), up);
            w = w | (up <= digit_bits ? shifted_right(digit(first + 1), up <= digit_bits ? digit_bits - up : 0)
                                      : shifted_left(digit(first + 1), up > digit_bits ? up - digit_bits : 0));
            if (up > digit_bits) {
                w = w | shifted_right(digit(first + 2), up > digit_bits ? 2 * digit_bits - up : 0);
            }
            if (j == 0 && group == 0) {
                const lane sign = all(std::int64_t{highest_bit} << 32);
                w = or_where(negative, without(w, sign), sign);
            }
            if (Whole || before + j + 1 < to.digits) {
                store_halves(at(j), at(j + 1), in, w);
            } else {
                store_words(at(j), in, shifted_right(w, 32));
            }
        });
        if (Whole || before + words_together <= to.digits) {
            store_words(at(words_together - 1), in, digit(digits_together - 1));
        }
    };
    each_group<M>(m, [&](int group) RESIDUA_LANES {
        if (M == 0 && words_together * (group + 1) <= to.digits) {
            words_of.template operator()<true>(group);
        } else {
            words_of.template operator()<false>(group);
        }
    });
}

/// Calls f.template operator()<M>(size_of_numbers<M>) for numbers of `digits` digits.
template <int M = least_digits, class F>
auto with_lane_size(int digits, const F& f)
{
    if constexpr (M > most_unrolled) {
        return f.template operator()<0>(size_of_numbers<0>{digits});
    } else if (digits > M) {
        return with_lane_size<M + 1>(digits, f);
    } else {
        return f.template operator()<M>(size_of_numbers<M>{});
    }
}

}  // namespace RESIDUA_LANES_NAMESPACE

#endif
