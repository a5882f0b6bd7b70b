#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace residua {

/// Sizes and indices: 64 bits, signed.
using index_t = std::int64_t;

/// Root of everything that residua throws.
class error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Input that cannot be read or used: what() is one line "file:line: reason".
class input_error : public error {
public:
    input_error(const std::string& file, index_t line, const std::string& reason)
        : error(line > 0 ? file + ":" + std::to_string(line) + ": " + reason : file + ": " + reason)
    {}
    /// The line as it is, from another process.
    explicit input_error(const std::string& line) : error(line) {}
};

/// Sizes that do not fit each other; the message holds both.
class dimension_error : public error {
public:
    using error::error;
};

/// A valid request that this build or method does not serve.
class unsupported_error : public error {
public:
    using error::error;
};

/// Memory or a device that is not there; the message holds the bytes needed and available.
class resource_error : public error {
public:
    using error::error;
};

}  // namespace residua
