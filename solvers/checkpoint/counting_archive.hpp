#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <residua/solvers/checkpoint/state_archive.hpp>

namespace residua {

/// Counts the bytes of a state.
class counting_archive final : public state_archive {
public:
    bool reads() const override { return false; }
    bool counts() const override { return true; }
    void bytes(void*, std::size_t size) override { size_ += size; }
    std::uint64_t size() const { return size_; }

private:
    std::uint64_t left() const override { return 0; }
    [[noreturn]] void refuse(const std::string& reason) const override { throw error(reason); }

    std::uint64_t size_ = 0;
};

}  // namespace residua
