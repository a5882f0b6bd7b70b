#include <residua/arith/real/decimal_digits.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include <gmp.h>

namespace residua {
namespace {

static_assert(std::is_same_v<mp_limb_t, std::uint64_t> && GMP_NUMB_BITS == 64);

constexpr long most_power = 1200;     // of five that are kept
constexpr long most_exponent = 8192;  // beyond it integers would be long

/// The words of 5^k for k = 0, ..., most_power, the least first.
class powers_of_five {
public:
    powers_of_five()
    {
        begin_.push_back(0);
        word_.push_back(1);
        for (long k = 1; k <= most_power; ++k) {
            const std::size_t from = begin_.back();
            const std::size_t count = word_.size() - from;
            begin_.push_back(word_.size());
            word_.resize(word_.size() + count);
            const std::uint64_t carry =
                mpn_mul_1(word_.data() + from + count, word_.data() + from, static_cast<mp_size_t>(count), 5);
            if (carry != 0) {
                word_.push_back(carry);
            }
        }
        begin_.push_back(word_.size());
    }

    const std::uint64_t* words(long k) const { return word_.data() + begin_[static_cast<std::size_t>(k)]; }
    mp_size_t size(long k) const
    {
        const auto at = static_cast<std::size_t>(k);
        return static_cast<mp_size_t>(begin_[at + 1] - begin_[at]);
    }

private:
    std::vector<std::size_t> begin_;
    std::vector<std::uint64_t> word_;
};

const powers_of_five& kept_powers()
{
    static const powers_of_five powers;
    return powers;
}

/// A positive integer of words.
class long_whole {
public:
    long_whole(const std::uint64_t* words, mp_size_t count) : word_(words, words + count) {}

    void multiply(const std::uint64_t* factor, mp_size_t count)
    {
        const auto size = static_cast<mp_size_t>(word_.size());
        std::vector<std::uint64_t> product(word_.size() + static_cast<std::size_t>(count));
        if (size >= count) {
            mpn_mul(product.data(), word_.data(), size, factor, count);
        } else {
            mpn_mul(product.data(), factor, count, word_.data(), size);
        }
        take(product);
    }

    /// Replaces the integer by its quotient; returns whether a remainder was lost.
    bool divide(const std::uint64_t* divisor, mp_size_t count)
    {
        const auto size = static_cast<mp_size_t>(word_.size());
        if (size < count) {
            word_.clear();
            return true;
        }
        std::vector<std::uint64_t> quotient(static_cast<std::size_t>(size - count) + 1);
        std::vector<std::uint64_t> rest(static_cast<std::size_t>(count));
        mpn_tdiv_qr(quotient.data(), rest.data(), 0, word_.data(), size, divisor, count);
        take(quotient);
        return mpn_zero_p(rest.data(), count) == 0;
    }

    void shift_up(long bits)
    {
        if (const auto rest = static_cast<unsigned>(bits % 64); rest != 0) {
            const std::uint64_t carry =
                mpn_lshift(word_.data(), word_.data(), static_cast<mp_size_t>(word_.size()), rest);
            if (carry != 0) {
                word_.push_back(carry);
            }
        }
        word_.insert(word_.begin(), static_cast<std::size_t>(bits / 64), 0);
    }

    /// Divides by 2^bits and rounds to nearest even. `lost` says that the integer was cut off before.
    void round_down(long bits, bool lost)
    {
        const auto whole = static_cast<std::size_t>(bits / 64);
        const auto rest = static_cast<unsigned>(bits % 64);
        if (bits == 0 || whole > word_.size() || (whole == word_.size() && rest != 0)) {
            word_.resize(bits == 0 ? word_.size() : 0);
            return;
        }
        const std::size_t last = rest == 0 ? whole - 1 : whole;  // where the half is
        const std::uint64_t half = std::uint64_t{1} << (rest == 0 ? 63 : rest - 1);
        const bool is_half = (word_[last] & half) != 0;
        bool below = lost || (word_[last] & (half - 1)) != 0;
        below = below || std::any_of(word_.begin(), word_.begin() + static_cast<std::ptrdiff_t>(last),
                                     [](std::uint64_t w) { return w != 0; });
        word_.erase(word_.begin(), word_.begin() + static_cast<std::ptrdiff_t>(whole));
        if (rest != 0) {
            mpn_rshift(word_.data(), word_.data(), static_cast<mp_size_t>(word_.size()), rest);
        }
        if (word_.empty()) {
            word_.push_back(0);
        }
        if (is_half && (below || (word_.front() & 1) != 0)) {
            const std::uint64_t carry = mpn_add_1(word_.data(), word_.data(), static_cast<mp_size_t>(word_.size()), 1);
            if (carry != 0) {
                word_.push_back(carry);
            }
        }
    }

