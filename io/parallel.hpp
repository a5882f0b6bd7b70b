#pragma once

#include <cstddef>
#include <functional>

#include <residua/io/team.hpp>

namespace residua::io {

/// Calls task(0), ..., task(count - 1), on available_threads() threads at most, in any order.
///
/// throws  what the first task in this order throws of those that throw; all others have run then
void for_each_task(index_t count, const std::function<void(index_t)>& task);

/// Asks the system for large pages behind this memory, which is about to be filled. It is only advice.
void expect_filling(void* begin, std::size_t bytes);

}  // namespace residua::io
