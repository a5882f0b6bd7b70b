#pragma once

#include <string>
#include <string_view>

#include <residua/io/error.hpp>

namespace residua {

/// throws  dimension_error "op: what: a and b" unless a == b
inline void require_equal(std::string_view op, std::string_view what, index_t a, index_t b)
{
    if (a != b) {
        throw dimension_error(std::string(op) + ": " + std::string(what) + " differ: " + std::to_string(a) + " and " +
                              std::to_string(b));
    }
}

/// Refuses operands of a run-time format unless they have the format of `result`, a view. An operand is a view or a
/// number; in formats that are types there is nothing to check.
///
/// throws  error "op: RNS floats of 53 and 106 bits differ"
template <class View, class... Operand>
void require_formats([[maybe_unused]] std::string_view op, const View& result,
                     [[maybe_unused]] const Operand&... operands)
{
    if constexpr (!View::in_planes) {
        const auto require = [&](const auto& format) {
            if (!(format == result.format)) {
                throw error(std::string(op) + ": " + View::traits::name + " of " +
                            std::to_string(format.precision_bits()) + " and " +
                            std::to_string(result.format.precision_bits()) + " bits differ");
            }
        };
        const auto format_of = [](const auto& operand) {
            if constexpr (requires { operand.format(); }) {
                return operand.format();
            } else {
                return operand.format;
            }
        };
        (require(format_of(operands)), ...);
    }
}

}  // namespace residua
