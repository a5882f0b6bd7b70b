#pragma once

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/slices/slices.hpp>

/// Long integers rounded to numbers of several digits or terms.
namespace residua {

namespace detail {

/// Bits place, ..., place + 63 of x, place + 64, ... and so on; zeros beyond both of its ends.
class bits_from {
public:
    RESIDUA_HD bits_from(const long_magnitude& x, std::int64_t place)
        : x_{x}, next_{place >> 6}, rest_{static_cast<int>(place & 63)}, low_{word()}
    {}

    RESIDUA_HD std::uint64_t take()
    {
        const std::uint64_t high = word();
        const std::uint64_t taken = low_ >> rest_ | high << 1 << (63 - rest_);
        low_ = high;
        return taken;
    }

private:
    RESIDUA_HD std::uint64_t word()
    {
        const std::int64_t k = next_++;
        return k < x_.first || k > x_.last ? std::uint64_t{0} : x_[static_cast<int>(k)];
    }

    const long_magnitude& x_;
    std::int64_t next_;
    int rest_;
    std::uint64_t low_;
};

}  // namespace detail

/// x, not zero, rounded to nearest even with p bits: put(k, d) takes digit k of 0.d_{n-1} ... d_0 2^e, digits of 32 bits, n as
/// few as hold p bits, the highest bit of d_{n-1} set. Returns e.
template <class Put>
RESIDUA_HD std::int64_t round_to_digits(const long_magnitude& x, int p, const Put& put)
{
    const int digits = (p + 31) / 32;
    const int unused = 32 * digits - p;     // bits of digit 0
    const std::int64_t end = x.bits() - p;  // of the bits that stay
    const std::int64_t lowest = 64 * std::int64_t{x.first} + detail::trailing_zeros(x[x.first]);
    const std::uint64_t at_end = detail::bits_from(x, end - 1).take();  // two bits count
    const bool half = end > 0 && (at_end & 1) != 0;
    const bool up = half && (lowest < end - 1 || (at_end & 2) != 0);
    std::uint64_t carry = up ? std::uint64_t{1} << unused : 0;
    detail::bits_from rest(x, end - unused);
    const auto put_next = [&](int k, std::uint64_t d) {
        carry += d & 0xffffffff;
        put(k, static_cast<std::uint32_t>(carry));
        carry >>= 32;
    };
    for (int k = 0; k < digits; k += 2) {
        const std::uint64_t two = rest.take();
        put_next(k, k == 0 ? two >> unused << unused : two);
        if (k + 1 < digits) {
            put_next(k + 1, two >> 32);
        }
    }
    if (carry != 0) {  // all others are zero
        put(digits - 1, std::uint32_t{1} << 31);
    }
    return x.bits() + static_cast<std::int64_t>(carry);
}

/// The expansion nearest to x 2^scale term by term, as from_real() has it; x is lost.
template <int N>
RESIDUA_HD expansion<double, N> rounded_to_expansion(long_integer x, std::int64_t scale)
{
    expansion<double, N> r;
    for (int k = 0; k < N; ++k) {
        while (x.words > 1 && x.word[(x.words - 1) * x.stride] ==
                                  ~((x.word[(x.words - 2) * x.stride] >> 63) - 1)) {  // the sign, once more
            --x.words;
        }
        r.t[k] = x.rounded(scale);
        if (!(r.t[k] - r.t[k] == 0.0)) {
            for (int rest = k + 1; rest < N; ++rest) {
                r.t[rest] = 0.0;
            }
            break;
        }
        x.add_cut(-r.t[k], -scale);  // a multiple of 2^scale: nothing is cut
    }
    if constexpr (N == 2) {
        const rounded sum = fast_two_sum(r.t[0], r.t[1]);
        r.t[0] = sum.value;
        r.t[1] = r.t[0] - r.t[0] == 0.0 ? sum.error : 0.0;
    }
    return r;
}

}  // namespace residua
