#include <residua/arith/rns/number.hpp>

#include <algorithm>

#include <residua/arith/rns/real.hpp>
#include <residua/arith/rns/rns_float.hpp>
#include <residua/io/error.hpp>

namespace residua {
namespace {

const rns_format::set_type& set_for(long bits)
{
    if (bits < 1 || bits > rns_format::most_bits) {
        throw unsupported_error("RNS floats have 1 to " + std::to_string(rns_format::most_bits) + " bits, not " +
                                std::to_string(bits));
    }
    constexpr int least = 4;
    return rns_format::set_type::host(std::max(least, rns_count(static_cast<int>(bits))));
}

/// The set of two numbers.
///
/// throws  error if they have different ones
const rns_format::set_type& set_of(const rns_number& a, const rns_number& b)
{
    if (!(a.format() == b.format())) {
        throw error("RNS numbers of " + std::to_string(a.format().precision_bits()) + " and " +
                    std::to_string(b.format().precision_bits()) + " bits do not mix");
    }
    return a.format().set();
}

}  // namespace

rns_format::rns_format(long bits) : set_(&set_for(bits)) {}

rns_number::rns_number(rns_format format) : format_(format), value_(rns_zero<rns_most_moduli>()) {}

rns_number::rns_number(rns_format format, double d) : format_(format), value_(to_rns(format.set(), d)) {}

rns_number::rns_number(rns_format format, const real& x) : format_(format), value_(from_real(format.set(), x)) {}

rns_number operator+(const rns_number& a, const rns_number& b)
{
    return {a.format_, add(set_of(a, b), a.value_, b.value_)};
}

rns_number operator-(const rns_number& a, const rns_number& b)
{
    return {a.format_, sub(set_of(a, b), a.value_, b.value_)};
}

rns_number operator*(const rns_number& a, const rns_number& b)
{
    return {a.format_, mul(set_of(a, b), a.value_, b.value_)};
}

rns_number operator/(const rns_number& a, const rns_number& b)
{
    return {a.format_, div(set_of(a, b), a.value_, b.value_)};
}

rns_number operator-(const rns_number& a) { return {a.format_, -a.value_}; }

bool operator<(const rns_number& a, const rns_number& b)
{
    return is_finite(a) && is_finite(b) && compare(set_of(a, b), a.value_, b.value_) < 0;
}

bool operator==(const rns_number& a, const rns_number& b)
{
    return is_finite(a) && is_finite(b) && compare(set_of(a, b), a.value_, b.value_) == 0;
}

rns_number sqrt(const rns_number& a) { return {a.format_, sqrt(a.format_.set(), a.value_)}; }
rns_number abs(const rns_number& a) { return {a.format_, abs(a.value_)}; }
rns_number ldexp(const rns_number& a, long k) { return {a.format_, ldexp(a.value_, k)}; }
bool is_finite(const rns_number& a) { return is_finite(a.value_); }
double to_double(const rns_number& a) { return to_double(a.format_.set(), a.value_); }
real to_real(const rns_number& a) { return to_real(a.format_.set(), a.value_); }
long exponent(const rns_number& a) { return exponent(to_real(a)); }

}  // namespace residua
