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

}  // namespace residua
