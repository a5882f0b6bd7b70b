#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <residua/solvers/checkpoint/content_hash.hpp>
#include <residua/solvers/checkpoint/real_state.hpp>
#include <residua/solvers/checkpoint/state_archive.hpp>

namespace residua {

/// Hashes what a state consists of.
class hashing_archive final : public state_archive {
public:
    explicit hashing_archive(content_hash& to) : to_(to) {}

    bool reads() const override { return false; }
    void bytes(void* data, std::size_t size) override { to_.add(data, size); }

private:
    std::uint64_t left() const override { return 0; }
    [[noreturn]] void refuse(const std::string& reason) const override { throw error(reason); }

    content_hash& to_;
};

}  // namespace residua
