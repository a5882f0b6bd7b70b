#include <residua/arith/multidigit/number.hpp>

#include <string>

#include <residua/arith/multidigit/multidigit.hpp>
#include <residua/arith/multidigit/real.hpp>
#include <residua/arith/multidigit/sizes.hpp>
#include <residua/io/error.hpp>

namespace residua {
namespace {

using digit = std::uint64_t;
using value_type = multidigit_number::value_type;

int checked(long bits)
{
    if (bits < multidigit_least_bits || bits > multidigit_most_bits) {
        throw unsupported_error("multi-digit floats have " + std::to_string(multidigit_least_bits) + " to " +
                                std::to_string(multidigit_most_bits) + " bits, not " + std::to_string(bits));
    }
    return static_cast<int>(bits);
}

/// The precision of two numbers.
///
/// throws  error if they have different ones
int bits_of_both(const multidigit_number& a, const multidigit_number& b)
{
    if (!(a.format() == b.format())) {
        throw error("multi-digit numbers of " + std::to_string(a.format().bits()) + " and " +
                    std::to_string(b.format().bits()) + " bits do not mix");
    }
    return a.format().bits();
}

/// The first N digits of x, followed by zeros if x has fewer.
template <int N, int M>
multidigit_float<digit, N> resized(const multidigit_float<digit, M>& x)
{
    multidigit_float<digit, N> r{{}, x.exponent, x.negative};
    constexpr int both = N < M ? N : M;
    for (int k = 1; k <= both; ++k) {
        r.d[N - k] = x.d[M - k];
    }
    return r;
}

/// f of numbers of the size that p bits take.
template <class F, class... X>
value_type in_size(int p, const F& f, const X&... x)
{
    return with_multidigit_size<digit>(multidigit_count<digit>(p),
                                       [&]<int N>() { return resized<value_type::digits>(f(resized<N>(x)...)); });
}

}  // namespace

multidigit_format::multidigit_format(long bits) : bits_(checked(bits)) {}

multidigit_number::multidigit_number(multidigit_format format) : multidigit_number(format, 0.0) {}

multidigit_number::multidigit_number(multidigit_format format, double d)
    : format_(format), value_(to_multidigit<digit, value_type::digits>(d))
{}

multidigit_number::multidigit_number(multidigit_format format, const real& x)
    : format_(format), value_(from_real<digit, value_type::digits>(x, format.bits()))
{}

multidigit_number operator+(const multidigit_number& a, const multidigit_number& b)
{
    const int p = bits_of_both(a, b);
    return {a.format_, in_size(
                           p, [p](const auto& x, const auto& y) { return add(x, y, p); }, a.value_, b.value_)};
}

multidigit_number operator-(const multidigit_number& a, const multidigit_number& b)
{
    const int p = bits_of_both(a, b);
    return {a.format_, in_size(
                           p, [p](const auto& x, const auto& y) { return sub(x, y, p); }, a.value_, b.value_)};
}

multidigit_number operator*(const multidigit_number& a, const multidigit_number& b)
{
    const int p = bits_of_both(a, b);
    return {a.format_, in_size(
                           p, [p](const auto& x, const auto& y) { return mul(x, y, p); }, a.value_, b.value_)};
}

multidigit_number operator/(const multidigit_number& a, const multidigit_number& b)
{
    const int p = bits_of_both(a, b);
    return {a.format_, in_size(
                           p, [p](const auto& x, const auto& y) { return div(x, y, p); }, a.value_, b.value_)};
}

multidigit_number operator-(const multidigit_number& a) { return {a.format_, negated(a.value_)}; }

bool operator<(const multidigit_number& a, const multidigit_number& b)
{
    bits_of_both(a, b);
    return a.value_ < b.value_;
}

bool operator==(const multidigit_number& a, const multidigit_number& b)
{
    bits_of_both(a, b);
    return a.value_ == b.value_;
}

multidigit_number sqrt(const multidigit_number& a)
{
    const int p = a.format_.bits();
    return {a.format_, in_size(
                           p, [p](const auto& x) { return sqrt(x, p); }, a.value_)};
}

multidigit_number abs(const multidigit_number& a) { return {a.format_, abs(a.value_)}; }

multidigit_number ldexp(const multidigit_number& a, long k) { return {a.format_, ldexp(a.value_, k)}; }

bool is_finite(const multidigit_number& a) { return is_finite(a.value_); }

double to_double(const multidigit_number& a) { return to_double(a.value_); }

real to_real(const multidigit_number& a) { return to_real(a.value_).with_precision(a.format_.bits()); }

long exponent(const multidigit_number& a) { return a.value_.exponent; }

#define RESIDUA_DEFINE(N) RESIDUA_MULTIDIGIT_FUNCTIONS(, N)
RESIDUA_FOR_EACH_MULTIDIGIT_SIZE(RESIDUA_DEFINE)

}  // namespace residua
