#pragma once

#include <string_view>

namespace residua {

/// Makes sure that descriptors 0 to 2 are taken. Otherwise a result file might get number 2 where the
/// caller had closed it, and receive the warnings. A stream that was closed still cannot be used.
void hold_standard_streams() noexcept;

/// Writes text to standard error. It does not fail where that is impossible.
void tell(std::string_view text) noexcept;

/// Writes results to standard output, at once.
///
/// throws  resource_error if they cannot be written in full
void put(std::string_view text);

}  // namespace residua
