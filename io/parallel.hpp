#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

#include <residua/io/error.hpp>
#include <residua/io/team.hpp>

namespace residua::io {

/// Asked at least ten times a second during long work, by one thread at a time; true ends it.
using stop_function = std::function<bool()>;

/// Reading that a stop_function ended.
class stopped_error : public error {
public:
    using error::error;
};

/// A stop_function for several threads. Once it was true it is not asked again.
class stop_request {
public:
    /// name  of what is read
    stop_request(const stop_function& stop, const std::string& name) : stop_(stop), name_(name) {}

    /// throws  stopped_error if work has to end; a thread that finds another one asking goes on
    void check();

private:
    const stop_function& stop_;
    const std::string& name_;
    std::mutex asking_;
    std::atomic<bool> stopped_{false};
};

/// Calls task(0), ..., task(count - 1), on available_threads() threads at most, in any order.
///
/// throws  what the first task in this order throws of those that throw; all others have run then
void for_each_task(index_t count, const std::function<void(index_t)>& task);

/// Asks the system for large pages behind this memory, which is about to be filled. It is only advice.
void expect_filling(void* begin, std::size_t bytes);

}  // namespace residua::io
