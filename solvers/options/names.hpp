#pragma once

#include <optional>
#include <span>
#include <string_view>

#include <residua/solvers/options/entry_reading.hpp>
#include <residua/solvers/options/solve_options.hpp>

namespace residua {

/// A value of an enumeration and its name, in reports, on the command line and in bindings to other languages.
template <class E>
struct named_value {
    std::string_view name;
    E value;
};

/// All values of an enumeration with their names, in the order in which help lists them. For number_format, executor,
/// profiling and entry_reading.
template <class E>
std::span<const named_value<E>> named_values() noexcept;

template <>
std::span<const named_value<number_format>> named_values<number_format>() noexcept;
template <>
std::span<const named_value<executor>> named_values<executor>() noexcept;
template <>
std::span<const named_value<profiling>> named_values<profiling>() noexcept;
template <>
std::span<const named_value<entry_reading>> named_values<entry_reading>() noexcept;

/// The value of a name; the inverse of to_string().
template <class E>
std::optional<E> value_of(std::string_view name) noexcept
{
    for (const named_value<E>& each : named_values<E>()) {
        if (each.name == name) {
            return each.value;
        }
    }
    return std::nullopt;
}

std::string_view to_string(profiling value) noexcept;
std::string_view to_string(entry_reading value) noexcept;

}  // namespace residua
