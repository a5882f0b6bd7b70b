#include <residua/arith/real/real.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <ostream>

#include <gmp.h>

#include <residua/arith/base/bits.hpp>

namespace residua {
namespace {

long checked_bits(long bits)
{
    if (bits < 1 || bits > real::max_bits) {
        throw error("precision of " + std::to_string(bits) + " bits is outside 1.." + std::to_string(real::max_bits));
    }
    return bits;
}

}  // namespace

real::real(uninitialised, long bits) { mpfr_init2(value_, checked_bits(bits)); }

real::real(double x, long bits) : real(uninitialised{}, bits) { mpfr_set_d(value_, x, MPFR_RNDN); }

real::real(const real& other) : real(uninitialised{}, other.precision()) { mpfr_set(value_, other.value_, MPFR_RNDN); }

real& real::operator=(const real& other)
{
    if (this != &other) {
        if (has_memory()) {
            mpfr_set_prec(value_, other.precision());
            mpfr_set(value_, other.value_, MPFR_RNDN);
        } else {
            *this = real(other);
        }
    }
    return *this;
}

real::~real()
{
    if (has_memory()) {
        mpfr_clear(value_);
    }
}

real real::with_precision(long bits) const
{
    real result(uninitialised{}, bits);
    mpfr_set(result.value_, value_, MPFR_RNDN);
    return result;
}

mpfr_ptr real::mpfr()
{
    if (!has_memory()) {
        *this = with_precision(precision());
    }
    return value_;
}

void real::set_integer(long n) { mpfr_set_si(value_, n, MPFR_RNDN); }

void real::set_integer(unsigned long n) { mpfr_set_ui(value_, n, MPFR_RNDN); }

template <class Op>
real real::apply(Op op, const real& a)
{
    real result(uninitialised{}, a.precision());
    op(result.value_, a.value_);
    return result;
}

template <class Op>
real real::apply(Op op, const real& a, const real& b)
{
    real result(uninitialised{}, std::max(a.precision(), b.precision()));
    op(result.value_, a.value_, b.value_, MPFR_RNDN);
    return result;
}

template <class Op>
real& real::apply_here(Op op, const real& b)
{
    if (has_memory() && precision() >= b.precision()) {
        op(value_, value_, b.value_, MPFR_RNDN);
    } else {
        *this = apply(op, *this, b);
    }
    return *this;
}

real& real::operator+=(const real& b) { return apply_here(mpfr_add, b); }
real& real::operator-=(const real& b) { return apply_here(mpfr_sub, b); }
real& real::operator*=(const real& b) { return apply_here(mpfr_mul, b); }
real& real::operator/=(const real& b) { return apply_here(mpfr_div, b); }

real operator+(const real& a, const real& b) { return real::apply(mpfr_add, a, b); }
real operator-(const real& a, const real& b) { return real::apply(mpfr_sub, a, b); }
real operator*(const real& a, const real& b) { return real::apply(mpfr_mul, a, b); }
real operator/(const real& a, const real& b) { return real::apply(mpfr_div, a, b); }

real operator-(const real& a)
{
    return real::apply([](mpfr_ptr r, mpfr_srcptr x) { mpfr_neg(r, x, MPFR_RNDN); }, a);
}

bool operator==(const real& a, const real& b) { return mpfr_equal_p(a.value_, b.value_) != 0; }

std::partial_ordering operator<=>(const real& a, const real& b)
{
    if (mpfr_unordered_p(a.value_, b.value_) != 0) {
        return std::partial_ordering::unordered;
    }
    return mpfr_cmp(a.value_, b.value_) <=> 0;
}

real log10(const real& x)
{
    return real::apply([](mpfr_ptr r, mpfr_srcptr a) { mpfr_log10(r, a, MPFR_RNDN); }, x);
}

real pow(const real& x, long n)
{
    return real::apply([n](mpfr_ptr r, mpfr_srcptr a) { mpfr_pow_si(r, a, n, MPFR_RNDN); }, x);
}

real floor(const real& x)
{
    return real::apply([](mpfr_ptr r, mpfr_srcptr a) { mpfr_rint_floor(r, a, MPFR_RNDN); }, x);
}

real ceil(const real& x)
{
    return real::apply([](mpfr_ptr r, mpfr_srcptr a) { mpfr_rint_ceil(r, a, MPFR_RNDN); }, x);
}

real round_even(const real& x)
{
    return real::apply([](mpfr_ptr r, mpfr_srcptr a) { mpfr_rint(r, a, MPFR_RNDN); }, x);
}

real min(const real& a, const real& b) { return is_nan(a) || a < b ? a : b; }

real max(const real& a, const real& b) { return is_nan(a) || a > b ? a : b; }

real sqrt(const real& x)
{
    return real::apply([](mpfr_ptr r, mpfr_srcptr a) { mpfr_sqrt(r, a, MPFR_RNDN); }, x);
}

real abs(const real& x)
{
    return real::apply([](mpfr_ptr r, mpfr_srcptr a) { mpfr_abs(r, a, MPFR_RNDN); }, x);
}

real ldexp(const real& x, long k)
{
    return real::apply([k](mpfr_ptr r, mpfr_srcptr a) { mpfr_mul_2si(r, a, k, MPFR_RNDN); }, x);
}

real fma(const real& a, const real& b, const real& c)
{
    real result(real::uninitialised{}, std::max({a.precision(), b.precision(), c.precision()}));
    mpfr_fma(result.value_, a.value_, b.value_, c.value_, MPFR_RNDN);
    return result;
}

bool is_nan(const real& x) { return mpfr_nan_p(x.mpfr()) != 0; }
bool is_inf(const real& x) { return mpfr_inf_p(x.mpfr()) != 0; }
bool is_zero(const real& x) { return mpfr_zero_p(x.mpfr()) != 0; }
bool is_finite(const real& x) { return mpfr_number_p(x.mpfr()) != 0; }

int sign(const real& x)
{
    if (is_nan(x) || is_zero(x)) {
        return 0;
    }
    return signbit(x) ? -1 : 1;
}

bool signbit(const real& x) { return mpfr_signbit(x.mpfr()) != 0; }

long exponent(const real& x)
{
    if (is_zero(x)) {
        return std::numeric_limits<long>::min();
    }
    return is_finite(x) ? mpfr_get_exp(x.mpfr()) : std::numeric_limits<long>::max();
}

double to_double(const real& x) { return mpfr_get_d(x.mpfr(), MPFR_RNDN); }

real exact_sum(std::span<const double> terms)
{
    int top = min_ulp_exponent;     // every |term| < 2^(top + 1)
    int bottom = max_exponent + 1;  // every term is a multiple of 2^bottom
    for (const double t : terms) {
        if (t != 0.0 && is_finite(t)) {
            const int e = floor_log2(t);
            top = std::max(top, e);
            bottom = std::min(bottom, std::max(e - fraction_bits, min_ulp_exponent));
        }
    }
    const long carries = static_cast<long>(std::bit_width(terms.size()));  // |sum| < 2^(top + 1 + carries)
    real sum(0.0, std::max<long>(real::double_bits, top + 1 + carries - bottom));
    for (const double t : terms) {
        mpfr_add_d(sum.mpfr(), sum.mpfr(), t, MPFR_RNDN);
    }
    return sum;
}

namespace {

/// split_nearest() by integers, for numbers whose bits all lie well within the range of binary64 and in few words; else it
/// does nothing and returns false.
bool split_by_words(const real& x, std::span<double> terms)
{
    constexpr long most_words = 16, word_bits = 64, safe_exponent = 960;
    static_assert(GMP_NUMB_BITS == word_bits && sizeof(mp_limb_t) == sizeof(std::uint64_t));
    const long words = (x.precision() + word_bits - 1) / word_bits;
    if (mpfr_regular_p(x.mpfr()) == 0 || words > most_words) {
        return false;
    }
    const long e = mpfr_get_exp(x.mpfr());
    const long unit = e - word_bits * words;  // of bit 0
    if (e > safe_exponent || unit < -safe_exponent) {
        return false;
    }
    std::array<std::uint64_t, most_words> word;  // of the rest, without its sign
    std::copy_n(static_cast<const mp_limb_t*>(mpfr_custom_get_significand(x.mpfr())), words, word.begin());
    double sign = mpfr_signbit(x.mpfr()) != 0 ? -1.0 : 1.0;
    long high = words - 1;
    for (double& t : terms) {
        while (high >= 0 && word[high] == 0) {
            --high;
        }
        if (high < 0) {
            t = 0.0;
            continue;
        }
        const long shift = word_bits * high + std::bit_width(word[high]) - real::double_bits;  // of the 53 highest bits
        if (shift <= 0) {
            t = sign * static_cast<double>(word[0]) * pow2(static_cast<int>(unit));
            high = -1;
            continue;
        }
        const long from = shift / word_bits, up = shift % word_bits;
        const std::uint64_t above = up > 0 && from < high ? word[from + 1] << (word_bits - up) : 0;
        const std::uint64_t whole = word[from] >> up | above;  // these bits: what is above them is zero
        word[from] &= (std::uint64_t{1} << up) - 1;            // the rest is what is below them
        high = from;
        const long half = shift - 1;
        const long of_half = half / word_bits;
        const std::uint64_t bit = std::uint64_t{1} << half % word_bits;
        bool rounds_up = (word[of_half] & bit) != 0;
        if (rounds_up) {
            const bool is_more = (word[of_half] & (bit - 1)) != 0 ||
                                 std::any_of(word.begin(), word.begin() + of_half, [](auto w) { return w != 0; });
            rounds_up = is_more || (whole & 1) != 0;
        }
        t = sign * static_cast<double>(whole + (rounds_up ? 1 : 0)) * pow2(static_cast<int>(unit + shift));
        if (rounds_up) {  // 2^shift less the rest is what is left, with the other sign
            sign = -sign;
            std::uint64_t carry = 1;
            for (long k = 0; k <= from; ++k) {
                word[k] = ~word[k] + carry;
                carry = carry != 0 && word[k] == 0 ? 1 : 0;
            }
            word[from] &= (std::uint64_t{1} << up) - 1;
        }
    }
    return true;
}

}  // namespace

void split_nearest(const real& x, std::span<double> terms)
{
    if (split_by_words(x, terms)) {
        return;
    }
    // The rest is a multiple of x's last bit and smaller than x: the subtraction is exact.
    real rest = x.with_precision(std::max(x.precision(), real::double_bits));
    for (double& t : terms) {
        t = to_double(rest);
        if (is_finite(t)) {
            mpfr_sub_d(rest.mpfr(), rest.mpfr(), t, MPFR_RNDN);
        } else {
            rest = real();
        }
    }
}

real to_real(double x) { return real(x); }

}  // namespace residua
