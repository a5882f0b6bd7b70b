#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <residua/blas/base/executor.hpp>
#include <residua/io/error.hpp>

namespace residua {

/// Owned binary64 words in the memory of Exec.
template <class Exec>
class buffer;

/// Zero-initialised, aligned to a cache line. Copies are deep.
template <>
class buffer<host_executor> {
public:
    static constexpr std::size_t alignment = 64;

    buffer() = default;

    /// throws  resource_error if the memory is not there
    explicit buffer(index_t words) : size_(words)
    {
        if (words < 0 || words > max_words) {
            throw resource_error("no memory for " + std::to_string(words) + " binary64 words");
        }
        if (words > 0) {
            const std::size_t bytes =
                (static_cast<std::size_t>(words) * sizeof(double) + alignment - 1) & ~(alignment - 1);
            data_.reset(static_cast<double*>(std::aligned_alloc(alignment, bytes)));
            if (data_ == nullptr) {
                throw resource_error("no memory for " + std::to_string(bytes) + " bytes");
            }
            std::memset(data_.get(), 0, bytes);
        }
    }

    buffer(const buffer& other) : buffer(other.size_)
    {
        if (size_ > 0) {
            std::memcpy(data_.get(), other.data_.get(), static_cast<std::size_t>(size_) * sizeof(double));
        }
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

    double* data() { return data_.get(); }
    const double* data() const { return data_.get(); }
    index_t size() const { return size_; }

private:
    static constexpr index_t max_words = std::numeric_limits<index_t>::max() / 16;

    struct free_memory {
        void operator()(double* p) const { std::free(p); }
    };

    std::unique_ptr<double, free_memory> data_;
    index_t size_ = 0;
};

}  // namespace residua
