#include <residua/blas/exact/row_words.hpp>

#include <algorithm>
#include <limits>
#include <type_traits>

#include <gmp.h>

#include <residua/blas/base/parallel.hpp>

namespace residua::blas::detail {

static_assert(std::is_same_v<mp_limb_t, std::uint64_t> && GMP_NUMB_BITS == 64);

numbers_in_words::number numbers_in_words::read(const exact_digits::number& x, std::uint64_t* memory)
{
    constexpr int apart = residua::detail::words_apart;
    number result{memory, 0, 0, x.negative(), true};
    const std::int32_t exponent = x.exponent();
    if (!residua::detail::is_regular(exponent)) {
        result.is_finite = exponent == residua::detail::multidigit_zero_code;
        return result;
    }
    int k = 0;
    while (k + 1 < x.digits && x.word[k * apart] == 0) {  // the highest digit is not zero
        ++k;
    }
    const std::int64_t last = exponent - 32 * std::int64_t{x.digits - k};
    const auto up = static_cast<int>(last & 63);  // of the next two digits in their word
    result.place = static_cast<std::int32_t>(last >> 6);
    std::uint64_t* to = memory;
    std::uint64_t below = 0;
    const auto put = [&](std::uint64_t two) {
        *to++ = two << up | below;
        below = two >> 1 >> (63 - up);
    };
    for (; k + 2 < x.digits; k += 2) {
        put(std::uint64_t{x.word[(k + 1) * apart]} << 32 | x.word[k * apart]);
    }
    const std::uint64_t top = x.word[(x.digits - 1) * apart] | residua::detail::highest_bit;
    put(k + 1 < x.digits ? top << 32 | x.word[k * apart] : top);
    if (below != 0) {
        *to++ = below;
    }
    result.words = static_cast<std::int32_t>(to - memory);
    return result;
}

numbers_in_words::numbers_in_words(const exact_digits& x, index_t n)
    : words_(n * words_for(x.start.digits), {}, uninitialized{}), numbers_(static_cast<std::size_t>(n))
{
    const index_t room = words_for(x.start.digits);
    parallel_ranges(n, residua::detail::words_apart, 2.0 * static_cast<double>(n) * x.start.digits,
                    [&](index_t begin, index_t end) {
                        for (index_t j = begin; j < end; ++j) {
                            numbers_[static_cast<std::size_t>(j)] = read(x.at(j, 0), words_.data() + room * j);
                        }
                    });
}

row_in_words::row_in_words(const product& of, const numbers_in_words& x) : of_(of), x_(x)
{
    int digits = of.x.start.digits;
    if (of.subtracts) {
        of_b_.resize(static_cast<std::size_t>(numbers_in_words::words_for(of.b.start.digits)));
        digits = std::max(digits, of.b.start.digits);
    }
    for (std::vector<std::uint64_t>& sum : sums_) {
        sum.resize(2 * static_cast<std::size_t>(digits) + 32);
    }
}

bool row_in_words::store(index_t i, const exact_digits_result& to, index_t k)
{
    if (!find_terms(i) || !find_room()) {
        return false;
    }
    std::fill_n(sums_[0].data(), words_, std::uint64_t{0});
    std::fill_n(sums_[1].data(), words_, std::uint64_t{0});
    for (std::size_t l = 0; l < count_; ++l) {
        add(terms_[l]);
    }
    mpn_sub_n(sums_[0].data(), sums_[0].data(), sums_[1].data(), words_);
    to.store(k, {sums_[0].data(), 1, words_}, unit_ + 64 * place_);
    return true;
}

/// Finds the terms of a row that are not zero. Returns false if a number is not finite.
bool row_in_words::find_terms(index_t i)
{
    const index_t entries = of_.rows.count(i);
    if (terms_.size() < static_cast<std::size_t>(entries) + 1) {
        terms_.resize(static_cast<std::size_t>(2 * entries + 1));
    }
    bool is_finite = true;
    count_ = 0;
    if (of_.subtracts) {
        b_ = numbers_in_words::read(of_.b.at(i, 0), of_b_.data());
        is_finite = b_.is_finite;
        terms_[0] = {1, &b_, 0, 0, false};
        count_ = b_.words > 0 ? 1 : 0;
    }
    of_.rows.walk(i, [&](index_t at, index_t j) {
        const double entry = of_.a.data[at];
        const odd_binary64 a(entry);
        const numbers_in_words::number& x = x_[j];
        is_finite = is_finite && a.is_finite && x.is_finite;
        terms_[count_] = {a.odd, &x, a.exponent, 0, (entry < 0.0) != of_.subtracts};
        count_ += a.odd != 0 && x.words > 0 ? 1 : 0;
    });
    return is_finite;
}

/// Sets the unit of the sum, the places of the terms and the number of words; false if the sum has fewer words.
bool row_in_words::find_room()
{
    unit_ = count_ > 0 ? terms_[0].last : 0;
    for (std::size_t l = 1; l < count_; ++l) {
        unit_ = std::min(unit_, terms_[l].last);
    }
    place_ = std::numeric_limits<std::int64_t>::max();
    std::int64_t end = std::numeric_limits<std::int64_t>::min();
    for (std::size_t l = 0; l < count_; ++l) {
        term& t = terms_[l];
        t.place = t.x->place + std::int64_t{(t.last - unit_) / 64};
        place_ = std::min(place_, t.place);
        end = std::max(end, t.place + t.x->words);
    }
    if (count_ == 0) {
        place_ = end = 0;
    }
    // odd < 2^53 lies in two words, of which it leaves 11 bits; one more word is for a sign and 2^31 terms
    words_ = static_cast<int>(std::min<std::int64_t>(end - place_ + 3, std::numeric_limits<int>::max()));
    return words_ <= static_cast<int>(sums_[0].size());
}

/// Adds the term to the sum of those with its sign.
void row_in_words::add(const term& t)
{
    const int shift = (t.last - unit_) % 64;
    const std::uint64_t factor[] = {t.odd << shift, t.odd >> 1 >> (63 - shift)};
    const std::int32_t n = t.x->words;
    std::uint64_t* to = sums_[t.negative != t.x->negative ? 1 : 0].data() + (t.place - place_);
    for (const std::uint64_t f : factor) {
        if (f != 0) {
            std::uint64_t carry = mpn_addmul_1(to, t.x->word, n, f);
            for (std::uint64_t* above = to + n; carry != 0; ++above) {
                *above += carry;
                carry = *above < carry ? 1 : 0;
            }
        }
        ++to;
    }
}

}  // namespace residua::blas::detail
