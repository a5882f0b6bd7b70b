#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/host_memory.hpp>
#include <residua/io/error.hpp>

namespace residua {

/// For a buffer whose words are all written before they are read.
struct uninitialized {};

/// Owned words (binary64 or an integer) in the memory of Exec.
template <class Exec, class Word>
class buffer;

/// Zero-initialised, aligned to a cache line. Copies are deep.
template <class Word>
    requires std::is_arithmetic_v<Word>
class buffer<host_executor, Word> {
public:
    buffer() = default;

    /// throws  resource_error if the memory is not there
    explicit buffer(index_t words, const host_executor& = {}) : buffer(words, true) {}
    buffer(index_t words, const host_executor&, uninitialized) : buffer(words, false) {}

    /// Words of somebody else. They are copied when they are first asked for in order to be changed.
    buffer(std::shared_ptr<const Word> words, index_t size)
        : data_(const_cast<Word*>(words.get())),
          size_(size),
          owner_(std::make_unique<const std::shared_ptr<const Word>>(std::move(words)))
    {}

    buffer(const buffer& other) : buffer(other.size_) { std::copy(other.data(), other.data() + size_, data()); }

    buffer(buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          owner_(std::move(other.owner_))
    {}

    buffer& operator=(buffer other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(owner_, other.owner_);
        return *this;
    }

    ~buffer()
    {
        if (data_ != nullptr && owner_ == nullptr) {
            detail::release(data_, bytes());
        }
    }

    Word* data()
    {
        if (owner_ != nullptr) {
            *this = buffer(*this);
        }
        return data_;
    }
    const Word* data() const { return data_; }
    index_t size() const { return size_; }

    std::span<Word> span() { return {data(), static_cast<std::size_t>(size_)}; }
    std::span<const Word> span() const { return {data(), static_cast<std::size_t>(size_)}; }

private:
    static constexpr index_t max_words = index_t{1} << 59;

    buffer(index_t words, bool zeros) : size_(words)
    {
        if (words < 0 || words > max_words) {
            throw resource_error("no memory for " + std::to_string(words) + " words");
        }
        if (words > 0) {
            data_ = static_cast<Word*>(detail::allocate(bytes(), zeros));
        }
    }

    std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(Word); }

    Word* data_ = nullptr;
    index_t size_ = 0;
    std::unique_ptr<const std::shared_ptr<const Word>> owner_;  ///< null: the words are the buffer's
};

/// Owned words in device memory, in the order of the executor's stream; the host only passes the address on.
template <class Word>
    requires std::is_arithmetic_v<Word>
class buffer<cuda_executor, Word> {
public:
    buffer() = default;

    /// throws  resource_error if the memory is not there
    explicit buffer(index_t words, const cuda_executor& exec = {}) : buffer(words, exec, detail::cuda_allocate_zeros) {}
    buffer(index_t words, const cuda_executor& exec, uninitialized) : buffer(words, exec, detail::cuda_allocate) {}

    buffer(const buffer& other) : buffer(other.size_, other.exec_)
    {
        if (size_ > 0) {
            detail::cuda_copy(exec_, data_, other.data_, bytes());
        }
    }

    buffer(buffer&& other) noexcept
        : exec_(other.exec_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0))
    {}

    buffer& operator=(buffer other) noexcept
    {
        std::swap(exec_, other.exec_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }

    ~buffer()
    {
        if (data_ != nullptr) {
            detail::cuda_free(exec_, data_);
        }
    }

    Word* data() { return data_; }
    const Word* data() const { return data_; }
    index_t size() const { return size_; }

    /// Addresses on the device.
    std::span<Word> span() { return {data(), static_cast<std::size_t>(size_)}; }
    std::span<const Word> span() const { return {data(), static_cast<std::size_t>(size_)}; }

private:
    buffer(index_t words, const cuda_executor& exec, void* (*allocate)(const cuda_executor&, std::size_t))
        : exec_(exec), size_(words)
    {
        if (words < 0) {
            throw resource_error("no memory for " + std::to_string(words) + " words");
        }
        if (words > 0) {
            data_ = static_cast<Word*>(allocate(exec_, bytes()));
        }
    }

    std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(Word); }

    cuda_executor exec_;
    Word* data_ = nullptr;
    index_t size_ = 0;
};

/// A copy on the device, or back on the host.
template <class Word>
buffer<cuda_executor, Word> to_device(const cuda_executor& exec, const buffer<host_executor, Word>& from)
{
    buffer<cuda_executor, Word> to(from.size(), exec);
    if (from.size() > 0) {
        detail::cuda_copy_in(exec, to.data(), from.data(), static_cast<std::size_t>(from.size()) * sizeof(Word));
    }
    return to;
}

template <class Word>
buffer<host_executor, Word> to_host(const cuda_executor& exec, const buffer<cuda_executor, Word>& from)
{
    buffer<host_executor, Word> to(from.size());
    if (from.size() > 0) {
        detail::cuda_copy_out(exec, to.data(), from.data(), static_cast<std::size_t>(from.size()) * sizeof(Word));
    }
    return to;
}

}  // namespace residua
