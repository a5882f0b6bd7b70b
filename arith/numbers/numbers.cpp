#include <algorithm>
#include <cctype>
#include <istream>
#include <string>

#include <residua/arith/numbers/hash.hpp>
#include <residua/arith/numbers/limits.hpp>
#include <residua/arith/numbers/stream.hpp>

namespace residua {
namespace {

thread_local long bits_of_limits = real::double_bits;

bool is_digit(int c) { return c >= '0' && c <= '9'; }

std::size_t mixed(std::size_t h, std::uint64_t word) { return (h ^ word) * 0x9e3779b97f4a7c15u ^ (h >> 29); }

}  // namespace

limits_precision::limits_precision(long bits) : outer_(bits_of_limits)
{
    if (bits < 2 || bits > real::max_bits) {
        throw error("limits are asked for " + std::to_string(bits) + " bits, outside 2.." +
                    std::to_string(real::max_bits));
    }
    bits_of_limits = bits;
}

limits_precision::~limits_precision() { bits_of_limits = outer_; }

long limits_precision::bits() { return bits_of_limits; }

real detail::greatest_real(long bits)
{
    real x(0.0, bits);
    mpfr_set_inf(x.mpfr(), 1);
    mpfr_nextbelow(x.mpfr());
    return x;
}

real detail::least_real(long bits)
{
    real x(0.0, bits);
    mpfr_nextabove(x.mpfr());
    return x;
}

real detail::special_real(double value, long bits) { return real(value, bits); }

std::size_t detail::hash_of(const real& x)
{
    if (is_zero(x)) {
        return 0;
    }
    if (!is_finite(x)) {
        return is_nan(x) ? 1 : signbit(x) ? 2 : 3;
    }
    // The highest bit of the last limb is set; zeros behind the value depend on the precision only.
    const auto* limbs = static_cast<const mp_limb_t*>(mpfr_custom_get_significand(x.mpfr()));
    std::size_t h = mixed(signbit(x) ? 5 : 4, static_cast<std::uint64_t>(exponent(x)));
    const long count = (x.precision() + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS;
    long first = 0;
    while (limbs[first] == 0) {
        ++first;
    }
    for (long k = count - 1; k >= first; --k) {
        h = mixed(h, limbs[k]);
    }
    return h ^ (h >> 32);
}

std::string detail::read_number(std::istream& in)
{
    std::string text;
    const std::istream::sentry ready(in);
    if (!ready) {
        return text;
    }
    const auto take = [&] { text += static_cast<char>(in.get()); };
    const auto take_digits = [&] {
        while (is_digit(in.peek())) {
            take();
        }
    };
    if (in.peek() == '+' || in.peek() == '-') {
        take();
    }
    if (std::isalpha(in.peek()) != 0) {  // inf, nan
        while (std::isalpha(in.peek()) != 0) {
            take();
        }
    } else {
        take_digits();
        if (in.peek() == '.') {
            take();
            take_digits();
        }
        if (in.peek() == 'e' || in.peek() == 'E') {
            take();
            if (in.peek() == '+' || in.peek() == '-') {
                take();
            }
            take_digits();
        }
    }
    if (in.eof()) {
        in.clear(std::ios::eofbit);
    }
    return text;
}

std::istream& operator>>(std::istream& in, real& x)
{
    const long bits = x.precision();
    return detail::read_into(in, x, [bits](const std::string& text) { return real(text, bits); });
}

}  // namespace residua
