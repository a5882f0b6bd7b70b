#include <residua/arith/real/limbs.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <string>

#include <residua/io/error.hpp>

namespace residua {
namespace {

static_assert(GMP_NUMB_BITS == 64);

constexpr int limb_bits = 64;

std::span<const std::uint64_t> limbs_at(const mp_limb_t* first, std::size_t count)
{
    static_assert(sizeof(mp_limb_t) == sizeof(std::uint64_t));
    return {reinterpret_cast<const std::uint64_t*>(first), count};
}

/// How many limbs there are up to the highest that is not zero.
std::size_t used_limbs(const limb_number& x)
{
    std::size_t used = x.limb.size();
    while (used > 0 && x.limb[used - 1] == 0) {
        --used;
    }
    return used;
}

[[noreturn]] void refuse(const char* name) { throw error(std::string(name) + ", not a finite number"); }

}  // namespace

limb_number limbs_of(mpf_srcptr x)
{
    const auto size = static_cast<std::int64_t>(std::abs(x->_mp_size));
    constexpr std::int64_t most = std::int64_t{1} << 40;  // limbs
    const auto exponent = std::clamp(static_cast<std::int64_t>(x->_mp_exp), -most, most);
    return {limbs_at(x->_mp_d, static_cast<std::size_t>(size)), (exponent - size) * limb_bits, x->_mp_size < 0};
}

limb_number limbs_of(mpfr_srcptr x)
{
    if (mpfr_nan_p(x) != 0) {
        refuse("nan");
    }
    if (mpfr_inf_p(x) != 0) {
        refuse(mpfr_signbit(x) != 0 ? "-inf" : "inf");
    }
    if (mpfr_zero_p(x) != 0) {
        return {};
    }
    const std::int64_t count = (mpfr_get_prec(x) + limb_bits - 1) / limb_bits;
    const auto* const first = static_cast<const mp_limb_t*>(mpfr_custom_get_significand(x));
    return {limbs_at(first, static_cast<std::size_t>(count)), mpfr_get_exp(x) - limb_bits * count,
            mpfr_signbit(x) != 0};
}

limb_number limbs_of(double x, std::uint64_t* room)
{
    if (!std::isfinite(x)) {
        refuse(std::isnan(x) ? "nan" : x < 0.0 ? "-inf" : "inf");
    }
    int exponent = 0;
    *room = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::abs(x), &exponent), 53));
    return {{room, 1}, exponent - 53, std::signbit(x)};
}

bool is_zero(const limb_number& x) { return used_limbs(x) == 0; }

std::int64_t exponent(const limb_number& x)
{
    constexpr std::int64_t most = std::int64_t{1} << 40;
    if (x.exponent < -most || x.exponent > most) {
        throw error("an integer times 2^" + std::to_string(x.exponent) + ", beyond any range");
    }
    const std::size_t used = used_limbs(x);
    return x.exponent + limb_bits * static_cast<std::int64_t>(used) - std::countl_zero(x.limb[used - 1]);
}

std::int64_t round_limbs(const limb_number& x, long bits, std::span<std::uint64_t> to)
{
    const std::size_t used = used_limbs(x), room = to.size();
    const int shift = std::countl_zero(x.limb[used - 1]);
    const auto digit = [&](std::size_t k) {  // limb k of the significand, from the highest one; zero beyond its end
        const std::uint64_t high = k < used ? x.limb[used - 1 - k] : 0;
        const std::uint64_t low = k + 1 < used ? x.limb[used - 2 - k] : 0;
        return shift == 0 ? high : high << shift | low >> (limb_bits - shift);
    };
    const auto kept = static_cast<std::size_t>((bits + limb_bits - 1) / limb_bits);
    const int spare = static_cast<int>(limb_bits * static_cast<long>(kept) - bits);
    for (std::size_t k = 0; k < room; ++k) {
        to[room - 1 - k] = k < kept ? digit(k) : 0;
    }
    std::uint64_t& last = to[room - kept];
    std::uint64_t unit = std::uint64_t{1} << spare;
    std::size_t next = kept;  // the first limb of which nothing is in `dropped`
    const std::uint64_t dropped = spare > 0 ? last << (limb_bits - spare) : digit(next++);
    bool is_more_than_half = dropped << 1 != 0;
    for (; next < used && !is_more_than_half; ++next) {
        is_more_than_half = digit(next) != 0;
    }
    const bool up = dropped >> (limb_bits - 1) != 0 && (is_more_than_half || (last & unit) != 0);
    last &= ~(unit - 1);
    const std::int64_t e = exponent(x) - limb_bits * static_cast<std::int64_t>(room);
    for (std::size_t k = room - kept; up; ++k, unit = 1) {
        if (k == room) {
            to[room - 1] = std::uint64_t{1} << (limb_bits - 1);
            return e + 1;
        }
        to[k] += unit;
        if (to[k] >= unit) {
            break;
        }
    }
    return e;
}

void store(const limb_number& x, mpf_ptr to)
{
    if (is_zero(x)) {
        to->_mp_size = 0;
        to->_mp_exp = 0;
        return;
    }
    const auto whole_limbs = [](std::int64_t e) { return (e + limb_bits - 1) >> 6; };  // rounded up
    const std::int64_t before = exponent(x);
    const auto room = static_cast<std::size_t>(to->_mp_prec) + 1;
    const std::int64_t bits = limb_bits * static_cast<std::int64_t>(room) - (limb_bits * whole_limbs(before) - before);
    const std::span<std::uint64_t> limb(reinterpret_cast<std::uint64_t*>(to->_mp_d), room);
    const std::int64_t e = round_limbs(x, bits, limb) + limb_bits * static_cast<std::int64_t>(room);
    const std::int64_t above = whole_limbs(e);
    if (const auto shift = static_cast<unsigned>(limb_bits * above - e); shift > 0) {
        mpn_rshift(to->_mp_d, to->_mp_d, static_cast<mp_size_t>(room), shift);
    }
    to->_mp_size = x.negative ? -static_cast<int>(room) : static_cast<int>(room);
    to->_mp_exp = above;
}

void store(const limb_number& x, mpfr_ptr to)
{
    if (is_zero(x)) {
        mpfr_set_zero(to, x.negative ? -1 : 1);
        return;
    }
    const mpfr_prec_t bits = mpfr_get_prec(to);
    void* const first = mpfr_custom_get_significand(to);
    const std::span<std::uint64_t> limb(static_cast<std::uint64_t*>(first),
                                        static_cast<std::size_t>((bits + limb_bits - 1) / limb_bits));
    const std::int64_t e = round_limbs(x, bits, limb) + limb_bits * static_cast<std::int64_t>(limb.size());
    mpfr_custom_init_set(to, x.negative ? -MPFR_REGULAR_KIND : MPFR_REGULAR_KIND, 0, bits, first);
    mpfr_mul_2si(to, to, e, MPFR_RNDN);
}

}  // namespace residua
