#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/blas/base/pinned_memory.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// Numbers on their way to another process or from it: a vector of the space, whose words travel as the memory of the
/// host has them. Words of a device have a place in page-locked memory, to and from which copies are queued.
template <array_space S>
class halo_numbers {
public:
    using vector = typename S::vector;

    /// A moment of the stream in which copies are queued; on the host there is none.
    struct no_mark {
        explicit no_mark(const host_executor&) {}
    };
    using mark = std::conditional_t<S::on_host, no_mark, stream_mark>;

    halo_numbers(const S& space, index_t size) : numbers_(space.make_vector(size))
    {
        if constexpr (!S::on_host) {
            numbers_.for_each_buffer(
                [&](auto& words) { on_host_.emplace_back(space.exec, std::as_bytes(words.span()).size()); });
        }
    }

    vector& numbers() { return numbers_; }
    const vector& numbers() const { return numbers_; }

    /// f(bytes) for each part of the words on the host.
    template <class F>
    void for_each_part(const F& f)
    {
        if constexpr (S::on_host) {
            numbers_.for_each_buffer([&](auto& words) { f(std::as_writable_bytes(words.span())); });
        } else {
            for (const pinned_memory& each : on_host_) {
                f(each.bytes());
            }
        }
    }

    /// Queues copies of the words from the device to the host, and back.
    void queue_to_host()
    {
        for_each_copy([](const pinned_memory& here, const void* there) { here.queue_copy_from(there); });
    }
    void queue_to_device()
    {
        for_each_copy([](const pinned_memory& here, void* there) { here.queue_copy_to(there); });
    }

private:
    struct nothing {};

    template <class F>
    void for_each_copy([[maybe_unused]] const F& f)
    {
        if constexpr (!S::on_host) {
            auto here = on_host_.begin();
            numbers_.for_each_buffer([&](auto& words) {
                if (words.size() > 0) {
                    f(*here, words.data());
                }
                ++here;
            });
        }
    }

    vector numbers_;
    std::conditional_t<S::on_host, nothing, std::vector<pinned_memory>> on_host_;
};

}  // namespace residua
