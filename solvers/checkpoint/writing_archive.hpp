#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <residua/solvers/checkpoint/content_hash.hpp>
#include <residua/solvers/checkpoint/file_bytes.hpp>
#include <residua/solvers/checkpoint/state_archive.hpp>

namespace residua {

/// Writes a state to a place in a file, small pieces together.
class writing_archive final : public state_archive {
public:
    writing_archive(int file, std::uint64_t offset) : file_(file), offset_(offset) { pending_.reserve(most_pending); }

    bool reads() const override { return false; }
    void bytes(void* data, std::size_t size) override
    {
        check_.add(data, size);
        if (pending_.size() + size > most_pending) {
            flush();
        }
        if (size >= most_pending) {
            detail::write_all(file_, data, size, offset_);
            offset_ += size;
            return;
        }
        const auto* from = static_cast<const char*>(data);
        pending_.insert(pending_.end(), from, from + size);
    }
    void flush()
    {
        detail::write_all(file_, pending_.data(), pending_.size(), offset_);
        offset_ += pending_.size();
        pending_.clear();
    }
    content_key check() const { return check_.key(); }

private:
    static constexpr std::size_t most_pending = std::size_t{1} << 20;

    std::uint64_t left() const override { return 0; }
    [[noreturn]] void refuse(const std::string& reason) const override { throw error(reason); }

    int file_;
    std::uint64_t offset_;
    std::vector<char> pending_;
    content_hash check_;
};

}  // namespace residua
