#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <residua/arith/base/number_traits.hpp>
#include <residua/blas/base/instantiate.hpp>

namespace residua::blas {

#define RESIDUA_TERMS(...) number_traits<__VA_ARGS__>::terms,
/// The numbers of terms that operations are compiled for, in ascending order. Binary64 has one term.
inline constexpr std::array compiled_terms{RESIDUA_FOR_EACH_FORMAT(RESIDUA_TERMS)};
#undef RESIDUA_TERMS

constexpr bool is_compiled(int terms)
{
    return std::find(compiled_terms.begin(), compiled_terms.end(), terms) != compiled_terms.end();
}

/// Binary64, or an expansion.
template <int Terms>
using format_of_terms = std::conditional_t<Terms == 1, double, expansion<double, Terms>>;

/// Calls f.template operator()<Terms>() for the compiled format of `bits` bits. Returns whether there is one.
template <class F>
bool with_compiled_terms(long bits, const F& f)
{
    const auto is_tried = [&]<int Terms>() {
        if (bits == number_traits<double>::precision_bits * Terms) {
            f.template operator()<Terms>();
            return true;
        }
        return false;
    };
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
        return (is_tried.template operator()<compiled_terms[K]>() || ...);
    }(std::make_index_sequence<compiled_terms.size()>{});
}

}  // namespace residua::blas
