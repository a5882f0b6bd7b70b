#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include <residua/blas/base/pinned_memory.hpp>
#include <residua/solvers/processes/processes.hpp>
#include <residua/solvers/space/vector_space.hpp>

/// Numbers on their way to other processes and from them: vectors, whose words travel as memory has them.
namespace residua {

/// f(words, part of the bytes) for all words of a vector, one part behind the other.
template <class V, class Byte, class F>
void for_each_words(V& numbers, std::span<Byte> bytes, const F& f)
{
    numbers.for_each_buffer([&](auto& words) {
        const auto of_words = std::as_writable_bytes(words.span());
        if (!of_words.empty()) {
            f(of_words, bytes.first(of_words.size()));
        }
        bytes = bytes.subspan(of_words.size());
    });
}

/// The bytes of all words of a vector.
template <class V>
std::size_t bytes_of_words(V& numbers)
{
    std::size_t bytes = 0;
    numbers.for_each_buffer([&](auto& words) { bytes += std::as_bytes(words.span()).size(); });
    return bytes;
}

/// What happens to vectors on their way to the memory of a route and from it. Between begin() and end() all of that is
/// queued in the space beside(space), on a device a stream of its own, which does not hold up what is queued in `space`.
template <array_space S>
class halo_copies {
public:
    halo_copies(const S&, const route&) {}

    const S& beside(const S& space) const { return space; }
    void begin() const {}
    /// Copies the vectors of a list of things that have `numbers` to the messages of a route.
    template <class List>
    void put(List& list, route& to)
    {
        for (std::size_t i = 0; i < list.size(); ++i) {
            for_each_words(list[i].numbers, to.to(i), [](std::span<std::byte> words, std::span<std::byte> there) {
                std::memcpy(there.data(), words.data(), words.size());
            });
        }
    }
    /// Waits for the copies of put(), and for those of an earlier take().
    void wait() const {}
    /// Copies messages to the vectors of a list.
    template <class List>
    void take(const route& from, List& list)
    {
        for (std::size_t i = 0; i < list.size(); ++i) {
            for_each_words(list[i].numbers, from.from(i),
                           [](std::span<std::byte> words, std::span<const std::byte> there) {
                               std::memcpy(words.data(), there.data(), words.size());
                           });
        }
    }
    void end() const {}
};

template <array_space S>
    requires(!S::on_host)
class halo_copies<S> {
public:
    halo_copies(const S& space, const route& of)
        : exec_(space.exec), side_(exec_), before_(exec_), copied_(side_.exec()), after_(side_.exec())
    {
        for (const std::span<std::byte> each : of.memory()) {
            pages_.emplace_back(side_.exec(), each);
        }
    }

    S beside(S space) const
    {
        space.exec = side_.exec();
        return space;
    }
    /// What was queued in the space before comes first.
    void begin()
    {
        before_.set();
        before_.hold_back(side_.exec());
    }
    template <class List>
    void put(List& list, route& to)
    {
        for (std::size_t i = 0; i < list.size(); ++i) {
            for_each_words(list[i].numbers, to.to(i), [&](std::span<std::byte> words, std::span<std::byte> there) {
                queue_copy_to_host(side_.exec(), words.data(), there);
            });
        }
        copied_.set();
    }
    void wait() const { copied_.wait(); }
    template <class List>
    void take(const route& from, List& list)
    {
        for (std::size_t i = 0; i < list.size(); ++i) {
            for_each_words(list[i].numbers, from.from(i),
                           [&](std::span<std::byte> words, std::span<const std::byte> there) {
                               queue_copy_to_device(side_.exec(), there, words.data());
                           });
        }
    }
    /// What is queued in the space from here on comes later.
    void end()
    {
        after_.set();
        after_.hold_back(exec_);
    }

private:
    cuda_executor exec_;
    side_stream side_;
    stream_mark before_, copied_, after_;
    std::vector<pinned_pages> pages_;
};

}  // namespace residua
