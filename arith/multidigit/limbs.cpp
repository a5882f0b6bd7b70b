#include <residua/arith/multidigit/limbs.hpp>

#include <string>

#include <residua/arith/multidigit/multidigit.hpp>
#include <residua/io/error.hpp>

namespace residua {

multidigit_number from_limbs(multidigit_format format, const limb_number& x)
{
    using value_type = multidigit_number::value_type;
    if (is_zero(x)) {
        return multidigit_number(format);
    }
    value_type value{};
    const std::int64_t e = round_limbs(x, format.bits(), value.d) + std::int64_t{64} * value_type::digits;
    if (e < multidigit_least_exponent || e > multidigit_most_exponent) {
        throw error("a number near 2^" + std::to_string(e) + ", beyond the range of multi-digit floats");
    }
    value.exponent = static_cast<std::int32_t>(e);
    value.negative = x.negative;
    return {format, value};
}

limb_number limbs_of(const multidigit_number& x)
{
    const multidigit_number::value_type& value = x.value();
    if (is_zero(value)) {
        return {};
    }
    constexpr int all = multidigit_number::value_type::digits;
    const int used = (x.format().bits() + 63) / 64;  // the digits below are zero
    return {{value.d + all - used, static_cast<std::size_t>(used)},
            std::int64_t{value.exponent} - std::int64_t{64} * used,
            value.negative};
}

}  // namespace residua
