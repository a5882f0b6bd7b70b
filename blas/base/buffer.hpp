#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <residua/blas/base/executor.hpp>
#include <residua/io/error.hpp>

namespace residua {

/// Owned words (binary64 or an integer) in the memory of Exec.
template <class Exec, class Word>
class buffer;

/// Zero-initialised, aligned to a cache line. Copies are deep.
template <class Word>
    requires std::is_arithmetic_v<Word>
class buffer<host_executor, Word> {
public:
    static constexpr std::size_t alignment = 64;

    buffer() = default;

    /// throws  resource_error if the memory is not there
    explicit buffer(index_t words) : size_(words)
    {
        if (words < 0 || words > max_words) {
            throw resource_error("no memory for " + std::to_string(words) + " words");
        }
        if (words > 0) {
            const std::size_t bytes =
                (static_cast<std::size_t>(words) * sizeof(Word) + alignment - 1) & ~(alignment - 1);
            data_.reset(static_cast<Word*>(std::aligned_alloc(alignment, bytes)));
            if (data_ == nullptr) {
                throw resource_error("no memory for " + std::to_string(bytes) + " bytes");
            }
            std::memset(data_.get(), 0, bytes);
        }
    }

    buffer(const buffer& other) : buffer(other.size_)
    {
        std::copy(other.data(), other.data() + size_, data());
    }

    buffer(buffer&& other) noexcept
        : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0))
    {}

    buffer& operator=(buffer other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }

    Word* data() { return data_.get(); }
    const Word* data() const { return data_.get(); }
    index_t size() const { return size_; }

    std::span<Word> span() { return {data(), static_cast<std::size_t>(size_)}; }
    std::span<const Word> span() const { return {data(), static_cast<std::size_t>(size_)}; }

private:
    static constexpr index_t max_words = index_t{1} << 59;

    struct free_memory {
        void operator()(Word* p) const { std::free(p); }
    };

    std::unique_ptr<Word, free_memory> data_;
    index_t size_ = 0;
};

}  // namespace residua
