#pragma once

#include <concepts>
#include <string_view>

namespace residua {

/// The properties of a number format. Specialised next to each value type, with
///   name            "double", "expansion<2>", ...
///   precision_bits  p: results are accurate to a small multiple of 2^-p
///   terms           words of one number, stored in as many planes
///   word            what a term is stored in: binary64, but for float
template <class T>
struct number_traits;

template <>
struct number_traits<double> {
    static constexpr std::string_view name = "double";
    static constexpr int precision_bits = 53;
    static constexpr int terms = 1;
    using word = double;
};

/// binary32 is a format for storage and factors: native/float.hpp.
template <>
struct number_traits<float> {
    static constexpr std::string_view name = "float";
    static constexpr int precision_bits = 24;
    static constexpr int terms = 1;
    using word = float;
};

/// A value type of one of the formats: a field up to rounding, ordered, made from a double exactly.
template <class T>
concept number = requires(const T& a, const T& b) {
    {
        number_traits<T>::precision_bits
    } -> std::convertible_to<int>;
    {
        number_traits<T>::terms
    } -> std::convertible_to<int>;
    T{1.0};
    {
        a + b
    } -> std::convertible_to<T>;
    {
        a - b
    } -> std::convertible_to<T>;
    {
        a* b
    } -> std::convertible_to<T>;
    {
        a / b
    } -> std::convertible_to<T>;
    {
        -a
    } -> std::convertible_to<T>;
    {
        a < b
    } -> std::convertible_to<bool>;
    {
        a == b
    } -> std::convertible_to<bool>;
};

}  // namespace residua