    /// The decimal digits of the integer, none for zero. The integer is lost.
    std::string digits()
    {
        while (!word_.empty() && word_.back() == 0) {
            word_.pop_back();
        }
        if (word_.empty()) {
            return {};
        }
        std::string text(word_.size() * 20 + 8, '\0');
        auto* const to = reinterpret_cast<unsigned char*>(text.data());
        text.resize(mpn_get_str(to, 10, word_.data(), static_cast<mp_size_t>(word_.size())));
        for (char& c : text) {
            c = static_cast<char>(c + '0');
        }
        text.erase(0, text.find_first_not_of('0'));
        return text;
    }

private:
    void take(std::vector<std::uint64_t>& words)
    {
        while (!words.empty() && words.back() == 0) {
            words.pop_back();
        }
        word_.swap(words);
    }

    std::vector<std::uint64_t> word_;
};

/// The digits of |x| 10^power, rounded to an integer.
std::string digits_of_whole(const real& x, long power)
{
    const auto* words = static_cast<const std::uint64_t*>(mpfr_custom_get_significand(x.mpfr()));
    auto count = static_cast<mp_size_t>((x.precision() + 63) / 64);
    while (*words == 0) {  // the highest is not
        ++words;
        --count;
    }
    long_whole whole(words, count);
    long up = exponent(x) - 64 * static_cast<long>(count) + power;  // |x| 10^power is `whole` 5^power 2^up
    const powers_of_five& powers = kept_powers();
    bool lost = false;
    if (power >= 0) {
        whole.multiply(powers.words(power), powers.size(power));
    } else {
        const long room = std::max(up, 0L) + 2;  // a half, and what is below it
        whole.shift_up(room);
        up -= room;
        lost = whole.divide(powers.words(-power), powers.size(-power));
    }
    if (up >= 0) {
        whole.shift_up(up);
    } else {
        whole.round_down(-up, lost);
    }
    return whole.digits();
}

digit_string digits_by_mpfr(const real& x, int count)
{
    // sign, digits and a NUL; MPFR wants room for 7 characters
    const auto size = static_cast<std::size_t>(count);
    std::string buffer(std::max<std::size_t>(size + 2, 7), '\0');
    mpfr_exp_t exponent = 0;
    mpfr_get_str(buffer.data(), &exponent, 10, size, x.mpfr(), MPFR_RNDN);
    return {buffer.substr(signbit(x) ? 1 : 0, size), exponent};
}

}  // namespace

digit_string rounded_digits(const real& x, int count)
{
    const long e = exponent(x);
    if (std::abs(e) > most_exponent) {
        return digits_by_mpfr(x, count);
    }
    long mantissa_exponent = 0;
    const double leading = std::abs(mpfr_get_d_2exp(&mantissa_exponent, x.mpfr(), MPFR_RNDZ));
    constexpr double log10_2 = 0.30102999566398120;
    constexpr double safety = 1e-11;  // for 2500 and their rounding: the power of the first digit is never too high
    const double power_of_x = std::log10(leading) + static_cast<double>(mantissa_exponent) * log10_2;
    long first = static_cast<long>(std::floor(power_of_x - safety));
    for (int attempt = 0; attempt < 2; ++attempt, ++first) {
        const long power = count - 1 - first;  // |x| 10^power has `count` digits before the point, or one more
        if (std::abs(power) > most_power) {
            break;
        }
        std::string digits = digits_of_whole(x, power);
        if (digits.size() == static_cast<std::size_t>(count)) {
            return {std::move(digits), first + 1};
        }
        if (digits.find_last_not_of('0') == 0) {  // a power of ten, perhaps by rounding
            digits.pop_back();
            return {std::move(digits), first + 2};
        }
    }
    return digits_by_mpfr(x, count);
}

}  // namespace residua
