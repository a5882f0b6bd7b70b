#pragma once

#include <string_view>

namespace residua {

/// Makes sure that descriptors 0 to 2 are taken: a result file that got number 2, because the
/// caller had closed it, would receive the warnings. What was closed still cannot be used.
void hold_standard_streams() noexcept;

/// Text for standard error. That it cannot be told is no reason to fail.
void tell(std::string_view text) noexcept;

/// Results for standard output, at once.
///
/// throws  resource_error if they cannot be written in full
void put(std::string_view text);

}  // namespace residua
