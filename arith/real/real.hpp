#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <mpfr.h>

#include <residua/arith/native/double.hpp>
#include <residua/io/error.hpp>

namespace residua {

/// A binary floating-point number of any precision, on the host: mpfr_t that owns its memory.
///
/// digits     each object has its own precision in bits; copies, moves and assignments carry the
///            precision of the source along
/// errors     every operation rounds correctly to nearest, ties to even, at the greatest
///            precision among its operands; a double counts as 53 bits, an integer as 64
/// range      2^-(2^30) to 2^(2^30 - 1), that is 10^(+-323 million): MPFR's default, which each
///            thread has from its start and which nothing here changes; beyond it a result is zero
///            or infinite
/// specials   NaN, infinities and signed zeros as in IEEE 754
/// threads    distinct objects may be used at once; MPFR's sticky flags belong to each thread
///
/// A zero made by real() or left behind by a move holds no memory; it is a number like any other.
class real {
public:
    static constexpr long double_bits = 53;
    static constexpr long integer_bits = 64;
    static constexpr long max_bits = 1L << 30;

    /// +0 with 53 bits.
    real() noexcept { mpfr_custom_init_set(value_, MPFR_ZERO_KIND, 0, double_bits, nullptr); }

    /// x with 53 bits, exactly.
    template <class F>
        requires(std::same_as<F, double> || std::same_as<F, float>)
    real(F x) : real(static_cast<double>(x), double_bits)
    {}

    /// n with 64 bits, exactly.
    template <std::integral I>
    real(I n) : real(n, integer_bits)
    {}

    /// RN(x), RN(n) with a precision of `bits` bits.
    ///
    /// throws  error unless 1 <= bits <= max_bits
    real(double x, long bits);
    template <std::integral I>
    real(I n, long bits) : real(uninitialised{}, bits)
    {
        set_integer(static_cast<std::conditional_t<std::signed_integral<I>, long, unsigned long>>(n));
    }

    /// The decimal rounded correctly to `bits` bits.
    ///
    /// Grammar: that of io::scan_decimal, for the whole of the text. No blanks, no hexadecimals,
    /// no "inf" or "nan".
    ///
    /// throws  error with the text if it is not such a decimal, or is outside the range above
    real(std::string_view decimal, long bits);

    real(const real& other);
    real(real&& other) noexcept : real() { mpfr_swap(value_, other.value_); }
    real& operator=(const real& other);
    real& operator=(real&& other) noexcept
    {
        mpfr_swap(value_, other.value_);
        return *this;
    }
    ~real();

    /// Precision in bits.
    long precision() const { return mpfr_get_prec(value_); }

    /// RN(*this) with `bits` bits; exact if these are not fewer.
    ///
    /// throws  error unless 1 <= bits <= max_bits
    real with_precision(long bits) const;

    /// For calls to MPFR itself. The precision may be changed through the second one.
    mpfr_srcptr mpfr() const { return value_; }
    mpfr_ptr mpfr();

    explicit operator double() const { return to_double(*this); }

    real& operator+=(const real& b);
    real& operator-=(const real& b);
    real& operator*=(const real& b);
    real& operator/=(const real& b);

    friend real operator+(const real& a, const real& b);
    friend real operator-(const real& a, const real& b);
    friend real operator*(const real& a, const real& b);
    friend real operator/(const real& a, const real& b);
    friend real operator-(const real& a);
    friend real operator+(const real& a) { return a; }

    /// By value; precisions do not matter. NaN is unordered and unequal to everything.
    friend bool operator==(const real& a, const real& b);
    friend std::partial_ordering operator<=>(const real& a, const real& b);

    // The following are found through their arguments only, so that log10(2.0) stays binary64.

    /// RN of a function, at the precision of x.
    friend real log10(const real& x);
    friend real pow(const real& x, long n);

    /// The next integer downwards, upwards, and the nearest one (ties to even), rounded to the
    /// precision of x if it has fewer bits than the integer.
    friend real floor(const real& x);
    friend real ceil(const real& x);
    friend real round_even(const real& x);

    /// The smaller and the greater one, with its own precision; NaN if either is NaN.
    friend real min(const real& a, const real& b);
    friend real max(const real& a, const real& b);

    /// to_string(x)
    friend std::ostream& operator<<(std::ostream& out, const real& x);

private:
    struct uninitialised {};
    real(uninitialised, long bits);

    bool has_memory() const { return value_->_mpfr_d != nullptr; }
    void set_integer(long n);
    void set_integer(unsigned long n);

    template <class Op>
    static real apply(Op op, const real& a, const real& b);
    template <class Op>
    real& apply_here(Op op, const real& b);
    template <class Op>
    static real apply(Op op, const real& a);

    friend real sqrt(const real& x);
    friend real abs(const real& x);
    friend real ldexp(const real& x, long k);
    friend real fma(const real& a, const real& b, const real& c);

    mpfr_t value_;
};

real sqrt(const real& x);
real abs(const real& x);

/// x 2^k, exact within the range.
real ldexp(const real& x, long k);

/// RN(a b + c).
real fma(const real& a, const real& b, const real& c);

bool is_nan(const real& x);
bool is_inf(const real& x);
bool is_zero(const real& x);
bool is_finite(const real& x);

/// -1, 0 or 1; 0 for NaN.
int sign(const real& x);

/// The sign bit, of zeros and NaN too.
bool signbit(const real& x);

/// The e with x = m 2^e and 1/2 <= |m| < 1: one more than floor_log2.
///
/// The least long for zero, the greatest for infinities and NaN.
long exponent(const real& x);

/// RN(x), gradual underflow and overflow to infinity as in IEEE 754.
double to_double(const real& x);

/// x itself: every format has a to_real.
inline real to_real(real x) { return x; }

/// Scientific, rounded correctly to nearest: "-1.234e-57" for 4 significant digits.
///
/// Also "inf", "-inf", "nan", and "-0.000e+00" for a negative zero.
/// throws  error if significant_digits < 1
std::string to_string(const real& x, int significant_digits);

/// A decimal that reads back as x at its precision; trailing zeros are left out: "1e+00".
std::string to_string(const real& x);

/// The decimal digits that distinguish all numbers of `bits` bits: 1 + ceil(bits log10 2).
int round_trip_digits(long bits);

/// The exact sum, with the precision that it needs (2200 bits and a few at most, 53 at least).
///
/// A sum with infinities or NaN follows IEEE 754.
real exact_sum(std::span<const double> terms);

/// terms[0] = RN(x), terms[1] = RN(x - terms[0]), and so on, each step exact before rounding.
///
/// So |terms[i]| <= ulp(terms[i - 1])/2, and equality may hold with either parity of terms[i - 1].
/// If terms[0] is not finite the others are zero.
void split_nearest(const real& x, std::span<double> terms);

}  // namespace residua
