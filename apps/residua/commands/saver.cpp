#include "saver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace residua {

void saver::require_all() const
{
    if (!lost_.empty()) {
        throw resource_error(
            fmt::format("{}; {}", fmt::join(lost_, "; "),
                        saved_.empty() ? "nothing is saved" : fmt::format("saved: {}", fmt::join(saved_, ", "))));
    }
}

}  // namespace residua
