#include <residua/solvers/matrix/exact_numbers.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include <gmp.h>
#include <mpfr.h>

namespace residua::detail {

static_assert(GMP_NUMB_BITS == 64 && sizeof(mp_limb_t) == sizeof(std::uint64_t));

bool raise_to_hold(const real& x, long& bits)
{
    constexpr long widest_exponent = 1L << 20;
    if (is_zero(x)) {
        return true;
    }
    if (!is_finite(x) || std::abs(exponent(x)) > widest_exponent) {
        return false;
    }
    const long needed = std::max(bits, static_cast<long>(mpfr_min_prec(x.mpfr())));
    if (needed > multidigit_format::most_bits) {
        return false;
    }
    bits = needed;
    return true;
}

void store_exactly(const vector_view<host_executor, multidigit>& to, index_t i, const real& x)
{
    const auto start = to.start;
    std::uint32_t* const word = start.number(i);
    const bool is_zero = residua::is_zero(x);
    // both have their highest bit in the highest word; what lies below the lowest word of the result is zero
    const long words = is_zero ? 0 : 2 * ((x.precision() + 63) / 64);
    const auto* const from = static_cast<const mp_limb_t*>(mpfr_custom_get_significand(x.mpfr()));
    for (int k = 0; k < start.digits; ++k) {
        const long at = words - start.digits + k;
        word[k * words_apart] = at < 0 ? 0 : static_cast<std::uint32_t>(from[at / 2] >> (at % 2 * 32));
    }
    if (!is_zero && mpfr_signbit(x.mpfr()) == 0) {
        word[(start.digits - 1) * words_apart] &= ~highest_bit;
    }
    const std::int32_t code = is_zero ? multidigit_zero_code : static_cast<std::int32_t>(exponent(x));
    word[start.digits * words_apart] = static_cast<std::uint32_t>(code) ^ highest_bit;
}

}  // namespace residua::detail
