#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <residua/solvers/checkpoint/state_archive.hpp>

/// States in memory: what one process tells another.
namespace residua {

/// Writes a state into a message.
class message_writer final : public state_archive {
public:
    bool reads() const override { return false; }
    void bytes(void* data, std::size_t size) override
    {
        const auto* const from = static_cast<const std::byte*>(data);
        message_.insert(message_.end(), from, from + size);
    }
    std::vector<std::byte>& message() { return message_; }

private:
    std::uint64_t left() const override { return 0; }
    [[noreturn]] void refuse(const std::string& reason) const override { throw error(reason); }

    std::vector<std::byte> message_;
};

/// Reads a state from a message, which must outlive it.
class message_reader final : public state_archive {
public:
    explicit message_reader(std::span<const std::byte> message) : message_(message) {}

    bool reads() const override { return true; }
    void bytes(void* data, std::size_t size) override
    {
        if (size > message_.size()) {
            refuse("a message is too short");
        }
        std::copy_n(message_.begin(), size, static_cast<std::byte*>(data));
        message_ = message_.subspan(size);
    }

private:
    std::uint64_t left() const override { return message_.size(); }
    [[noreturn]] void refuse(const std::string& reason) const override { throw error(reason); }

    std::span<const std::byte> message_;
};

}  // namespace residua
