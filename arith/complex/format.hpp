#pragma once

#include <residua/arith/complex/text.hpp>
#include <residua/arith/numbers/format.hpp>

/// "{}" is to_string(z), "{:.40}" is to_string(z, 40); fill, alignment and width as for text.
template <class T>
struct fmt::formatter<residua::complex_number<T>> : residua::detail::number_formatter<residua::complex_number<T>> {};
